import { locale, words } from "../i18n";
import type { SidecarClient } from "../api/client";
import { ApiError, Unreachable } from "../api/errors";

/** One of the five conditions, as a person reads it. */
export interface Condition {
  key: string;
  state: string;
  figure: string;
  detail: string;
  why: string;
}

export interface Dying {
  path: string;
  title: string;
  layer: string;
  conditions: Condition[];
}

export interface Stat {
  key: string;
  figure: string;
  beside: string;
  share?: number;
  months: number[];
}

export interface Health {
  observed: number;
  stats: Stat[];
  expiring: { path: string; title: string; days: number }[];
  chewable: { path: string; title: string }[];
  tidy: { key: string; count: number }[];
}

const DAY_MS = 86_400_000;

function daysBetween(from: string, to: string): number {
  return from ? Math.floor((new Date(to).getTime() - new Date(from).getTime()) / DAY_MS) : 0;
}

/** What the sidecar says of the vault's metabolism, as the view shows it. */
export class MetabolismSource {
  constructor(private readonly ask: () => SidecarClient | null) {}

  /** Whether a promotion was refused because the core takes no more. */
  static isFull(error: unknown): boolean {
    return error instanceof ApiError && error.fix.includes("--displace");
  }

  private get client(): SidecarClient {
    const client = this.ask();
    if (!client) throw new Unreachable();
    return client;
  }

  async health(): Promise<Health> {
    const found = await this.client.health();
    const chew = found.chewable > 0 ? (await this.client.chewable()).entries : [];
    const { layers, core } = found;
    const last = (months: number[]): string => String(months[months.length - 1] ?? 0);
    const share = Number(found.alive["share"] ?? 0);
    const next = (found.inbox["next"] ?? []) as [string, string][];
    const number = (value: number): string => value.toLocaleString(locale);
    return {
      observed: daysBetween(found.observed_since, found.now),
      stats: [
        { key: "core", figure: number(core["count"] ?? 0), beside: `/ ${core["cap"] ?? 100}`, share: (core["count"] ?? 0) / (core["cap"] ?? 100), months: [] },
        { key: "material", figure: number((layers["wiki"] ?? 0) + (layers["sources"] ?? 0)), beside: "", months: [] },
        { key: "alive", figure: found.alive["share"] === null ? "–" : String(Math.round(share * 100)), beside: "%", share, months: [] },
        { key: "born", figure: last(found.births), beside: "", months: found.births },
        { key: "promoted", figure: last(found.promotions), beside: "", months: found.promotions },
        { key: "buried", figure: last(found.deaths), beside: "", months: found.deaths },
      ],
      expiring: next.map(([day, path]) => ({ path, title: titleOf(path), days: daysBetween(found.now.slice(0, 10), day) })),
      chewable: chew.map(({ path, title }) => ({ path, title })),
      tidy: [
        { key: "orphans", count: found.orphans },
        { key: "broken", count: found.broken_links },
        { key: "use_when", count: found.without_use_when },
      ].filter(({ count }) => count > 0),
    };
  }

  async docket(): Promise<Dying[]> {
    const { now, entries } = await this.client.docket();
    return entries.map((entry) => ({
      path: entry.path,
      title: entry.title || titleOf(entry.path),
      layer: entry.layer,
      conditions: Object.entries(entry.reasons).map(([key, one]) => ({
        key,
        state: one.state,
        why: one.why,
        figure:
          one.state === "not-yet-known" ? words.unknown : key === "no-living-link" ? words.linkCount(entry.linked_from.length) : one.last ? words.daysAgo(daysBetween(one.last, now)) : words.never,
        detail: [one.last, one.window_days ? words.limitOf(one.window_days) : ""].filter(Boolean).join(" · "),
      })),
    }));
  }

  async promote(note: string, useWhen: string, toCore: boolean, sentence: string, displace: string): Promise<string> {
    const wish = toCore ? { to: "core", sentence, displace } : { to: "wiki" };
    return (await this.client.promote({ note, use_when: useWhen, door: "panel", ...wish })).target;
  }
}

function titleOf(path: string): string {
  return path.replace(/^.*\/|\.md$/g, "");
}
