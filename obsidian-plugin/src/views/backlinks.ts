import { words } from "../i18n";
import type { Links, Mention } from "../api/client";
import { ApiError } from "../api/errors";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { appendContext, appendIcon, div, formatTime, showEmpty, span, make } from "../ui/dom";
import { Pane } from "../ui/pane";

type Back = Links["back"][number];
type Forward = Links["forward"][number];
type Related = Links["related"][number];

/** How many back-links are asked for at first, and with each "more". */
const PAGE = 100;
const ATTACHMENT = /\.(avif|bmp|gif|jpe?g|png|svg|webp|3gp|flac|m4a|mkv|mov|mp3|mp4|ogg|ogv|pdf|wav|webm|zip)$/i;

/** Linked and unlinked mentions, related notes and outgoing links of one note. */
export class BacklinksPane extends Pane {
  private note: string | null = null;
  private title = "";
  private limit = PAGE;

  constructor(host: Host, connection: Connection) {
    super(host, connection, words.backlinks);
  }

  /** Follow another note; `null` when none is open. */
  setNote(path: string | null): void {
    if (path === this.note) return;
    this.note = path;
    this.title = "";
    this.limit = PAGE;
    this.forgetContent();
    if (path === null) this.showNoNote();
    else void this.reload();
  }

  showRelated(): void {
    for (const key of ["linked", "unlinked", "outgoing", "unwritten"]) this.folded.add(key);
    this.folded.delete("related");
    void this.reload();
  }

  protected concerns(event: string): boolean {
    return event === "graph-changed" || event === "note-changed" || event === "reset";
  }

  protected drawHead(): void {
    const name = this.note === null ? words.noNoteOpen : this.title || nameOf(this.note);
    make(this.head, "h2", this.note === null ? "vs-muted" : "", name);
  }

