import type { Entry } from "../api/client";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { appendIcon, explainError, showEmpty } from "../ui/dom";

/** Shows one note. The HTML comes cleaned from the sidecar and is parsed without running anything. */
export class Reader {
  private note: string | null = null;
  private turn = 0;

  constructor(
    private readonly el: HTMLElement,
    private readonly host: Host,
    connection: Connection,
    private readonly load: (note: string) => Promise<Entry>,
  ) {
    this.showNothing();
    connection.onEvents((events) => {
      const touched = events.some((event) => {
        const { paths, count } = event.data as { paths?: string[]; count?: number };
        // A large change names its first paths only.
        const isWhole = paths !== undefined && count === paths.length;
        return event.type === "reset" || (paths !== undefined && (!isWhole || paths.includes(this.note ?? "")));
      });
      if (touched && this.note) void this.open(this.note);
    });
  }

  async open(note: string): Promise<void> {
    const isSame = note === this.note;
    this.note = note;
    const turn = ++this.turn;
    try {
      const entry = await this.load(note);
      if (turn !== this.turn) return;
      this.draw(entry);
      if (!isSame) this.el.scrollTop = 0;
    } catch (error) {
      if (turn === this.turn) this.showError(error);
    }
  }

  private showNothing(): void {
    const { words } = this.host;
    showEmpty(this.host, this.el, { icon: "file-text", title: words.consoleEmptyTitle, text: words.consoleEmptyText });
  }

  private showError(error: unknown): void {
    this.el.empty();
    const text = explainError(this.host, error);
    showEmpty(this.host, this.el, { icon: "alert-circle", title: this.host.words.errorTitle, text });
  }

  private draw(entry: Entry): void {
    this.el.empty();
    const article = this.el.createEl("article", { cls: "vs-prose" });
    const lang = entry.properties["lang"];
    if (typeof lang === "string" && /^[a-z]{2}/.test(lang)) article.setAttribute("lang", lang === "zh" ? "zh-CN" : lang);
    article.createEl("h1", { text: entry.title });
    article.createEl("p", { cls: "vs-byline", text: byline(entry) });
    if (entry.property_error) {
      const banner = article.createDiv({ cls: "vs-callout is-warn" });
      appendIcon(this.host, banner, "alert-circle");
      banner.createDiv().createEl("p", { text: this.host.words.frontmatterBroken(entry.property_error) });
    }
    const parsed = new DOMParser().parseFromString(entry.html, "text/html");
    const first = parsed.body.firstElementChild;
    if (first?.tagName === "H1" && first.textContent.trim() === entry.title) first.remove();
    for (const link of parsed.querySelectorAll<HTMLAnchorElement>("a.vs-note-link")) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        if (link.dataset["note"]) this.host.openNote(link.dataset["note"], false);
      });
    }
    for (const link of parsed.querySelectorAll<HTMLAnchorElement>("a[href^=http]")) link.target = "_blank";
    article.append(...parsed.body.childNodes);
  }
}

function byline(entry: Entry): string {
  const text = (key: string): string => (typeof entry.properties[key] === "string" ? entry.properties[key] : "");
  return [text("site"), text("author"), text("published"), entry.path].filter(Boolean).join(" · ");
}
