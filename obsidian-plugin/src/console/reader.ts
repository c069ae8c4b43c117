import { locale, words } from "../i18n";
import type { Entry, Picture } from "../api/client";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { appendIcon, explainError, showEmpty } from "../ui/dom";
import { ownWords } from "./words";

/** Shows one note. The HTML comes cleaned from the sidecar and is parsed without running anything. */
export class Reader {
  private note: string | null = null;
  private turn = 0;
  /** Addresses of the pictures shown, in this page's memory; let go with the note. */
  private readonly shown: string[] = [];

  constructor(
    private readonly el: HTMLElement,
    private readonly host: Host,
    connection: Connection,
    private readonly load: (note: string) => Promise<Entry>,
    private readonly picture: (path: string) => Promise<Picture>,
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

  /** Nothing is chosen. */
  clear(): void {
    this.note = null;
    this.turn++;
    this.el.empty();
    this.showNothing();
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
    const own = ownWords(locale);
    showEmpty(this.host, this.el, { icon: "file-text", title: own.consoleEmptyTitle, text: own.consoleEmptyText });
  }

  private showError(error: unknown): void {
    this.el.empty();
    const text = explainError(error);
    showEmpty(this.host, this.el, { icon: "alert-circle", title: words.errorTitle, text });
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
      appendIcon(banner, "alert-circle");
      banner.createDiv().createEl("p", { text: words.frontmatterBroken(entry.property_error) });
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
    for (const address of this.shown.splice(0)) URL.revokeObjectURL(address);
    const turn = this.turn;
    for (const place of article.querySelectorAll<HTMLElement>(".vs-image[data-picture]")) void this.showPicture(place, turn);
  }

  /** Put a picture of the vault in the place of its words; if it cannot be had, they stay. */
  private async showPicture(place: HTMLElement, turn: number): Promise<void> {
    const picture = await this.picture(place.dataset["picture"] ?? "").catch(() => null);
    if (!picture || turn !== this.turn) return;
    const bytes = Uint8Array.from(atob(picture.data), (char) => char.charCodeAt(0));
    const address = URL.createObjectURL(new Blob([bytes], { type: picture.type }));
    this.shown.push(address);
    const image = document.createElement("img");
    image.src = address;
    image.alt = place.textContent.trim();
    image.title = picture.path;
    place.replaceWith(image);
  }
}

function byline(entry: Entry): string {
  const text = (key: string): string => (typeof entry.properties[key] === "string" ? entry.properties[key] : "");
  return [text("site"), text("author"), text("published"), entry.path].filter(Boolean).join(" · ");
}