  protected async load(): Promise<() => void> {
    const client = this.connection.client;
    const note = this.note;
    if (!client || note === null) return () => this.drawNoNote();
    try {
      const links = await client.links(note, this.limit);
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
    showEmpty(this.host, this.body, { icon: "file-text", text: words.openANote });
  }

  private draw(links: Links): void {
    const own = links.back.filter((back) => !back.generated);
    const generated = links.back.filter((back) => back.generated);
    const left = links.back_total - links.back.length;
    this.group("linked", words.linkedMentions, own.length + left, (el) => {
      this.drawMentions(el, "linked", own);
      if (left > 0) {
        this.moreRow(el, "more-linked", words.more(left), () => {
          this.limit = Math.min(this.limit * 5, 5000);
        });
      }
    });
    if (generated.length > 0) {
      if (!this.folded.has("generated-seen")) this.folded.add("generated-seen").add("generated");
      this.group("generated", words.generatedMentions, generated.length, (el) => this.drawMentions(el, "generated", generated));
    }
    this.group("unlinked", words.unlinkedMentions, links.mentions.length, (el) =>
      this.drawMentions(el, "unlinked", links.mentions, links.note),
    );
    this.group("related", words.related, links.related.length, (el) => links.related.forEach((item) => this.drawRelated(el, item)));
    const outgoing = byTarget(links.forward.filter((link) => link.resolved));
    const unwritten = byTarget(links.forward.filter((link) => !link.resolved && !ATTACHMENT.test(link.target)));
    const missing = byTarget(links.forward.filter((link) => !link.resolved && ATTACHMENT.test(link.target)));
    this.group("outgoing", words.outgoing, outgoing.length, (el) => outgoing.forEach((found) => this.drawOutgoing(el, found)));
    if (unwritten.length > 0) this.group("unwritten", words.unwritten, unwritten.length, (el) => unwritten.forEach((found) => this.drawUnwritten(el, found)));
    if (missing.length > 0) {
      this.group("missing", words.missingFiles, missing.length, (el) => {
        for (const [link] of missing) if (link) this.outRow(el, link, "file", "");
      });
    }
    if (own.length === 0 && links.mentions.length === 0) {
      const hint = links.related.length > 0 ? ` ${words.relatedIsAStart(links.related.length)}` : "";
      make(this.body, "p", "vs-hint", words.nothingLinks + hint);
    }
    this.setFoot(words.upToDate(formatTime(new Date())));
  }

  private drawMentions(parent: HTMLElement, key: string, mentions: (Back | Mention)[], target?: string): void {
    const bySource = new Map<string, (Back | Mention)[]>();
    for (const mention of mentions) {
      const list = bySource.get(mention.source);
      if (list) list.push(mention);
      else bySource.set(mention.source, [mention]);
    }
    for (const [source, found] of bySource) {
      const note = div(parent, "vs-note");
      const fold = `${key}:${source}`;
      const open = !this.folded.has(fold);
      const row = this.foldRow(note, fold, found[0]?.title ?? source, String(found.length), open);
      row.setAttribute("title", source);
      if (open) this.drawContexts(note, source, found, target);
    }
  }

  private drawContexts(note: HTMLElement, source: string, found: (Back | Mention)[], target?: string): void {
    const box = div(note, "vs-ctx");
    let heading = "";
    for (const mention of found) {
      if (mention.heading && mention.heading !== heading) {
        heading = mention.heading;
        make(box, "p", "vs-crumb", heading);
      }
      const line = div(box, "vs-mention");
      const text = span(line, "vs-mention-text");
      appendContext(text, mention);
      this.noteRow(line, source);
      if ("name" in mention && target && this.host.linkMention) {
        const button = make(line, "button", "", words.link);
        button.addEventListener("click", (event) => {
          event.stopPropagation();
          void this.host.linkMention?.(mention, target);
        });
      }
    }
  }

  private drawRelated(parent: HTMLElement, related: Related): void {
    const row = div(parent, "vs-rel");
    appendIcon(row, "file");
    span(row, "vs-t", related.title);
    const { tags = [], neighbours = [], text = [] } = related.reasons;
    const reasons = [
      tags.length > 0 ? words.sharedTags(tags) : "",
      neighbours.length > 0 ? words.sharedNeighbours(neighbours.length) : "",
      text.length > 0 ? words.sharedWords(text.slice(0, 4)) : "",
    ];
    span(row, "vs-r", reasons.filter(Boolean).join(" · "));
    row.setAttribute("title", [...tags.map((tag) => `#${tag}`), ...neighbours, ...text].join("\n"));
    this.noteRow(row, related.path);
  }

  private outRow(parent: HTMLElement, link: Forward, icon: string, right: string): HTMLElement {
    const row = parent.createDiv({ cls: link.resolved ? "vs-rel" : "vs-rel is-unresolved", attr: { title: link.target } });
    appendIcon(row, icon);
    span(row, "vs-t", link.title);
    span(row, "vs-n", right);
    row.setAttribute("role", "treeitem");
    return row;
  }

  private drawOutgoing(parent: HTMLElement, found: Forward[]): void {
    const link = found[0];
    if (!link) return;
    this.noteRow(this.outRow(parent, link, ATTACHMENT.test(link.target) ? "image" : "file", found.length > 1 ? `×${found.length}` : ""), link.target);
  }

  private drawUnwritten(parent: HTMLElement, found: Forward[]): void {
    const link = found[0];
    if (!link) return;
    const row = this.outRow(parent, link, "file-plus", words.notWrittenYet);
    const known = link.known_otherwise?.[0];
    if (link.wanted_by > 0) span(row, "vs-r", words.alsoWanted(link.wanted_by));
    if (known) span(row, "vs-r", words.knownAs(nameOf(known)));
    if (!this.host.createNote) return;
    row.addClass("is-clickable");
    row.setAttribute("tabindex", "-1");
    row.setAttribute("data-row", `new:${link.target}`);
    row.addEventListener("click", () => this.host.createNote?.(link.target));
  }
}

/** Links to the same target together, in the order of the note. */
function byTarget(links: Forward[]): Forward[][] {
  const groups = new Map<string, Forward[]>();
  for (const link of links) groups.set(link.target, [...(groups.get(link.target) ?? []), link]);
  return [...groups.values()];
}

function nameOf(path: string): string {
  return path.split("/").pop()?.replace(/\.md$/i, "") ?? path;
}
