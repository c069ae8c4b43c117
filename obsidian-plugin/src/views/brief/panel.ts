import { words } from "../../i18n";
import type { Connection } from "../../connection";
import type { Host } from "../../host";
import { appendIcon, drawIcon, explainError, formatCount, formatTime, make, press, showEmpty, span } from "../../ui/dom";
import { follow, progressOf } from "../../ui/jobs";
import { Pane } from "../../ui/pane";
import type { Actions } from "./card";
import { drawDrawer, drawText, type DrawerHost } from "./drawer";
import { drawArticles, drawReports, drawVideos } from "./lists";
import { drawLibrary } from "./library";
import { countFilters, NO_FILTER, readPlace, VIEWS, type Filter, type Found, type Item, type Place, type Runs, type Tier, type Today, type View } from "./model";
import { BriefSource, PAGE } from "./source";
import { drawToday } from "./today";

const TYPING_MS = 250;
const KEPT_MS = 400;

/** What the views of the panel are given: their data, where they stand, and what can be done. */
export interface Panel extends DrawerHost {
  readonly host: Host;
  readonly filter: Filter;
  readonly chosen: Set<string>;
  readonly reading: string;
  readonly runs: Runs;
  go(view: View, filter?: Partial<Filter>): void;
  narrow(change: Partial<Filter>): void;
  /** Narrow once typing rests. */
  typed(q: string): void;
  choose(ids: string[], on: boolean): void;
  read(id: string): void;
  openId(id: string): void;
  text(el: HTMLElement, item: Item): void;
  exportItems(ids: string[]): void;
  settings(): void;
}

/** The panel "Brief": Today, Video, Article, Reports, Library. */
export class BriefPane extends Pane implements Panel {
  readonly chosen = new Set<string>();
  runs!: Runs;
  private readonly place: Place;
  private readonly source: BriefSource;
  private drawer: HTMLElement | null = null;
  private shown: Item[] = [];
  private typing = 0;
  private keeping = 0;
  private running = false;

  constructor(
    override readonly host: Host,
    connection: Connection,
    readonly settings: () => void,
  ) {
    super(host, connection, words.brief, "view");
    this.place = readPlace(host.recall("brief"));
    this.source = new BriefSource(() => this.connection.client);
  }

  get filter(): Filter {
    return this.place.filters[this.place.view] ?? NO_FILTER;
  }

  get reading(): string {
    return this.place.reading[this.place.view] ?? "";
  }

  override mount(root: HTMLElement): void {
    super.mount(root);
    root.addEventListener("keydown", (event) => this.onKey(event));
    this.body.addEventListener("scroll", () => {
      this.place.scroll[this.place.view] = this.body.scrollTop;
      this.keep();
    });
  }

  override unmount(): void {
    window.clearTimeout(this.typing);
    window.clearTimeout(this.keeping);
    this.host.remember("brief", this.place);
    this.source.forget();
    this.drawer = null;
    super.unmount();
  }

  protected concerns(event: string, data: Record<string, unknown>): boolean {
    if (event === "run" && data["state"] === "running") {
      // Only the capsule moves while a run goes on; what is read stays where it is.
      if (this.runs) {
        this.runs = { ...this.runs, running: { done: Number(data["done"]), total: Number(data["total"]) } };
        this.drawHead();
      }
      return false;
    }
    return event === "run" || event === "brief" || event === "reset";
  }

  protected async load(): Promise<() => void> {
    const { view } = this.place;
    const runs = await this.source.runs();
    if (view === "today") {
      const today = await this.source.today(runs);
      return () => this.show(runs, () => this.drawDay(today));
    }
    if (view === "reports") {
      const reports = await this.source.reports(runs);
      const open = reports.find((report) => report.date === this.reading) ?? reports[0];
      const note = open ? await this.source.report(open.date) : { path: "", html: "", items: new Map<string, string>() };
      return () => this.show(runs, () => drawReports(this, this.body, reports, open, note));
    }
    const found = await this.source.find(view, this.filter);
    let item: Item | undefined;
    if (view === "article") {
      const id = found.items.find((one) => one.id === this.reading)?.id ?? found.items[0]?.id;
      if (id) item = await this.source.item(id);
    }
    return () => this.show(runs, () => this.drawFound(found, item));
  }

