import { locale, words } from "../../i18n";
import { appendIcon, div, formatCount, iconButton, press, showEmpty, span, make } from "../../ui/dom";
import { drawTier } from "../../ui/svg";
import { byline, drawTile, menuButton, metaLine, moment, saveButton, titleOf } from "./card";
import { TIERS, type Found, type Item, type Report } from "./model";
import { drawNothing, drawNotSet, drawPager, type Panel } from "./panel";
import type { Note } from "./source";

/** The field that filters by a word; it keeps what is typed while the list below changes. */
export function drawSearch(panel: Panel, parent: HTMLElement): void {
  const label = make(parent, "label", "vs-search");
  appendIcon(label, "search");
  const input = label.createEl("input", { attr: { type: "search", placeholder: words.filterByWord, "aria-label": words.filterByWord, "data-row": "q", spellcheck: "false" } });
  input.value = panel.filter.q;
  const typed = (event: Event): void => {
    if (!(event as InputEvent).isComposing) panel.typed(input.value.trim());
  };
  input.addEventListener("input", typed);
  input.addEventListener("compositionend", typed);
}

/** All, and each tier with its count. */
export function drawTiers(panel: Panel, parent: HTMLElement, found: Found): void {
  const seg = parent.createDiv({ cls: "vs-seg", attr: { role: "group", "aria-label": words.facets.tier } });
  const counts = new Map((found.facets.tier ?? []).map(({ value, count }) => [value, count]));
  const add = (tier: (typeof TIERS)[number] | ""): void => {
    const isOn = tier ? panel.filter.tier.includes(tier) : panel.filter.tier.length === 0;
    const name = tier ? words.tiers[tier] : words.all;
    const button = seg.createEl("button", { attr: { "aria-pressed": String(isOn), "aria-label": name, "data-row": `tier-${tier}` } });
    if (tier) drawTier(button, tier);
    span(button, tier ? "vs-word" : "", name);
    if (isOn) span(button, "vs-num", formatCount(found.total));
    button.addEventListener("click", () => panel.narrow({ tier: tier ? [tier] : [] }));
  };
  add("");
  for (const tier of TIERS) if (counts.get(tier)) add(tier);
}

export function drawSort(panel: Panel, parent: HTMLElement): void {
  const select = parent.createEl("select", { cls: "dropdown", attr: { "aria-label": words.sort, "data-row": "sort" } });
  for (const sort of ["new", "tier", "weight"] as const) {
    const option = select.createEl("option", { text: words.sorts[sort], attr: { value: sort } });
    option.selected = sort === panel.filter.sort;
  }
  select.addEventListener("change", () => panel.narrow({ sort: select.value as "new" | "tier" | "weight" }));
}

/** Videos as a grid of pictures. */
export function drawVideos(panel: Panel, parent: HTMLElement, found: Found): void {
  const body = div(parent, "vs-body");
  const bar = div(body, "vs-toolbar");
  drawSearch(panel, bar);
  drawTiers(panel, bar, found);
  drawSort(panel, div(bar, "vs-end"));
  if (found.items.length === 0) return drawNothing(panel, body, found);
  const grid = div(body, "vs-grid");
  for (const item of found.items) drawTile(grid, item, panel);
  drawPager(panel, body, found.total);
}

/** Articles as a list, with the chosen one beside it. */
export function drawArticles(panel: Panel, parent: HTMLElement, found: Found, open: Item | undefined): void {
  const { host } = panel;
  const split = div(parent, "vs-split");
  const list = split.createEl("section", { cls: "vs-list", attr: { "aria-label": words.views.article } });
  const head = div(list, "vs-list-head");
  drawSearch(panel, head);
  drawTiers(panel, head, found);
  if (found.items.length === 0) drawNothing(panel, list, found);
  let group = "";
  for (const item of found.items) {
    const day = dayOf(item);
    if (day !== group && panel.filter.sort === "new") div(list, "vs-list-group", day);
    group = day;
    const row = list.createEl("article", { cls: item.seen ? "vs-list-item is-seen" : "vs-list-item", attr: item.id === open?.id ? { "aria-current": "true" } : {} });
    titleOf(row, item, { open: () => panel.read(item.id) });
    if (item.line) make(row, "p", "", item.line);
    byline(row, item);
    metaLine(row, item);
  }
  drawPager(panel, list, found.total);
  const read = make(split, "article", "vs-read");
  if (!open) return;
  const bar = div(read, "vs-read-bar");
  saveButton(host, bar, open, panel);
  iconButton(bar, "list-plus", words.moreOfSource, () => panel.more(open));
  iconButton(bar, "thumbs-down", words.notInterested, () => panel.dismiss(open));
  const end = span(bar, "vs-end");
  iconButton(end, "external-link", words.openInBrowser, () => panel.browse(open));
  menuButton(host, end, open, panel);
  panel.text(div(read, "vs-prose vs-article"), open);
}

function dayOf(item: Item): string {
  const said = moment(item.published);
  return /\d:\d/.test(said) ? words.today : said;
}

/** Briefs of past days, the newest open; a line's title leads to its item's drawer. */
export function drawReports(panel: Panel, parent: HTMLElement, reports: Report[], open: Report | undefined, note: Note): void {
  const { host } = panel;
  if (!open) return drawNotSet(panel, parent, words.noReports);
  const split = div(parent, "vs-split");
  const list = split.createEl("section", { cls: "vs-list", attr: { "aria-label": words.views.reports } });
  let group = "";
  for (const report of reports) {
    const day = new Date(`${report.date}T12:00`);
    const month = day.toLocaleDateString(locale, { year: "numeric", month: "long" });
    if (month !== group) div(list, "vs-list-group", month);
    group = month;
    const row = list.createEl("article", { cls: "vs-list-item is-seen", attr: report.date === open.date ? { "aria-current": "true" } : {} });
    const said = day.toLocaleDateString(locale, { weekday: "short", day: "numeric", month: "long" });
    press(make(row, "h3"), said, () => panel.read(report.date), "vs-plain vs-title");
    if (report.summary) make(row, "p", report.failed ? "vs-state-badge is-bad" : "", report.summary);
    if (report.runs) make(row, "p", "vs-num", report.runs);
  }
  const read = make(split, "article", "vs-read");
  const bar = div(read, "vs-read-bar");
  if (note.path) press(bar, words.openNote, () => host.openNote(note.path, false), "", "file-text");
  span(bar, "vs-end vs-muted vs-small vs-num", note.path);
  const prose = div(read, "vs-prose");
  const parsed = new DOMParser().parseFromString(note.html, "text/html");
  for (const link of parsed.querySelectorAll<HTMLAnchorElement>("a.vs-note-link")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      if (link.dataset["note"]) host.openNote(link.dataset["note"], false);
    });
  }
  for (const link of parsed.querySelectorAll<HTMLAnchorElement>("a[href^=http]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const id = note.items.get(link.getAttribute("href") ?? "");
      if (id) panel.openId(id);
      else host.browse(link.href);
    });
  }
  prose.append(...Array.from(parsed.body.childNodes));
  if (prose.childElementCount === 0) showEmpty(host, prose, { icon: "file-text", text: words.noBody });
}
