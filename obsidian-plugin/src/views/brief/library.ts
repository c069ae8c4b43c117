import { words } from "../../i18n";
import { appendIcon, div, formatCount, iconButton, linkButton, press, span, make } from "../../ui/dom";
import { drawTier } from "../../ui/svg";
import { moment, tierBadge, titleOf } from "./card";
import { drawSearch, drawSort } from "./lists";
import { countFilters, FACETS, NO_FILTER, type Facet, type Filter, type Found, type Item, type Tier } from "./model";
import { drawNothing, drawPager, type Panel } from "./panel";

const FACET_SHOWN = 8;
const SINCE: readonly Filter["since"][] = ["7", "30", "365", ""];

/** All that was ever seen: facets, a table, and what can be done with many at once. */
export function drawLibrary(panel: Panel, parent: HTMLElement, found: Found): void {
  const lib = div(parent, "vs-lib");
  const facets = lib.createEl("aside", { cls: "vs-facets", attr: { "aria-label": words.filters } });
  for (const facet of FACETS) drawFacet(panel, facets, facet, found);
  drawSince(panel, facets);
  const main = make(lib, "section", "vs-lib-main");
  const bar = div(main, "vs-toolbar");
  drawSearch(panel, bar);
  const count = countFilters(panel.filter);
  const open = press(bar, words.filters, () => open.setAttribute("aria-expanded", String(lib.classList.toggle("is-filtering"))), "vs-lib-filter", "filter");
  open.setAttribute("aria-expanded", "false");
  if (count > 0) span(open, "vs-num", String(count));
  bar.createSpan({ cls: "vs-muted vs-num", text: words.ofItems(formatCount(found.total), formatCount(found.all)), attr: { role: "status" } });
  const end = div(bar, "vs-end");
  drawSort(panel, end);
  press(end, words.exportWord, () => panel.exportItems([]), "", "download");
  if (count > 0) drawChips(panel, main, found);
  if (found.items.length === 0) drawNothing(panel, main, found);
  else drawTable(panel, main, found.items);
  if (panel.chosen.size > 0) drawBatch(panel, main, found.items);
  drawPager(panel, main, found.total);
}

function drawFacet(panel: Panel, parent: HTMLElement, facet: Facet, found: Found): void {
  const values = found.facets[facet] ?? [];
  const chosen = panel.filter[facet];
  if (values.length === 0 && chosen.length === 0) return;
  const box = parent.createDiv({ cls: "vs-facet", attr: { role: "group", "aria-label": words.facets[facet] } });
  make(box, "h3", "vs-label", words.facets[facet]);
  const shown = values.filter(({ value }, n) => n < FACET_SHOWN || chosen.includes(value));
  for (const { value, label, count } of shown) {
    const row = make(box, "label");
    const check = row.createEl("input", { attr: { type: "checkbox", "data-row": `${facet}-${value}` } });
    check.checked = chosen.includes(value);
    check.addEventListener("change", () => panel.narrow({ [facet]: check.checked ? [value] : [] }));
    if (facet === "tier") drawTier(row, value);
    row.createSpan({ cls: "vs-name", text: labelOf(facet, value, label), attr: { title: label } });
    span(row, "vs-num", formatCount(count));
  }
  if (values.length > shown.length) make(box, "p", "vs-small vs-muted", words.more(values.length - shown.length));
}

export function labelOf(facet: Facet, value: string, label = value): string {
  if (facet === "tier") return words.tiers[value as Tier] ?? label;
  if (facet === "kind") return words.kinds[value] ?? label;
  const [status = "", reason] = value.split(":");
  if (facet === "status") return [words.statuses[status] ?? status, reason ? (words.asideReasons[reason] ?? reason) : ""].filter(Boolean).join(": ");
  return label;
}

function drawSince(panel: Panel, parent: HTMLElement): void {
  const box = parent.createDiv({ cls: "vs-facet", attr: { role: "radiogroup", "aria-label": words.facetTime } });
  make(box, "h3", "vs-label", words.facetTime);
  for (const since of SINCE) {
    const row = make(box, "label");
    const radio = row.createEl("input", { attr: { type: "radio", name: "vs-since", "data-row": `since-${since}` } });
    radio.checked = panel.filter.since === since;
    radio.addEventListener("change", () => panel.narrow({ since }));
    span(row, "vs-name", since ? words.lastDays(since) : words.anyTime);
  }
}

