import { words } from "../i18n";
import type { Hit, SearchResult } from "../api/client";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { appendIcon, appendMarked, div, explainError, formatCount, iconButton, span } from "../ui/dom";
import { progressOf, textOf } from "../ui/status";

const LIMIT = 30;
const TYPING_MS = 60;
const RECENT_KEPT = 8;

type Row = { kind: "hit"; hit: Hit } | { kind: "recent"; query: string } | { kind: "create"; name: string };

/** Queries of this run, newest first. */
const recent: string[] = [];

/** Search as one types; keyboard first. */
export class SearchPanel {
  private input!: HTMLInputElement;
  private status!: HTMLElement;
  private results!: HTMLElement;
  private rows: Row[] = [];
  private selected = 0;
  private timer = 0;
  private turn = 0;

  constructor(
    private readonly host: Host,
    private readonly connection: Connection,
    private readonly close: () => void,
  ) {}

  mount(root: HTMLElement, query: string): void {
    root.addClass("prompt");
    root.setAttribute("aria-label", words.search);
    const bar = div(root, "prompt-input-container");
    appendIcon(bar, "search");
    this.input = bar.createEl("input", {
      cls: "prompt-input",
      attr: { type: "text", "aria-label": words.search, spellcheck: "false", autocomplete: "off", role: "combobox", "aria-expanded": "true", "aria-controls": "vs-search-results" },
    });
    this.input.value = query;
    iconButton(bar, "x", words.clear, () => {
      this.input.value = "";
      this.input.focus();
      void this.update();
    });
    this.status = root.createDiv({ cls: "vs-prompt-status vs-num", attr: { role: "status" } });
    this.results = root.createDiv({ cls: "prompt-results", attr: { role: "listbox", id: "vs-search-results", "aria-label": words.search } });
    this.drawKeys(root);
    this.input.addEventListener("input", () => {
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.update(), TYPING_MS);
    });
    this.input.addEventListener("keydown", (event) => this.onKey(event));
    this.input.focus();
    this.input.setSelectionRange(query.length, query.length);
    void this.update();
  }

  unmount(): void {
    window.clearTimeout(this.timer);
    this.turn++;
  }

  private async update(): Promise<void> {
    const query = this.input.value;
    const turn = ++this.turn;
    const { client, state } = this.connection;
    if (!client) {
      return this.show([], state.kind === "starting" ? `${words.indexing(...progressOf(state.status))} ${words.indexingHint}` : textOf(state));
    }
    if (!query.trim()) {
      const notes = state.kind === "ready" ? state.status.notes : 0;
      this.input.placeholder = words.searchPlaceholder(formatCount(notes));
      return this.show(recent.map((text) => ({ kind: "recent", query: text })), "");
    }
    try {
      const found = await client.search(query, LIMIT);
      if (turn === this.turn) this.showFound(query, found);
    } catch (error) {
      if (turn !== this.turn) return;
      this.show([], explainError(error));
    }
  }

  private showFound(query: string, found: SearchResult): void {
    if (found.total > 0) {
      return this.show(found.hits.map((hit) => ({ kind: "hit", hit })), this.says(found));
    }
    const rows: Row[] = this.host.createNote && found.reason === "no-match" ? [{ kind: "create", name: query.trim() }] : [];
    this.show(rows, found.reason === "no-term" ? words.searchNoTerm : words.searchNone(formatCount(found.searched)));
  }

  private says(found: SearchResult): string {
    const corrected = Object.entries(found.corrections).map(([from, to]) => words.searchCorrected(from, to));
    const how = found.mode === "lexical" ? "" : words.searchModes[found.mode];
    return [words.searchResults(formatCount(found.total)), ...corrected, how].filter(Boolean).join(" · ");
  }

  /** Say where in a note the words stand, and where it lies. */
  private reasons(hit: Hit): string {
    const fields = hit.fields.filter((field) => field !== "body").map((field) => words.searchFields[field] ?? field);
    if (hit.fields.length === 0) fields.push(words.searchByMeaning);
    const place = hit.layer || (hit.path.includes("/") ? (hit.path.split("/")[0] ?? "") : "");
    return [...fields, words.layers[place] ?? place].filter(Boolean).join(" · ");
  }

  private show(rows: Row[], status: string): void {
    this.rows = rows;
    this.selected = 0;
    this.status.setText(status);
    this.status.toggleClass("is-hidden", status === "");
    this.results.empty();
    rows.forEach((row, index) => this.drawRow(row, index));
    this.select(0);
  }

  private drawRow(row: Row, index: number): void {
    const el = this.results.createDiv({ cls: "suggestion-item vs-hitrow", attr: { role: "option", id: `vs-hit-${index}` } });
    if (row.kind === "hit") {
      const { hit } = row;
      appendIcon(el, "file");
      appendMarked(span(el, "vs-t"), hit.title, hit.title_highlights);
      span(el, "vs-p", this.reasons(hit));
      const snippet = hit.snippets[0];
      if (snippet) appendMarked(span(el, "vs-s"), snippet.text, snippet.highlights);
    } else {
      appendIcon(el, row.kind === "recent" ? "clock" : "file-plus");
      span(el, "vs-t", row.kind === "recent" ? row.query : words.createNote(row.name));
      span(el, "vs-p", row.kind === "recent" ? words.searchRecent : "");
    }
    el.addEventListener("mousemove", () => this.select(index));
    el.addEventListener("click", (event) => this.choose(index, event.ctrlKey || event.metaKey));
  }

  private select(index: number): void {
    const items = Array.from(this.results.children) as HTMLElement[];
    this.selected = Math.max(0, Math.min(index, items.length - 1));
    items.forEach((item, n) => {
      item.toggleClass("is-selected", n === this.selected);
      item.setAttribute("aria-selected", String(n === this.selected));
    });
    items[this.selected]?.scrollIntoView({ block: "nearest" });
    if (items.length > 0) this.input.setAttribute("aria-activedescendant", `vs-hit-${this.selected}`);
    else this.input.removeAttribute("aria-activedescendant");
  }

  private onKey(event: KeyboardEvent): void {
    if (event.isComposing) return; // an input method is still at work
    if (event.key === "ArrowDown") this.select((this.selected + 1) % Math.max(this.rows.length, 1));
    else if (event.key === "ArrowUp") this.select((this.selected - 1 + this.rows.length) % Math.max(this.rows.length, 1));
    else if (event.key === "Enter" && event.altKey) this.insert();
    else if (event.key === "Enter") this.choose(this.selected, event.ctrlKey || event.metaKey);
    else if (event.key === "Escape") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private choose(index: number, newTab: boolean): void {
    const row = this.rows[index];
    if (!row) return;
    if (row.kind === "recent") {
      this.input.value = row.query;
      void this.update();
      return;
    }
    this.remember();
    this.close();
    if (row.kind === "hit") this.host.openNote(row.hit.path, newTab);
    else this.host.createNote?.(row.name);
  }

  private insert(): void {
    const row = this.rows[this.selected];
    if (row?.kind !== "hit" || !this.host.insertLink) return;
    this.remember();
    this.close();
    this.host.insertLink(row.hit.path, row.hit.title);
  }

  private remember(): void {
    const query = this.input.value.trim();
    const at = recent.indexOf(query);
    if (at >= 0) recent.splice(at, 1);
    recent.unshift(query);
    recent.splice(RECENT_KEPT);
  }

  private drawKeys(root: HTMLElement): void {
    const keys: [string, string][] = [["↑↓", words.keysMove], ["↵", words.keysOpen]];
    if (this.host.insertLink) keys.push(["alt ↵", words.keysInsert]);
    keys.push(["tag: path:", words.keysFilter], ["esc", words.keysClose]);
    const box = div(root, "prompt-instructions");
    for (const [key, text] of keys) {
      const item = span(box, "prompt-instruction");
      span(item, "prompt-instruction-command", key);
      span(item, "", text);
    }
  }
}
