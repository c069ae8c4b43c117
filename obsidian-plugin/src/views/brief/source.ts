import { words } from "../../i18n";
import type { ItemAnswer, Job, RunInfo, SidecarClient } from "../../api/client";
import { Unreachable } from "../../api/errors";
import { formatTime } from "../../ui/dom";
import { TIERS, type Failure, type Filter, type Found, type Item, type Kind, type Report, type Runs, type Tier, type Today, type View } from "./model";

export const PAGE = 40;
const REPORTS = 60;
const GOOD = ["ok", "unchanged"];
const TOP = 6;
/** Without verdicts only a few lead. */
const TOP_UNJUDGED = 3;
/** Candidates that nobody has judged have been offered to a judge. */
const WAITING = "queued";

/** A line of a brief as its file holds it. */
interface Line {
  id: string;
  url: string;
  kind: string;
  score: number;
}

/** The note of a day's brief: its HTML, and the item behind each address in it. */
export interface Note {
  path: string;
  html: string;
  items: Map<string, string>;
}

/** A brief as its file holds it. */
interface BriefFile {
  state: string;
  seen: number;
  candidates: number;
  judged: number;
  worth: Line[];
  rest: { items: Line[] }[];
  waiting: number;
  reasons: Record<string, number>;
  failures: { sub: string; status: string; reason: string }[];
}

/** What an item's match holds. */
interface Match {
  themes?: { theme: string; keywords: string[]; where: string }[];
  parts?: Record<string, number>;
}

/** What the sidecar says about items, runs and briefs, as the panel shows it. */
export class BriefSource {
  private titles = new Map<string, string>();
  private readonly pictures = new Map<string, string>();

  constructor(private readonly ask: () => SidecarClient | null) {}

  /** Let go of pictures. */
  forget(): void {
    for (const address of this.pictures.values()) URL.revokeObjectURL(address);
    this.pictures.clear();
  }

  private get client(): SidecarClient {
    const client = this.ask();
    if (!client) throw new Unreachable();
    return client;
  }

  async runs(): Promise<Runs> {
    const [runs, feeds] = await Promise.all([this.client.runs(), this.client.feeds()]);
    this.titles = new Map(feeds.subscriptions.map((one) => [one.id, one.title || one.id]));
    const { last } = runs;
    return {
      set: feeds.state,
      problem: feeds.problem ? `${words.fileAt("preference.yaml", feeds.problem.line, feeds.problem.column)}: ${feeds.problem.message}` : "",
      last: last?.finished || last?.started || "",
      next: runs.next,
      running: runs.running ? { done: 0, total: runs.subscriptions } : null,
      waiting: runs.waiting,
      left: runs.channel === "none" ? null : runs.left_today,
      failed: last ? this.failures(last) : [],
      lastFailed: last?.status === "failed" ? last.error : "",
      subscriptions: runs.subscriptions,
      all: runs.runs,
    };
  }

  private failures(run: RunInfo): Failure[] {
    const found = Object.entries(run.per_sub as Record<string, { status: string; reason?: string }>);
    return found.filter(([, one]) => !GOOD.includes(one.status)).map(([id, one]) => ({ id, title: this.titleOf(id), status: one.status, reason: one.reason ?? "" }));
  }

  private titleOf(id: string): string {
    return this.titles.get(id) ?? id;
  }

  async today(runs: Runs): Promise<Today> {
    const [answer, page] = await Promise.all([this.client.brief(""), this.client.items({ sort: "tier", limit: 200 })]);
    const brief = answer.brief as unknown as BriefFile;
    const known = new Map(page.items.map((item) => [item.id, item]));
    const rest = brief.rest.flatMap((group) => group.items).sort((a, b) => b.score - a.score);
    const lead = brief.worth.length > 0 ? brief.worth.slice(0, TOP) : brief.judged > 0 ? [] : rest.slice(0, TOP_UNJUDGED);
    const below = rest.filter((one) => !lead.includes(one));
    const fetched = async (lines: Line[]): Promise<Item[]> => {
      const found = await Promise.all(lines.map(async (one) => known.get(one.id) ?? (await this.client.item(one.id).then((answer) => answer.item, () => null))));
      return found.filter((one) => one !== null && one.status !== "archived").map((one) => this.toItem(one as ItemAnswer));
    };
    const videos = below.filter((one) => one.kind === "video");
    const texts = below.filter((one) => one.kind !== "video");
    const [top, videoItems, textItems] = await Promise.all([fetched(lead), fetched(videos.slice(0, 4)), fetched(texts.slice(0, 4))]);
    return {
      date: answer.day,
      seen: brief.seen,
      fresh: brief.candidates,
      candidates: brief.candidates,
      judged: brief.judged,
      worth: brief.worth.length,
      waiting: brief.waiting || (brief.state === "ranked" ? rest.length : 0),
      aside: Object.entries(brief.reasons).map(([reason, count]) => ({ reason, count })).sort((a, b) => b.count - a.count),
      failed: brief.failures.map((one) => ({ id: one.sub, title: this.titleOf(one.sub), status: one.status, reason: one.reason })),
      subscriptions: runs.subscriptions,
      unjudged: brief.state === "ranked" || brief.state === "waiting",
      top,
      videos: videoItems,
      articles: textItems,
      videoTotal: videos.length,
      articleTotal: texts.length,
    };
  }

