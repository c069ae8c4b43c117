import { words } from "../i18n";
import type { Moc } from "../api/client";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { appendIcon, div, explainError, formatCount, formatTime, iconButton, showEmpty, span, make } from "../ui/dom";
import { Pane } from "../ui/pane";

const FEW = 8;

/** The map of content: counts, hubs, topics, recent captures, orphans. */
export class MapPane extends Pane {
  private moc: Moc | null = null;
  private readonly whole = new Set<string>();

  constructor(host: Host, connection: Connection) {
    super(host, connection, words.map);
  }

  protected concerns(event: string): boolean {
    return event === "moc-changed" || event === "graph-changed" || event === "reset";
  }

  protected drawHead(): void {
    make(this.head, "h2", "", words.map);
    iconButton(this.head, "search", words.search, () => this.host.search(""));
    iconButton(this.head, "file-text", words.openMap, () => {
      if (this.moc) this.host.openNote(this.moc.path, false);
    });
    iconButton(this.head, "refresh-cw", words.regenerate, () => void this.regenerate());
  }

  protected async load(): Promise<() => void> {
    const client = this.connection.client;
    if (!client) return () => undefined;
    const moc = await client.moc();
    return () => this.draw(moc);
  }

  private async regenerate(): Promise<void> {
    const client = this.connection.client;
    if (!client) return;
    try {
      const moc = await client.writeMoc();
      this.host.notify(moc.problem || words.regenerated(moc.path));
      await this.reload();
    } catch (error) {
      this.host.notify(explainError(error));
    }
  }

  private draw(moc: Moc): void {
    this.moc = moc;
    this.drawCounts(moc);
    if (moc.hubs_total === 0) {
      showEmpty(this.host, this.body, { icon: "network", title: words.mapIsSmall, text: words.mapIsSmallText(moc.counts["notes"] ?? 0) });
    } else {
      this.group("hubs", words.hubs, moc.hubs.length, (el) => this.drawHubs(el, moc));
    }
    if (moc.topics_total > 0) this.group("topics", words.topics, moc.topics_total, (el) => this.drawTopics(el, moc), false);
    if (moc.recent.length > 0) {
      this.group("recent", words.recent, moc.recent.length, (el) => {
        for (const item of moc.recent) this.drawLine(el, item.path, item.title, item.day ?? "");
      });
    }
    if (moc.orphans_total > 0) {
      this.group("orphans", words.orphans, moc.orphans_total, (el) => {
        for (const item of moc.orphans) this.drawLine(el, item.path, item.title, "");
        if (moc.orphans_total > moc.orphans.length) make(el, "p", "vs-hint", words.more(moc.orphans_total - moc.orphans.length));
      });
    }
    this.setFoot(moc.problem || words.mapUpdated(moc.path, formatTime(new Date())));
  }

  private drawCounts(moc: Moc): void {
    const layered = ["core", "wiki", "sources", "inbox"].some((layer) => (moc.counts[layer] ?? 0) > 0);
    const shown: [string, string][] = layered
      ? ["core", "wiki", "sources", "inbox"].map((layer) => [layer, words.layers[layer] ?? layer])
      : [["notes", words.notes]];
    const counts = div(this.body, "vs-counts");
    for (const [key, label] of shown) {
      const cell = counts.createDiv();
      make(cell, "b", "", formatCount(moc.counts[key] ?? 0));
      span(cell, "", label);
    }
  }

  private drawHubs(parent: HTMLElement, moc: Moc): void {
    const hubs = this.whole.has("hubs") ? moc.hubs : moc.hubs.slice(0, FEW);
    for (const hub of hubs) {
      const row = div(parent, "vs-hub");
      span(row, "vs-t", hub.title);
      const count = row.createSpan({ cls: "vs-n", attr: { "aria-label": words.inLinks(hub.in_links) } });
      appendIcon(count, "link");
      count.appendText(` ${formatCount(hub.in_links)}`);
      if (hub.gist) span(row, "vs-g", hub.gist);
      this.noteRow(row, hub.path);
    }
    const more = moc.hubs.length - hubs.length;
    if (more > 0) {
      this.moreRow(parent, "more-hubs", words.more(more), () => this.whole.add("hubs"));
    }
  }

  private drawTopics(parent: HTMLElement, moc: Moc): void {
    const topics = div(parent, "vs-topics");
    for (const topic of moc.topics.slice(0, this.whole.has("topics") ? undefined : 18)) {
      const tag = topic.tag;
      const button = make(topics, "button", "tag", `#${tag}`);
      span(button, "vs-num", formatCount(topic.count));
      button.addEventListener("click", () => this.host.search(`tag:${tag} `));
    }
  }

  private drawLine(parent: HTMLElement, path: string, title: string, right: string): void {
    const row = div(parent, "vs-hub");
    span(row, "vs-t", title);
    span(row, "vs-n", right);
    this.noteRow(row, path);
  }
}
