import { locale, words } from "../i18n";
import { ApiError, Unreachable } from "../api/errors";
import type { Host } from "../host";

/** Start and end of a passage, in code points, as the sidecar counts. */
type Highlight = readonly [number, number] | readonly number[];

/** Append a box of a class, with a text if one is given. */
export function div(el: HTMLElement, cls: string, text?: string): HTMLElement {
  return el.createDiv(text === undefined ? { cls } : { cls, text });
}

/** Append an element of a kind, with class and text if they are given. */
export function make<K extends keyof HTMLElementTagNameMap>(el: HTMLElement, name: K, cls = "", text = ""): HTMLElementTagNameMap[K] {
  return el.createEl(name, { cls, text });
}

/** Append a run of text of a class. */
export function span(el: HTMLElement, cls: string, text?: string): HTMLElement {
  return el.createSpan(text === undefined ? { cls } : { cls, text });
}

/** A line of a note as one reads it: other links by their words, without marks. */
function plain(text: string): string {
  return text.replace(/!?\[\[(?:[^\]|[]*\|)?([^\][]*)\]\]/g, "$1").replace(/!?\[([^\][]*)\]\([^()\s]*\)/g, "$1").replace(/\*\*|==|~~|%%|`/g, "");
}

/** Append text with its highlighted passages marked. */
export function appendMarked(el: HTMLElement, text: string, highlights: readonly Highlight[]): void {
  const points = Array.from(text);
  let at = 0;
  for (const [start = 0, end = 0] of highlights) {
    if (start > at) el.appendText(plain(points.slice(at, start).join("")));
    el.createEl("mark", { cls: "vs-hit", text: points.slice(start, end).join("") });
    at = end;
  }
  if (at < points.length) el.appendText(plain(points.slice(at).join("")));
}

/** Draws one of Lucide's icons into an element, in the way of the host. */
export let drawIcon: (el: HTMLElement, name: string) => void = () => undefined;

/** Draw icons in a host's way from now on. */
export function useIcons(draw: typeof drawIcon): void {
  drawIcon = draw;
}

/** Append an icon; it is decoration, so screen readers pass over it. */
export function appendIcon(el: HTMLElement, name: string, cls = ""): HTMLElement {
  const span = el.createSpan({ cls: cls ? `vs-icon ${cls}` : "vs-icon", attr: { "aria-hidden": "true" } });
  drawIcon(span, name);
  return span;
}

/** Append the line around a link as a pane shows it: the link itself without its brackets. */
export function appendContext(el: HTMLElement, found: { context: string; highlights: readonly Highlight[] }): void {
  const points = Array.from(found.context);
  const [start = 0, end = 0] = found.highlights[0] ?? [];
  const bare = /^!?\[\[(.*)\]\]$/s.exec(points.slice(start, end).join(""));
  if (!bare) return appendMarked(el, found.context, found.highlights);
  el.appendText(plain(points.slice(0, start).join("")));
  el.createEl("mark", { cls: "vs-hit", text: bare[1] ?? "" });
  el.appendText(plain(points.slice(end).join("")));
}

/** A button that shows only an icon, with a name for readers and tooltip. */
export function iconButton(el: HTMLElement, icon: string, label: string, onClick: () => void): HTMLButtonElement {
  const button = el.createEl("button", { cls: "clickable-icon", attr: { "aria-label": label } });
  drawIcon(button, icon);
  button.addEventListener("click", onClick);
  return button;
}

/** A button with words; `icon` comes before them, `cls` as the design names it. */
export function press(el: HTMLElement, label: string, run: () => void, cls = "", icon = ""): HTMLButtonElement {
  const button = el.createEl("button", { cls, attr: { "data-row": `${label}` } });
  if (icon) appendIcon(button, icon);
  span(button, "", label);
  button.addEventListener("click", run);
  return button;
}

/** A button that looks like a link. */
export function linkButton(el: HTMLElement, label: string, run: () => void): HTMLButtonElement {
  const button = el.createEl("button", { cls: "vs-plain vs-link", attr: { "data-row": label } });
  span(button, "", label);
  button.addEventListener("click", run);
  return button;
}

/** A command to type, with a button that copies it. */
export function commandBox(host: Host, el: HTMLElement, command: string): void {
  const box = div(el, "vs-command");
  box.createEl("code", { text: command });
  iconButton(box, "copy", words.copy, () => {
    void host.copy(command).then(() => host.notify(words.copied));
  });
}

export interface EmptyState {
  icon: string;
  title?: string;
  text: string;
  command?: string;
  action?: { label: string; run: () => void };
}

/** Say in place of content why there is none and what to do. */
export function showEmpty(host: Host, el: HTMLElement, state: EmptyState): void {
  const box = el.createDiv({ cls: "vs-empty", attr: { role: "status" } });
  appendIcon(box, state.icon);
  if (state.title) box.createEl("h2", { text: state.title });
  box.createEl("p", { text: state.text });
  if (state.command) commandBox(host, box, state.command);
  const action = state.action;
  if (action) {
    const acts = div(box, "vs-acts");
    press(acts, action.label, action.run);
  }
}

/** Say what went wrong and what to do, in the interface's language where it has words for it. */
export function explain(problem: { code: string; detail: string; fix: string }): { what: string; fix: string } {
  const own = words.problems[problem.code];
  return own === undefined ? { what: problem.detail, fix: problem.fix } : { what: own, fix: "" };
}

/** The same for anything that was thrown. */
export function explainError(error: unknown): string {
  if (error instanceof ApiError) {
    const { what, fix } = explain({ code: error.code, detail: error.message, fix: error.fix });
    return [what, fix].filter(Boolean).join(" ");
  }
  if (error instanceof Unreachable) return words.statusOffline;
  return error instanceof Error ? error.message : String(error);
}

export function formatCount(count: number): string {
  return count.toLocaleString(locale);
}

export function formatTime(moment: Date): string {
  return moment.toLocaleTimeString(locale, { hour: "2-digit", minute: "2-digit", hour12: false });
}