  private show(runs: Runs, draw: () => void): void {
    this.runs = runs;
    this.head.empty();
    this.drawHead();
    this.shown = [];
    draw();
    const again = this.place.scroll[this.place.view] ?? 0;
    if (again) window.requestAnimationFrame(() => (this.body.scrollTop = again));
    if (this.place.open && !this.drawer) void this.openDrawer(this.place.open);
  }

  private drawDay(today: Today): void {
    this.shown = [...today.top, ...today.videos, ...today.articles];
    drawToday(this, this.body, today);
  }

  private drawFound(found: Found, item: Item | undefined): void {
    this.shown = found.items;
    const { view } = this.place;
    if (view === "video") drawVideos(this, this.body, found);
    else if (view === "article") drawArticles(this, this.body, found, item);
    else drawLibrary(this, this.body, found);
  }

  // ── bar ──────────────────────────────────────────────────────────────────────────────────────

  protected drawHead(): void {
    this.head.empty();
    const nav = this.head.createDiv({ cls: "vs-nav", attr: { role: "tablist", "aria-label": words.brief } });
    for (const view of VIEWS) {
      const isOpen = view === this.place.view;
      const tab = nav.createEl("button", { text: words.views[view], attr: { role: "tab", "aria-selected": String(isOpen), "data-row": `tab-${view}` } });
      tab.addEventListener("click", () => this.go(view));
    }
    if (this.runs) this.drawCapsule();
  }

  private drawCapsule(): void {
    const { runs } = this;
    const box = this.head.createDiv({ cls: "vs-capsule", attr: { role: "status" } });
    const state = span(box, "vs-state");
    if (runs.running) {
      appendIcon(state, "loader", "vs-spin");
      span(state, "", words.fetching(runs.running.done, runs.running.total));
      return;
    }
    const failed = runs.lastFailed !== "";
    make(state, "i", `vs-dot${failed ? " is-bad" : runs.last ? "" : " is-idle"}`);
    const time = (iso: string): string => formatTime(new Date(iso));
    span(state, "", failed ? words.runFailed : runs.last ? words.ranAt(time(runs.last)) : words.neverRan);
    if (runs.next) span(box, "vs-sep", words.nextAt(time(runs.next)));
    if (runs.waiting) span(box, "vs-sep vs-wide", words.waitCount(runs.waiting));
    if (runs.left !== null) span(box, "vs-sep vs-wide", runs.left > 0 ? words.leftToday(formatCount(runs.left)) : words.noneLeftToday);
    if (runs.failed.length > 0 || failed) {
      const text = runs.failed.map((one) => `${one.title}: ${one.reason}`).join("\n") || runs.lastFailed;
      const alert = box.createSpan({ cls: "vs-sep vs-alert", attr: { title: text } });
      appendIcon(alert, "alert-circle");
      span(alert, "", failed ? words.why : words.failedCount(runs.failed.length));
    }
    if (runs.set === "ready") {
      press(box, words.runNow, () => void this.runNow(), "", "play");
    }
  }

  /** Fetch all subscriptions now; the capsule tells how far it is. */
  async runNow(): Promise<void> {
    const { client } = this.connection;
    if (!client || this.running) return;
    this.running = true;
    try {
      const job = await follow(this.connection, await this.source.run(), (now) => {
        if (!this.runs) return;
        this.runs = { ...this.runs, running: progressOf(now) ?? this.runs.running ?? { done: 0, total: this.runs.subscriptions } };
        this.drawHead();
      });
      if (job.error) this.host.notify(job.error.detail);
    } catch (error) {
      this.host.notify(explainError(error));
    } finally {
      this.running = false;
      await this.reload();
    }
  }

  // ── where it stands ──────────────────────────────────────────────────────────────────────────

  go(view: View, filter?: Partial<Filter>): void {
    if (filter) this.place.filters[view] = { ...NO_FILTER, ...filter };
    this.place.view = view;
    this.place.scroll[view] = filter ? 0 : (this.place.scroll[view] ?? 0);
    this.chosen.clear();
    this.keep();
    void this.reload();
  }

  narrow(change: Partial<Filter>): void {
    this.place.filters[this.place.view] = { ...this.filter, page: 0, ...change };
    this.place.scroll[this.place.view] = 0;
    this.chosen.clear();
    this.keep();
    void this.reload();
  }

  typed(q: string): void {
    window.clearTimeout(this.typing);
    this.typing = window.setTimeout(() => this.narrow({ q }), TYPING_MS);
  }

  choose(ids: string[], on: boolean): void {
    for (const id of ids) {
      if (on) this.chosen.add(id);
      else this.chosen.delete(id);
    }
    void this.reload();
  }

