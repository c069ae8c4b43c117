import type { components } from "./contract.gen";
import { ApiError } from "./errors";

type Schemas = components["schemas"];
export type Status = Schemas["StatusAnswer"];
export type Links = Schemas["LinksAnswer"];
export type Mention = Schemas["MentionAnswer"];
export type Moc = Schemas["MocAnswer"];
export type SearchResult = Schemas["SearchAnswer"];
export type Hit = Schemas["HitAnswer"];
export type Entry = Schemas["EntryAnswer"];
export type Picture = Schemas["PictureAnswer"];
export type ItemAnswer = Schemas["ItemInfo"];
export type RunInfo = Schemas["RunInfo"];
export type Feeds = Schemas["FeedsAnswer"];
export type Subscription = Schemas["SubscriptionInfo"];
export type Preference = Schemas["PreferenceAnswer"];
export type Graph = Pick<Schemas["GraphAnswer"], "nodes" | "edges">;
export type Job = Schemas["JobAnswer"];
export type SidecarEvent = Schemas["EventAnswer"];
export type Events = Schemas["EventsAnswer"];

/** One link's outcome within an ingest job's result. */
export interface IngestResult {
  status: "created" | "duplicate" | "buried" | "failed";
  url: string;
  path?: string;
  title?: string;
  site?: string;
  published?: string;
  words?: number;
  images?: string[];
  body_state?: "full" | "summary_only" | "missing";
  warnings?: string[];
  error?: { code: string; detail: string; fix: string };
  /** When a failed link is tried again by itself, or null if it is not. */
  retry_at?: string | null;
}

/** Carries one request to the sidecar. Throws `Unreachable` if nobody answers. */
export interface Transport {
  readonly url: string;
  send(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<{ status: number; json: unknown }>;
}

type Query = Record<string, string | number | boolean>;

/** The sidecar's API, typed by its own OpenAPI document. */
export class SidecarClient {
  constructor(private readonly transport: Transport) {}

  get url(): string {
    return this.transport.url;
  }

  status(): Promise<Status> {
    return this.get("/api/kb/status");
  }

  events(since: number, waitSeconds: number): Promise<Events> {
    return this.get("/api/kb/events", { since, wait_s: waitSeconds });
  }

  links(note: string, limit: number): Promise<Links> {
    return this.get("/api/kb/links", { note, limit });
  }

  feeds(): Promise<Feeds> {
    return this.get("/api/kb/feeds");
  }

  addFeed(feed: { url: string; title: string; tags: string[] }): Promise<unknown> {
    return this.call("POST", "/api/kb/feeds", feed);
  }

  setFeed(id: string, set: Record<string, string | number | boolean | string[] | null>): Promise<unknown> {
    return this.call("POST", "/api/kb/feeds/set", { id, set });
  }

  removeFeed(id: string): Promise<unknown> {
    return this.call("DELETE", `/api/kb/feeds?id=${encodeURIComponent(id)}`);
  }

  testFeed(id: string): Promise<Schemas["TestFeedAnswer"]> {
    return this.call("POST", "/api/kb/feeds/test", { id, limit: 50 });
  }

  importFeeds(text: string): Promise<Schemas["ImportAnswer"]> {
    return this.call("POST", "/api/kb/feeds/import", { text });
  }

  exportFeeds(): Promise<Schemas["ExportAnswer"]> {
    return this.get("/api/kb/feeds/export");
  }

  loginFeed(id: string): Promise<Schemas["LoginAnswer"]> {
    return this.call("POST", "/api/kb/feeds/login", { id });
  }

  preference(): Promise<Preference> {
    return this.get("/api/kb/preference");
  }

  setPreference(set: { path: (string | number)[]; value: unknown }[], remove: (string | number)[][]): Promise<Preference> {
    return this.call("POST", "/api/kb/preference", { set, remove });
  }

  runs(): Promise<Schemas["RunsAnswer"]> {
    return this.get("/api/kb/runs");
  }

  run(): Promise<Job> {
    return this.call("POST", "/api/kb/runs", {});
  }

  brief(date: string): Promise<Schemas["BriefAnswer"]> {
    return this.get("/api/kb/brief", date ? { date } : {});
  }

  items(query: Query): Promise<Schemas["ItemsAnswer"]> {
    return this.get("/api/kb/items", query);
  }

