import type { RunInfo } from "../../api/client";

/** What the brief's views show; made from the sidecar's answers in `source.ts`, and from nothing else. */

export type Tier = "worth" | "okay" | "skip" | "new";
export type Kind = "video" | "article" | "note";
export type View = "today" | "video" | "article" | "reports" | "library";
export const VIEWS: readonly View[] = ["today", "video", "article", "reports", "library"];
export const TIERS: readonly Tier[] = ["worth", "okay", "skip", "new"];

/** One part of why an item stands where it stands, as the sidecar summed it. */
export interface Part {
  name: string;
  text: string;
  value: number;
}

export interface Item {
  id: string;
  kind: Kind;
  title: string;
  url: string;
  source: string;
  author: string;
  published: string;
  lang: string;
  /** Whether there is a picture to ask for. */
  thumb: boolean;
  seconds: number;
  bodyState: string;
  tier: Tier;
  why: string;
  line: string;
  verified: string;
  /** Who judged: agent, endpoint, owner. */
  by: string;
  /** Keyword, the first place where one of its theme stands, the theme. */
  match: { word: string; where: string; theme: string }[];
  parts: Part[];
  score: number;
  status: string;
  reason: string;
  /** The note it became, or empty. */
  note: string;
  seen: boolean;
  body: string;
}

export interface Filter {
  q: string;
  tier: string[];
  kind: string[];
  theme: string[];
  subscription: string[];
  status: string[];
  since: "" | "7" | "30" | "365";
  sort: "new" | "tier" | "weight";
  page: number;
}

export type Facet = "tier" | "kind" | "theme" | "subscription" | "status";
export const FACETS: readonly Facet[] = ["tier", "kind", "theme", "subscription", "status"];

export const NO_FILTER: Filter = { q: "", tier: [], kind: [], theme: [], subscription: [], status: [], since: "", sort: "new", page: 0 };

export interface Found {
  total: number;
  all: number;
  items: Item[];
  facets: Partial<Record<Facet, { value: string; label: string; count: number }[]>>;
}

export interface Failure {
  id: string;
  title: string;
  status: string;
  reason: string;
}

export interface Today {
  date: string;
  seen: number;
  fresh: number;
  candidates: number;
  judged: number;
  worth: number;
  waiting: number;
  aside: { reason: string; count: number }[];
  failed: Failure[];
  subscriptions: number;
  unjudged: boolean;
  top: Item[];
  videos: Item[];
  articles: Item[];
  videoTotal: number;
  articleTotal: number;
}

export interface Report {
  date: string;
  summary: string;
  runs: string;
  failed: boolean;
}

/** The capsule: how the runs stand. */
export interface Runs {
  set: "ready" | "not-set-up" | "empty" | "invalid";
  problem: string;
  last: string;
  next: string;
  running: { done: number; total: number } | null;
  waiting: number;
  /** Verdicts that the day still takes, or `null` if nobody judges. */
  left: number | null;
  failed: Failure[];
  lastFailed: string;
  subscriptions: number;
  all: RunInfo[];
}

/** Where the panel stands; kept on this device. */
export interface Place {
  view: View;
  filters: Partial<Record<View, Filter>>;
  scroll: Partial<Record<View, number>>;
  open: string;
  /** The article or report in the reading column. */
  reading: Partial<Record<View, string>>;
}

/** Read what was kept; anything else than a place is none. */
export function readPlace(kept: unknown): Place {
  const found = (typeof kept === "object" && kept !== null ? kept : {}) as Partial<Place>;
  const table = <T>(value: unknown): Partial<Record<View, T>> => (typeof value === "object" && value !== null ? (value) : {});
  const filters: Place["filters"] = {};
  for (const view of VIEWS) {
    const filter = table<Filter>(found.filters)[view];
    if (filter) filters[view] = { ...NO_FILTER, ...filter };
  }
  return {
    view: VIEWS.find((view) => view === found.view) ?? "today",
    filters,
    scroll: table<number>(found.scroll),
    open: typeof found.open === "string" ? found.open : "",
    reading: table<string>(found.reading),
  };
}

/** Count what narrows a list. */
export function countFilters(filter: Filter): number {
  return FACETS.reduce((sum, facet) => sum + filter[facet].length, 0) + (filter.since ? 1 : 0) + (filter.q ? 1 : 0);
}
