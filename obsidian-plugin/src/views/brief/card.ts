import { locale, words } from "../../i18n";
import type { Host } from "../../host";
import { appendIcon, div, formatTime, iconButton, press, span, make } from "../../ui/dom";
import { drawTier } from "../../ui/svg";
import type { Item, Tier } from "./model";

const KIND_ICONS: Record<string, string> = { video: "play", article: "file-text", note: "sticky-note" };

/** What can be done with an item; the panel does it. */
export interface Actions {
  open(item: Item): void;
  browse(item: Item): void;
  save(item: Item): void;
  dismiss(item: Item): void;
  more(item: Item): void;
  archive(items: Item[]): void;
  picture(el: HTMLElement, item: Item): void;
}

/** A tier is always glyph and word. */
export function tierBadge(el: HTMLElement, tier: Tier): void {
  const badge = el.createSpan({ cls: "vs-tier", attr: { "data-tier": tier } });
  drawTier(badge, tier);
  span(badge, "", words.tiers[tier]);
}

export function duration(seconds: number): string {
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)];
  const two = (n: number): string => String(n).padStart(2, "0");
  return h ? `${h}:${two(m)}:${two(s)}` : `${m}:${two(s)}`;
}

/** A moment as people say it: the time today, the word yesterday, else the day. */
export function moment(iso: string): string {
  const date = new Date(iso);
  if (!iso || Number.isNaN(date.getTime())) return "";
  const midnight = new Date();
  midnight.setHours(0, 0, 0, 0);
  const days = Math.floor((midnight.getTime() - date.getTime()) / 86_400_000) + 1;
  if (days <= 0) return formatTime(date);
  if (days === 1) return words.yesterday;
  const isThisYear = date.getFullYear() === midnight.getFullYear();
  return date.toLocaleDateString(locale, { day: "numeric", month: isThisYear ? "long" : "short", ...(isThisYear ? {} : { year: "numeric" }) });
}

/** Source and time and the like, with dots between. */
export function byline(el: HTMLElement, item: Item, ...more: string[]): void {
  make(el, "p", "vs-by", [item.source, moment(item.published), ...more].filter(Boolean).join(" · "));
}

export function bodyState(item: Item): string {
  return words.bodyStates[item.bodyState] ?? "";
}

function speak(el: HTMLElement, item: Item): void {
  if (item.lang) el.setAttribute("lang", item.lang.startsWith("zh") ? "zh-CN" : item.lang);
}

/** The title as a button to the drawer; with it a row takes part in the keys. */
export function titleOf(el: HTMLElement, item: Item, actions: Pick<Actions, "open">, tag: "h3" | "span" = "h3"): HTMLElement {
  const title = make(el, tag);
  speak(title, item);
  const button = make(title, "button", "vs-plain vs-title", item.title);
  button.addEventListener("click", () => actions.open(item));
  el.setAttribute("data-item", item.id);
  return title;
}

export function matchLine(el: HTMLElement, item: Item): void {
  if (item.match.length === 0) return;
  const line = make(el, "p", "vs-match");
  item.match.slice(0, 4).forEach((found, n) => {
    const part = line.createSpan();
    if (n === 0) part.appendText(`${words.matched} `);
    make(part, "b", "", found.word);
    part.appendText(` ${words.places[found.where] ?? found.where}`);
  });
}

/** Why the verdict is what it is, in the judge's words. */
export function whyLine(el: HTMLElement, item: Item): void {
  if (!item.why) return;
  const line = make(el, "p", "vs-why", item.why);
  speak(line, item);
}

/** A large card of Today. */
export function drawCard(host: Host, parent: HTMLElement, item: Item, actions: Actions): void {
  const card = make(parent, "article", "vs-card");
  const meta = div(card, "vs-card-meta");
  tierBadge(meta, item.tier);
  span(meta, "", [words.kinds[item.kind], item.seconds ? duration(item.seconds) : ""].filter(Boolean).join(" · "));
  titleOf(card, item, actions);
  byline(card, item, bodyState(item));
  if (item.line) speak(make(card, "p", "", item.line), item);
  whyLine(card, item);
  matchLine(card, item);
  const foot = div(card, "vs-card-foot");
  saveButton(host, foot, item, actions);
  press(foot, item.kind === "video" ? words.watch : words.read, () => actions.open(item), "clickable-icon", item.kind === "video" ? "play" : "file-text");
  menuButton(host, foot, item, actions);
}

export function saveButton(host: Host, el: HTMLElement, item: Item, actions: Actions, cls = ""): void {
  const run = (): void => (item.note ? host.openNote(item.note, false) : actions.save(item));
  press(el, item.note ? words.inVault : words.saveToVault, run, cls, item.note ? "bookmark-check" : "bookmark-plus");
}

export function menuButton(host: Host, el: HTMLElement, item: Item, actions: Actions): void {
  const button = iconButton(el, "more-horizontal", words.moreActions, () =>
    host.menu(button, [
      { label: words.openInBrowser, icon: "external-link", run: () => actions.browse(item) },
      { label: words.copyLink, icon: "link", run: () => void host.copy(item.url).then(() => host.notify(words.copied)) },
      { label: words.moreOfSource, icon: "list-plus", run: () => actions.more(item) },
      { label: words.notInterested, icon: "thumbs-down", run: () => actions.dismiss(item) },
      { label: item.status === "archived" ? words.unarchive : words.archive, icon: "archive", run: () => actions.archive([item]) },
    ]),
  );
}

/** A video with its picture. */
export function drawTile(parent: HTMLElement, item: Item, actions: Actions): void {
  const tile = make(parent, "article", item.tier === "skip" ? "vs-tile is-skip" : "vs-tile");
  const thumb = tile.createEl("button", { cls: "vs-thumb", attr: { tabindex: "-1", "aria-hidden": "true" } });
  appendIcon(thumb, KIND_ICONS[item.kind] ?? "file-text");
  actions.picture(thumb, item);
  if (item.seconds) span(thumb, "vs-dur", duration(item.seconds));
  thumb.addEventListener("click", () => actions.open(item));
  titleOf(tile, item, actions);
  byline(tile, item);
  whyLine(tile, item);
  metaLine(tile, item);
}

/** A text without a picture. */
export function drawBrief(parent: HTMLElement, item: Item, actions: Actions): void {
  const el = make(parent, "article", "vs-brief");
  titleOf(el, item, actions);
  if (item.line) speak(make(el, "p", "", item.line), item);
  byline(el, item);
  metaLine(el, item);
}

export function metaLine(el: HTMLElement, item: Item): void {
  const meta = div(el, "vs-tile-meta");
  tierBadge(meta, item.tier);
  const state = item.note ? words.inVault : item.status === "archived" ? words.archived : bodyState(item);
  span(meta, item.note ? "vs-state-badge is-ok" : "vs-state-badge", state);
}
