import { div, explainError } from "../../ui/dom";

/** A row of settings as Obsidian draws it: name and text at the left, what can be changed at the right. */
export function settingRow(parent: HTMLElement, name: string, text: string, isHeading = false): HTMLElement {
  const row = div(parent, isHeading ? "setting-item setting-item-heading" : "setting-item");
  const info = div(row, "setting-item-info");
  info.createDiv({ cls: "setting-item-name", text: name, ...(isHeading ? { attr: { role: "heading", "aria-level": "2" } } : {}) });
  div(info, "setting-item-description", text);
  return div(row, "setting-item-control");
}

/** A switch. */
export function toggle(parent: HTMLElement, label: string, on: boolean, change: (on: boolean) => void): HTMLElement {
  const box = parent.createDiv({
    cls: on ? "checkbox-container is-enabled" : "checkbox-container",
    attr: { role: "switch", "aria-checked": String(on), "aria-label": label, tabindex: "0", "data-row": `switch-${label}` },
  });
  const flip = (): void => change(!on);
  box.addEventListener("click", flip);
  box.addEventListener("keydown", (event) => {
    if (event.key !== " " && event.key !== "Enter") return;
    event.preventDefault();
    flip();
  });
  return box;
}

export interface Field {
  label: string;
  value: string;
  hint?: string;
  isLong?: boolean;
  type?: "number" | "text";
}

/** A field that is sent when it was changed and left; what the sidecar says against it stands below. */
export function field(parent: HTMLElement, given: Field, send: (value: string) => Promise<unknown>): HTMLInputElement | HTMLTextAreaElement {
  const attr = { "aria-label": given.label, "data-row": given.label, spellcheck: "false", ...(given.hint ? { placeholder: given.hint } : {}) };
  const input = given.isLong ? parent.createEl("textarea", { attr: { ...attr, rows: "3" } }) : parent.createEl("input", { attr: { ...attr, type: given.type ?? "text", step: "any" } });
  input.value = given.value;
  const commit = (): void => {
    if (input.value === given.value) return;
    parent.parentElement?.querySelector(".vs-problem")?.remove();
    void send(input.value).catch((error: unknown) => {
      parent.parentElement?.createDiv({ cls: "vs-problem vs-small vs-bad-text", text: explainError(error), attr: { role: "alert" } });
      input.setAttribute("aria-invalid", "true");
    });
  };
  input.addEventListener("change", commit);
  return input;
}

/** Words as a person lists them: by commas, Chinese ones too, or lines. */
export function splitWords(text: string): string[] {
  return text.split(/[,，、;；\n]+/).map((word) => word.trim()).filter(Boolean);
}