  read(id: string): void {
    this.place.reading[this.place.view] = id;
    this.keep();
    const item = this.shown.find((one) => one.id === id);
    // Where there is no room for a column, the drawer takes its place.
    if (item && this.body.clientWidth < 760) return this.open(item);
    void this.reload();
  }

  text(el: HTMLElement, item: Item): void {
    drawText(el, item, this);
  }

  private keep(): void {
    window.clearTimeout(this.keeping);
    this.keeping = window.setTimeout(() => this.host.remember("brief", this.place), KEPT_MS);
  }

  // ── drawer ───────────────────────────────────────────────────────────────────────────────────

  open(item: Item): void {
    void this.openDrawer(item.id);
  }

  openId(id: string): void {
    void this.openDrawer(id);
  }

  private async openDrawer(id: string): Promise<void> {
    this.place.open = id;
    this.keep();
    try {
      const item = await this.source.item(id);
      if (this.place.open !== id) return;
      const at = this.shown.findIndex((one) => one.id === id);
      const isNew = !this.drawer;
      this.drawer ??= this.body.parentElement?.createEl("aside", { cls: "vs-drawer", attr: { role: "dialog", "aria-label": words.item } }) ?? null;
      if (!this.drawer) return;
      drawDrawer(this.host, this.drawer, item, at < 0 ? "" : words.nOfM(at + 1, this.shown.length), this);
      if (isNew) this.drawer.querySelector<HTMLElement>(".vs-drawer-body")?.focus();
    } catch (error) {
      this.place.open = "";
      this.host.notify(explainError(error));
    }
  }

  close(): void {
    const id = this.place.open;
    this.place.open = "";
    this.keep();
    this.drawer?.remove();
    this.drawer = null;
    this.cards().find((card) => card.dataset["item"] === id)?.querySelector<HTMLElement>("button.vs-title")?.focus();
  }

  step(by: 1 | -1): void {
    const at = this.shown.findIndex((one) => one.id === this.place.open);
    const next = this.shown[at + by];
    if (next) this.open(next);
  }

  // ── what can be done ─────────────────────────────────────────────────────────────────────────

  browse(item: Item): void {
    this.host.browse(item.url);
  }

  save(item: Item): void {
    void this.act(async () => {
      const notice = this.host.progress(words.ingesting);
      try {
        const path = await this.source.save(item);
        notice.end(path ? `${words.savedTitle}: ${path}` : words.failedTitle);
      } catch (error) {
        notice.end(explainError(error));
      }
    });
  }

  dismiss(item: Item): void {
    void this.act(() => this.source.feedback(item.id, "dismiss"), words.dismissed(item.source));
    this.leave(item);
  }

  more(item: Item): void {
    void this.act(() => this.source.feedback(item.id, "more"), words.moreComing(item.source));
  }

  archive(items: Item[]): void {
    const undo = items.every((item) => item.status === "archived");
    const ids = items.map((item) => item.id);
    void this.act(() => this.source.archive(ids, undo), undo ? words.unarchivedCount(ids.length) : "").then(() => {
      if (!undo) this.offerUndo(ids);
    });
    this.chosen.clear();
    for (const item of items) this.leave(item);
  }

  overrule(item: Item, tier: Tier, why: string): void {
    void this.act(() => this.source.overrule(item.id, tier, why), words.overruled(words.tiers[tier])).then(() => {
      if (this.place.open === item.id) void this.openDrawer(item.id);
    });
  }

  exportItems(ids: string[]): void {
    void this.act(async () => this.host.save(`${words.brief} ${new Date().toISOString().slice(0, 10)}`, await this.source.exportText(this.filter, ids)));
  }

  picture(el: HTMLElement, item: Item): void {
    if (item.thumb) void this.source.picture(el, item);
  }

  private leave(item: Item): void {
    if (this.place.open === item.id) this.close();
  }

  private async act(work: () => Promise<unknown>, said = ""): Promise<void> {
    try {
      await work();
      if (said) this.host.notify(said);
    } catch (error) {
      this.host.notify(explainError(error));
    }
    await this.reload();
  }

  private offerUndo(ids: string[]): void {
    this.body.parentElement?.querySelector(".vs-undo")?.remove();
    const bar = this.body.parentElement?.createDiv({ cls: "vs-batch vs-undo", attr: { role: "status" } });
    if (!bar) return;
    span(bar, "", words.archivedCount(ids.length));
    press(bar, words.undo, () => {
      bar.remove();
      void this.act(() => this.source.archive(ids, true));
    });
    window.setTimeout(() => bar.remove(), 8000);
  }