function drawChips(panel: Panel, parent: HTMLElement, found: Found): void {
  const chips = div(parent, "vs-chips vs-above");
  const add = (text: string, change: Partial<Filter>): void => {
    const chip = chips.createEl("button", { cls: "vs-chip", attr: { "aria-label": words.dropFilter(text) } });
    span(chip, "", text);
    appendIcon(chip, "x");
    chip.addEventListener("click", () => panel.narrow(change));
  };
  for (const facet of FACETS) {
    for (const value of panel.filter[facet]) {
      const label = found.facets[facet]?.find((one) => one.value === value)?.label;
      add(labelOf(facet, value, label ?? value), { [facet]: panel.filter[facet].filter((one) => one !== value) });
    }
  }
  if (panel.filter.since) add(words.lastDays(panel.filter.since), { since: "" });
  linkButton(chips, words.clearAll, () => panel.narrow({ ...NO_FILTER, sort: panel.filter.sort }));
}

function drawTable(panel: Panel, parent: HTMLElement, items: Item[]): void {
  const table = make(parent, "table", "vs-table");
  const head = make(table, "thead").createEl("tr");
  const all = make(head, "th", "c-check").createEl("input", { attr: { type: "checkbox", "aria-label": words.selectPage, "data-row": "all" } });
  all.checked = items.every((item) => panel.chosen.has(item.id));
  all.addEventListener("change", () => panel.choose(items.map((item) => item.id), all.checked));
  for (const [cls, text] of [["c-title", words.columnTitle], ["c-tier", words.facets.tier], ["c-src", words.facets.subscription], ["c-st", words.facets.status], ["c-date", words.columnDate]] as const) {
    make(head, "th", cls, text);
  }
  const body = make(table, "tbody");
  for (const item of items) {
    const isChosen = panel.chosen.has(item.id);
    const row = make(body, "tr", [isChosen ? "is-selected" : "", item.status === "archived" ? "is-archived" : ""].filter(Boolean).join(" "));
    const check = make(row, "td", "c-check").createEl("input", { attr: { type: "checkbox", "aria-label": words.selectItem(item.title), "data-row": item.id } });
    check.checked = isChosen;
    check.addEventListener("change", () => panel.choose([item.id], check.checked));
    const cell = make(row, "td", "c-title");
    titleOf(cell, item, panel, "span").addClass("vs-cell-title");
    const sub = item.reason ? (words.asideReasons[item.reason.split(":")[0] ?? ""] ?? item.reason) : item.match.map((found) => `${found.word} ${words.places[found.where] ?? found.where}`).join(", ");
    span(cell, "vs-cell-sub", sub || item.line);
    tierBadge(make(row, "td", "c-tier"), item.tier);
    make(row, "td", "c-src", item.source);
    const state = item.note ? words.inVault : (words.statuses[item.status] ?? item.status);
    make(row, "td", "c-st").createSpan({ cls: item.note ? "vs-state-badge is-ok" : "vs-state-badge", text: state });
    make(row, "td", "c-date", moment(item.published));
  }
}

function drawBatch(panel: Panel, parent: HTMLElement, items: Item[]): void {
  const chosen = items.filter((item) => panel.chosen.has(item.id));
  const bar = parent.createDiv({ cls: "vs-batch", attr: { role: "toolbar", "aria-label": words.batch } });
  make(bar, "b", "vs-num", words.selected(panel.chosen.size));
  iconButton(bar, "x", words.clearSelection, () => panel.choose([...panel.chosen], false));
  const isBack = chosen.every((item) => item.status === "archived");
  press(bar, isBack ? words.unarchive : words.archive, () => panel.archive(chosen), "", "archive");
  press(bar, words.exportMarkdown, () => panel.exportItems([...panel.chosen]), "", "download");
}