  private query(view: View, filter: Filter): Record<string, string | number | boolean> {
    const [tier = ""] = filter.tier;
    const [status = ""] = filter.status;
    const query: Record<string, string | number | boolean> = { sort: filter.sort };
    if (view === "video" || view === "article") query["kind"] = view;
    else if (filter.kind[0]) query["kind"] = filter.kind[0];
    if (tier === "new") query["status"] = WAITING;
    else if (tier) query["tier"] = tier;
    if (status) {
      const [name = "", reason = ""] = status.split(":");
      query["status"] = name;
      if (reason) query["reason"] = reason;
    }
    if (filter.theme[0]) query["theme"] = filter.theme[0];
    if (filter.subscription[0]) query["subscription"] = filter.subscription[0];
    if (filter.q) query["q"] = filter.q;
    if (filter.since) query["since"] = new Date(Date.now() - Number(filter.since) * 86_400_000).toISOString().slice(0, 10);
    return query;
  }

  async find(view: View, filter: Filter): Promise<Found> {
    const page = await this.client.items({ ...this.query(view, filter), limit: PAGE, offset: filter.page * PAGE });
    const facet = (name: string, label: (value: string) => string = (value) => value): { value: string; label: string; count: number }[] =>
      Object.entries(page.facets[name] ?? {}).map(([value, count]) => ({ value, label: label(value), count }));
    const waiting = page.facets["status"]?.[WAITING] ?? 0;
    return {
      total: page.total,
      all: Object.values(page.facets["status"] ?? {}).reduce((sum, count) => sum + count, 0),
      items: page.items.map((item) => this.toItem(item)),
      facets: {
        tier: [...facet("tier"), ...(waiting > 0 ? [{ value: "new", label: "", count: waiting }] : [])].sort((a, b) => TIERS.indexOf(a.value as Tier) - TIERS.indexOf(b.value as Tier)),
        kind: facet("kind"),
        theme: facet("theme"),
        subscription: facet("sub", (id) => this.titleOf(id)),
        status: facet("status"),
      },
    };
  }

  async item(id: string): Promise<Item> {
    const { item } = await this.client.item(id);
    if (!item.seen) void this.feedback(id, "seen").catch(() => undefined);
    return { ...this.toItem(item), body: item.body };
  }

  private toItem(item: ItemAnswer): Item {
    const match = item.match as Match;
    const named = Object.entries(match.parts ?? {}).map(([name, value]) => {
      const [kind = "", ...rest] = name.split(" ");
      return { name: kind, text: kind === "like" ? rest.join(" ").replace(/^.*\/|\.md$/g, "") : rest.join(" "), value };
    });
    return {
      id: item.id,
      kind: item.kind as Kind,
      title: item.title || item.url,
      url: item.url,
      source: this.titleOf(item.sub),
      author: item.author,
      published: item.published,
      lang: item.lang,
      thumb: item.thumb !== "",
      seconds: item.duration_s ?? 0,
      bodyState: item.body_state,
      tier: item.tier === "" ? "new" : (item.tier as Tier),
      why: item.why,
      line: item.one_line,
      verified: item.verified,
      by: item.judged_by,
      match: (match.themes ?? []).flatMap((one) => one.keywords.map((word) => ({ word, where: one.where, theme: one.theme }))),
      parts: named,
      score: item.score,
      status: item.status,
      reason: item.status === "archived" ? item.reason : "",
      note: item.note,
      seen: item.seen,
      body: "",
    };
  }

  async reports(runs: Runs): Promise<Report[]> {
    const { days } = await this.client.brief("");
    return days.slice(0, REPORTS).map((day) => {
      const own = runs.all.filter((run) => run.day === day);
      const failed = own.find((run) => run.status === "failed");
      const fresh = own.reduce((sum, run) => sum + run.new, 0);
      return {
        date: day,
        failed: failed !== undefined,
        summary: failed ? `${words.runFailed}: ${failed.error}` : own.length > 0 ? words.newCount(fresh) : "",
        runs: own.map((run) => formatTime(new Date(run.started))).reverse().join(words.comma),
      };
    });
  }

  /** The note of a day's brief, as HTML that the sidecar cleaned. */
  async report(day: string): Promise<Note> {
    const { path, brief } = await this.client.brief(day);
    const { worth = [], rest = [] } = brief as unknown as Partial<BriefFile>;
    const items = new Map([...worth, ...rest.flatMap((group) => group.items)].map((line) => [line.url, line.id]));
    return { path, items, html: path ? (await this.client.entry(path)).html : "" };
  }

  run(): Promise<Job> {
    return this.client.run();
  }

  feedback(id: string, action: string): Promise<unknown> {
    return this.client.feedback(id, { action });
  }

  overrule(id: string, tier: Tier, why: string): Promise<unknown> {
    return this.client.feedback(id, { action: "overrule", tier, why });
  }

  archive(ids: string[], undo: boolean): Promise<unknown> {
    return this.client.archiveItems(ids, undo);
  }

  async save(item: Item): Promise<string> {
    return (await this.client.feedback(item.id, { action: "save" })).note;
  }

  async exportText(filter: Filter, ids: string[]): Promise<string> {
    return (await this.client.exportItems(ids.length > 0 ? { ids } : { filter: this.query("library", filter) })).markdown;
  }

  /** Put an item's picture into its place; it comes from the sidecar, never from the site. */
  async picture(el: HTMLElement, item: Item): Promise<void> {
    let address = this.pictures.get(item.id);
    if (!address) {
      const picture = await this.client.itemPicture(item.id).catch(() => null);
      if (!picture) return;
      address = URL.createObjectURL(new Blob([Uint8Array.from(atob(picture.data), (char) => char.charCodeAt(0))], { type: picture.type }));
      this.pictures.set(item.id, address);
    }
    if (el.isConnected) el.prepend(el.createEl("img", { attr: { src: address, alt: "" } }));
  }
}