  // ── keys ─────────────────────────────────────────────────────────────────────────────────────

  private cards(): HTMLElement[] {
    return Array.from(this.body.querySelectorAll<HTMLElement>("[data-item]"));
  }

  private onKey(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches("input:not([type=checkbox]), textarea, select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    const cards = this.cards();
    const card = target.closest<HTMLElement>("[data-item]");
    const item = this.shown.find((one) => one.id === (this.drawer?.contains(target) ? this.place.open : card?.dataset["item"]));
    const { key } = event;
    const move = (by: number): void => {
      if (this.drawer && this.place.open) return this.step(by > 0 ? 1 : -1);
      const next = cards[card ? cards.indexOf(card) + by : 0];
      next?.querySelector<HTMLElement>("button.vs-title")?.focus();
    };
    const view = VIEWS[Number(key) - 1];
    if (view) this.go(view);
    else if (key === "/") this.body.querySelector<HTMLElement>("input[type=search]")?.focus();
    else if (key === "j" || (key === "ArrowDown" && card)) move(1);
    else if (key === "k" || (key === "ArrowUp" && card)) move(-1);
    else if (key === "Escape" && this.drawer) this.close();
    else if (key === "Escape" && this.chosen.size > 0) this.choose([...this.chosen], false);
    else if (key === "?") this.showKeys();
    else if (!item) return;
    else if (key === "o") this.browse(item);
    else if (key === "s") this.save(item);
    else if (key === "x") this.choose([item.id], !this.chosen.has(item.id));
    else if (key === "e") this.archive([item]);
    else if (key === "-") this.dismiss(item);
    else if (key === "+") this.more(item);
    else if (key === " " && this.drawer && !target.matches("button, a, input, summary")) this.drawer.querySelector<HTMLElement>(".vs-play")?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  private showKeys(): void {
    this.host.modal(words.keys, (el) => {
      const list = make(el, "dl", "vs-kv");
      for (const [key, text] of words.keyList) {
        make(list, "dt", "", key);
        make(list, "dd", "", text);
      }
    });
  }
}

/** What stands in place of a list that is empty: because nothing is there, or because of the filter. */
export function drawNothing(panel: Panel, parent: HTMLElement, found: Found): void {
  if (countFilters(panel.filter) > 0) {
    showEmpty(panel.host, parent, {
      icon: "search",
      title: words.noMatch,
      text: words.searchedItems(formatCount(found.all)),
      action: { label: words.clearAll, run: () => panel.narrow({ ...NO_FILTER, sort: panel.filter.sort }) },
    });
  } else drawNotSet(panel, parent, words.noItems);
}

/** Say why there is nothing at all: not set up, invalid, or simply nothing yet. */
export function drawNotSet(panel: Panel, parent: HTMLElement, otherwise: string): void {
  const { runs } = panel;
  const open = { label: words.openSettings, run: () => panel.settings() };
  if (runs.set === "invalid") showEmpty(panel.host, parent, { icon: "alert-circle", title: words.invalidTitle, text: `${runs.problem} ${words.invalidText}`, action: open });
  else if (runs.set !== "ready") showEmpty(panel.host, parent, { icon: "list-plus", title: words.briefNotSet, text: words.briefNotSetText, action: open });
  else showEmpty(panel.host, parent, { icon: "check", text: otherwise });
}

/** Pages of a list. */
export function drawPager(panel: Panel, parent: HTMLElement, total: number): void {
  const { page } = panel.filter;
  if (total <= PAGE) return;
  const nav = parent.createEl("nav", { cls: "vs-pager", attr: { "aria-label": words.pages } });
  const step = (icon: string, label: string, to: number, isOn: boolean): void => {
    const button = nav.createEl("button", { cls: "clickable-icon", attr: { "aria-label": label, "data-row": label, ...(isOn ? {} : { disabled: "" }) } });
    drawIcon(button, icon);
    button.addEventListener("click", () => panel.narrow({ page: to }));
  };
  step("chevron-left", words.previousPage, page - 1, page > 0);
  span(nav, "", words.range(page * PAGE + 1, Math.min((page + 1) * PAGE, total), formatCount(total)));
  step("chevron-right", words.nextPage, page + 1, (page + 1) * PAGE < total);
}

export type { Actions };