  item(id: string): Promise<Schemas["ItemAnswer"]> {
    return this.get(`/api/kb/items/${encodeURIComponent(id)}`);
  }

  feedback(id: string, what: { action: string; tier?: string; why?: string }): Promise<Schemas["FeedbackAnswer"]> {
    return this.call("POST", `/api/kb/items/${encodeURIComponent(id)}/feedback`, what);
  }

  archiveItems(ids: string[], undo: boolean): Promise<unknown> {
    return this.call("POST", "/api/kb/items/archive", { ids, undo });
  }

  exportItems(what: { ids: string[] } | { filter: Query }): Promise<Schemas["ExportItemsAnswer"]> {
    return this.call("POST", "/api/kb/items/export", what);
  }

  clearItems(filter: Query, confirm: string): Promise<Schemas["ClearItemsAnswer"]> {
    return this.call("POST", "/api/kb/items/clear", { filter, confirm });
  }

  rebuild(): Promise<Schemas["RebuildAnswer"]> {
    return this.call("POST", "/api/kb/rebuild", {});
  }

  itemPicture(item: string): Promise<Picture> {
    return this.get("/api/kb/picture", { item });
  }

  health(): Promise<Schemas["HealthAnswer"]> {
    return this.get("/api/kb/health");
  }

  docket(): Promise<Schemas["DocketAnswer"]> {
    return this.get("/api/kb/docket");
  }

  chewable(): Promise<Schemas["ChewAnswer"]> {
    return this.get("/api/kb/chew");
  }

  promote(wish: Record<string, string>): Promise<Schemas["PromoteAnswer"]> {
    return this.call("POST", "/api/kb/promote", wish);
  }

  wasRead(note: string): Promise<unknown> {
    return this.call("POST", "/api/kb/signals", { kind: "read", notes: [note], door: "plugin" });
  }

  switches(): Promise<Schemas["SwitchesAnswer"]> {
    return this.get("/api/kb/agent/switches");
  }

  setSwitches(change: { inject?: boolean; context?: boolean }): Promise<unknown> {
    return this.call("POST", "/api/kb/agent/switches", change);
  }

  confirm(note: string): Promise<unknown> {
    return this.call("POST", "/api/kb/confirm", { note });
  }

  graph(): Promise<Graph> {
    return this.get("/api/kb/graph");
  }

  neighbourhood(note: string): Promise<Graph> {
    return this.get("/api/kb/graph/neighbourhood", { note, depth: 2, limit: 400 });
  }

  moc(): Promise<Moc> {
    return this.get("/api/kb/moc");
  }

  writeMoc(): Promise<Moc> {
    return this.call("POST", "/api/kb/moc", {});
  }

  search(q: string, limit: number): Promise<SearchResult> {
    return this.get("/api/kb/search", { q, limit, typing: true });
  }

  entry(note: string): Promise<Entry> {
    return this.get("/api/kb/entry", { note, render: true });
  }

  picture(path: string): Promise<Picture> {
    return this.get("/api/kb/picture", { path });
  }

  restart(): Promise<unknown> {
    return this.call("POST", "/api/kb/restart", {});
  }

  ingest(urls: string[], tags: string[], force: boolean): Promise<Job> {
    return this.call("POST", "/api/kb/ingest", { urls, tags, force });
  }

  job(id: string): Promise<Job> {
    return this.get(`/api/kb/jobs/${encodeURIComponent(id)}`);
  }

  cancel(id: string): Promise<Job> {
    return this.call("DELETE", `/api/kb/jobs/${encodeURIComponent(id)}`);
  }

  private get<T>(path: string, query: Query = {}): Promise<T> {
    const search = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)])).toString();
    return this.call("GET", search ? `${path}?${search}` : path);
  }

  private async call<T>(method: "GET" | "POST" | "DELETE", path: string, body?: unknown): Promise<T> {
    const { status, json } = await this.transport.send(method, path, body);
    if (status >= 400) {
      const problem = (json ?? {}) as { code?: string; detail?: string; fix?: string };
      throw new ApiError(status, problem.code ?? "unexpected", problem.detail ?? `HTTP ${status}`, problem.fix ?? "");
    }
    return json as T;
  }
}
