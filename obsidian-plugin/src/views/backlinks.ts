import type { Links, Mention } from "../api/client";
import { ApiError } from "../api/errors";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { appendContext, appendIcon, formatTime, showEmpty } from "../ui/dom";
import { Pane } from "../ui/pane";

type Back = Links["back"][number];
type Forward = Links["forward"][number];
type Related = Links["related"][number];

/** Linked and unlinked mentions, related notes and outgoing links of one note. */
export class BacklinksPane extends Pane {
  private note: string | null = null;
  private title = "";

  constructor(host: Host, connection: Connection) {
    super(host, connection, host.words.backlinks);
  }

  /** Follow another note; `null` when none is open. */
  setNote(path: string | null): void {
    if (path === this.note) return;
    this.note = path;
    this.title = "";
    this.forgetContent();
    if (path === null) this.showNoNote();
    else void this.reload();
  }

  protected concerns(event: string): boolean {
    return event === "graph-changed" || event === "note-changed" || event === "reset";
  }

  protected drawHead(): void {
    const name = this.note === null ? this.host.words.noNoteOpen : this.title || nameOf(this.note);
    this.head.createEl("h2", { text: name, cls: this.note === null ? "vs-muted" : "" });
  }

  protected async load(): Promise<() => void> {
    const client = this.connection.client;
    const note = this.note;
    if (!client || note === null) return () => this.drawNoNote();
    try {
      const links = await client.links(note);
      this.title = links.title;
      return () => this.draw(links);
    } catch (error) {
      // A note renamed or removed a moment ago: the host tells the new name by itself.
      if (error instanceof ApiError && error.code === "note-not-found") return () => this.drawNoNote();
      throw error;
    }
  }

  private showNoNote(): void {
    if (this.connection.state.kind === "ready") this.drawNow(() => this.drawNoNote());
  }

  private drawNoNote(): void {
    this.setFoot("");
    showEmpty(this.host, this.body, { icon: "file-text", text: this.host.words.openANote });
  }

  private draw(links: Links): void {
    const { words } = this.host;
    const own = links.back.filter((back) => !back.generated);
    const generated = links.back.filter((back) => back.generated);
    this.group("linked", words.linkedMentions, own.length, (el) => this.drawMentions(el, "linked", own));
    if (generated.length > 0) {
      if (!this.folded.has("generated-seen")) this.folded.add("generated-seen").add("generated");
      this.group("generated", words.generatedMentions, generated.length, (el) => this.drawMentions(el, "generated", generated));
    }
    this.group("unlinked", words.unlinkedMentions, links.mentions.length, (el) =>
      this.drawMentions(el, "unlinked", links.mentions, links.note),
    );
    this.group("related", words.related, links.related.length, (el) => links.related.forEach((item) => this.drawRelated(el, item)));
    this.group("outgoing", words.outgoing, links.forward.length, (el) => this.drawOutgoing(el, links.forward));
    if (own.length === 0 && links.mentions.length === 0) {
      const hint = links.related.length > 0 ? ` ${words.relatedIsAStart(links.related.length)}` : "";
      this.body.createEl("p", { cls: "vs-hint", text: words.nothingLinks + hint });
    }
    this.setFoot(words.upToDate(formatTime(this.host, new Date())));
  }

  private drawMentions(parent: HTMLElement, key: string, mentions: (Back | Mention)[], target?: string): void {
    const bySource = new Map<string, (Back | Mention)[]>();
    for (const mention of mentions) {
      const list = bySource.get(mention.source);
      if (list) list.push(mention);
      else bySource.set(mention.source, [mention]);
    }
    for (const [source, found] of bySource) {
      const note = parent.createDiv({ cls: "vs-note" });
      const fold = `${key}:${source}`;
      const open = !this.folded.has(fold);
      const row = this.foldRow(note, fold, found[0]?.title ?? source, String(found.length), open);
      row.setAttribute("title", source);
      if (open) this.drawContexts(note, source, found, target);
    }
  }

  private drawContexts(note: HTMLElement, source: string, found: (Back | Mention)[], target?: string): void {
    const box = note.createDiv({ cls: "vs-ctx" });
    let heading = "";
    for (const mention of found) {
      if (mention.heading && mention.heading !== heading) {
        heading = mention.heading;
        box.createEl("p", { cls: "vs-crumb", text: heading });
      }
      const line = box.createDiv({ cls: "vs-mention" });
      const text = line.createSpan({ cls: "vs-mention-text" });
      appendContext(text, mention);
      this.noteRow(line, source);
      if ("name" in mention && target && this.host.linkMention) {
        const button = line.createEl("button", { text: this.host.words.link, attr: { type: "button" } });
        button.addEventListener("click", (event) => {
          event.stopPropagation();
          void this.host.linkMention?.(mention, target);
        });
      }
    }
  }

  private drawRelated(parent: HTMLElement, related: Related): void {
    const { words } = this.host;
    const row = parent.createDiv({ cls: "vs-rel" });
    appendIcon(this.host, row, "file");
    row.createSpan({ cls: "vs-t", text: related.title });
    const tags = related.reasons["tags"] ?? [];
    const neighbours = related.reasons["neighbours"] ?? [];
    const reasons = [tags.length > 0 ? words.sharedTags(tags) : "", neighbours.length > 0 ? words.sharedNeighbours(neighbours.length) : ""];
    row.createSpan({ cls: "vs-r", text: reasons.filter(Boolean).join(" · ") });
    this.noteRow(row, related.path);
  }

  private drawOutgoing(parent: HTMLElement, links: Forward[]): void {
    const { words } = this.host;
    const byTarget = new Map<string, Forward[]>();
    for (const link of links) {
      const key = `${link.resolved ? "f" : "u"}:${link.target}`;
      byTarget.set(key, [...(byTarget.get(key) ?? []), link]);
    }
    for (const found of byTarget.values()) {
      const link = found[0];
      if (!link) continue;
      const row = parent.createDiv({ cls: link.resolved ? "vs-rel" : "vs-rel is-unresolved" });
      appendIcon(this.host, row, link.resolved ? "file" : "file-plus");
      row.createSpan({ cls: "vs-t", text: link.title });
      row.createSpan({ cls: "vs-n", text: link.resolved ? (found.length > 1 ? `×${found.length}` : "") : words.notWrittenYet });
      if (!link.resolved && link.wanted_by > 0) row.createSpan({ cls: "vs-r", text: words.alsoWanted(link.wanted_by) });
      if (link.resolved) this.noteRow(row, link.target);
      else if (this.host.createNote) {
        row.addClass("is-clickable");
        row.addEventListener("click", () => this.host.createNote?.(link.target));
      }
    }
  }
}

function nameOf(path: string): string {
  return path.split("/").pop()?.replace(/\.md$/i, "") ?? path;
}
