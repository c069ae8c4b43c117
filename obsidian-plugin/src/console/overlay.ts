/** A modal layer: focus stays within, Escape and a click beside it close it, focus returns to where it was. */
export function openOverlay(label: string, cls: string, fill: (el: HTMLElement, close: () => void) => () => void): void {
  const before = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  const dialog = document.body.createEl("dialog", { cls: "vs-overlay", attr: { "aria-label": label } });
  const content = dialog.createDiv({ cls });
  let end: () => void = () => undefined;
  const close = (): void => {
    end();
    dialog.close();
    dialog.remove();
    before?.focus();
  };
  dialog.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  dialog.addEventListener("mousedown", (event) => {
    if (event.target === dialog) close();
  });
  dialog.showModal();
  end = fill(content, close);
}
