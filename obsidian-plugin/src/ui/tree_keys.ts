/** Keys of a tree as in Obsidian's file tree: arrows move and fold, Enter opens. One row at a time takes part in tabbing. */
export function attachTreeKeys(tree: HTMLElement): void {
  tree.addEventListener("keydown", (event) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-row]");
    if (!row || row !== event.target) return;
    const rows = Array.from(tree.querySelectorAll<HTMLElement>("[data-row]"));
    const at = rows.indexOf(row);
    const expanded = row.getAttribute("aria-expanded");
    switch (event.key) {
      case "ArrowDown":
        move(rows, row, rows[at + 1]);
        break;
      case "ArrowUp":
        move(rows, row, rows[at - 1]);
        break;
      case "Home":
        move(rows, row, rows[0]);
        break;
      case "End":
        move(rows, row, rows[rows.length - 1]);
        break;
      case "ArrowRight":
        if (expanded === "false") row.click();
        else move(rows, row, rows[at + 1]);
        break;
      case "ArrowLeft":
        if (expanded === "true") row.click();
        else move(rows, row, rows[at - 1]);
        break;
      case "Enter":
        row.dispatchEvent(new MouseEvent("click", { bubbles: true, ctrlKey: event.ctrlKey, metaKey: event.metaKey }));
        break;
      default:
        return;
    }
    event.preventDefault();
  });
}

function move(rows: HTMLElement[], from: HTMLElement, to: HTMLElement | undefined): void {
  if (!to || !rows.includes(to)) return;
  from.setAttribute("tabindex", "-1");
  to.setAttribute("tabindex", "0");
  to.focus();
}
