import { words } from "../../i18n";
import type { Host } from "../../host";
import { appendIcon, div, drawIcon, iconButton, linkButton, make, press, span } from "../../ui/dom";
import { counted } from "../../ui/diagnostics";
import { bodyState, duration, menuButton, moment, saveButton, tierBadge, whyLine, matchLine, type Actions } from "./card";
import { TIERS, type Item, type Tier } from "./model";

const PLAYER_MS = 3000;
/** Paragraphs shown before one asks for all. */
const SHOWN = 14;

export interface DrawerHost extends Actions {
  step(by: 1 | -1): void;
  close(): void;
  overrule(item: Item, tier: Tier, why: string): void;
}

/** The address of a video's player, if it is one of the site that may be framed. */
export function playerOf(url: string): string {
  const found = /^https:\/\/(?:www\.|m\.)?bilibili\.com\/video\/(BV\w{10}|av\d+)/i.exec(url);
  if (!found?.[1]) return "";
  const id = found[1];
  return `https://player.bilibili.com/player.html?${/^av/i.test(id) ? `aid=${id.slice(2)}` : `bvid=${id}`}&autoplay=0&danmaku=0&high_quality=1`;
}

/** One item at the side: player or picture, verdict, sum, text, what can be done. */
export function drawDrawer(host: Host, el: HTMLElement, item: Item, place: string, actions: DrawerHost): void {
  el.empty();
  const bar = div(el, "vs-drawer-bar");
  appendIcon(bar, item.kind === "video" ? "play" : "file-text");
  span(bar, "", words.kinds[item.kind] ?? item.kind);
  span(bar, "vs-sep vs-from", item.source);
  if (place) span(bar, "vs-sep vs-num vs-wide", place);
  const end = span(bar, "vs-end");
  iconButton(end, "chevron-up", words.previousItem, () => actions.step(-1));
  iconButton(end, "chevron-down", words.nextItem, () => actions.step(1));
  iconButton(end, "x", words.close, () => actions.close());
  const body = el.createDiv({ cls: "vs-drawer-body", attr: { tabindex: "0", role: "group", "aria-label": item.title } });
  if (item.kind === "video") drawPlayer(body, item, actions);
  drawText(body, item, actions);
  const foot = div(el, "vs-drawer-foot");
  saveButton(host, foot, item, actions, "mod-cta");
  press(foot, words.browser, () => actions.browse(item), "", "external-link");
  span(foot, "vs-grow");
  iconButton(foot, "list-plus", words.moreOfSource, () => actions.more(item));
  iconButton(foot, "thumbs-down", words.notInterested, () => actions.dismiss(item));
  menuButton(host, foot, item, actions);
}

/** Title, facts, verdict, sum and body, as the drawer and the reading column show them. */
export function drawText(body: HTMLElement, item: Item, actions: Pick<DrawerHost, "overrule">): void {
  const head = body.createDiv();
  const title = make(head, "h2", "", item.title);
  if (item.lang) title.setAttribute("lang", item.lang);
  const facts = make(head, "p", "vs-facts");
  for (const fact of [item.source, item.author === item.source ? "" : item.author, moment(item.published), item.seconds ? duration(item.seconds) : "", bodyState(item)]) {
    if (fact) span(facts, "", fact);
  }
  drawVerdict(body, item, actions);
  if (item.parts.length > 0) drawSum(body, item);
  drawBody(body, item);
}

function drawVerdict(body: HTMLElement, item: Item, actions: Pick<DrawerHost, "overrule">): void {
  const box = div(body, "vs-verdict");
  const head = div(box, "vs-verdict-head");
  tierBadge(head, item.tier);
  span(head, "vs-muted", item.tier === "new" ? words.notJudged : (words.judgedBy[item.by] ?? ""));
  const change = press(head, words.overrule, () => openChange(), "vs-plain vs-link vs-small vs-to-end");
  change.setAttribute("aria-expanded", "false");
  if (item.line) make(box, "p", "", item.line);
  whyLine(box, item);
  matchLine(box, item);
  if (item.reason) make(box, "p", "vs-limits", words.asideReasons[item.reason.split(":")[0] ?? ""] ?? item.reason);
  if (item.verified) make(box, "p", "vs-limits", item.verified);
  else if (item.why) make(box, "p", "vs-limits", words.limits);
  const openChange = (): void => {
    change.remove();
    const row = box.createDiv({ cls: "vs-seg", attr: { role: "group", "aria-label": words.overrule } });
    const why = box.createEl("input", { attr: { type: "text", placeholder: words.overruleWhy, "aria-label": words.overruleWhy } });
    for (const tier of TIERS.filter((one) => one !== "new")) {
      press(row, words.tiers[tier], () => actions.overrule(item, tier, why.value.trim())).setAttribute("aria-pressed", String(tier === item.tier));
    }
    row.querySelector("button")?.focus();
  };
}

function drawSum(body: HTMLElement, item: Item): void {
  const details = body.createEl("details", { attr: { open: "" } });
  make(details, "summary", "vs-label", words.whyHere);
  const table = make(details, "table", "vs-sum");
  const row = (name: string, text: string, value: string): void => {
    const tr = make(table, "tr");
    for (const cell of [name, text, value]) make(tr, "td", "", cell);
  };
  for (const part of item.parts) row(words.parts[part.name] ?? part.name, part.text, (part.value < 0 ? "−" : "+") + Math.abs(part.value).toFixed(2));
  row(words.sum, "", item.score.toFixed(2));
}

/** The text as its source gave it: never markup, only paragraphs, with its times apart. */
function drawBody(body: HTMLElement, item: Item): void {
  const box = div(body, "vs-item-body");
  if (item.lang) box.setAttribute("lang", item.lang);
  const parts = item.body.split(/\n{2,}|\n(?=\[?\d{1,2}:\d\d)/).map((part) => part.trim()).filter(Boolean);
  if (parts.length === 0) {
    make(box, "p", "vs-muted", item.kind === "video" ? words.noTranscript : words.noBody);
    return;
  }
  const show = (from: string[]): void => {
    for (const part of from) {
      const cue = /^\[?(\d{1,2}:\d\d(?::\d\d)?)\]?[\s:：-]*/.exec(part);
      if (cue?.[1]) {
        const line = div(box, "vs-cue");
        span(line, "", cue[1]);
        span(line, "", part.slice(cue[0].length));
      } else {
        const heading = /^#{1,6} +(.+)$/.exec(part);
        make(box, heading ? "h3" : "p", "", heading?.[1] ?? part);
      }
    }
  };
  show(parts.slice(0, SHOWN));
  if (parts.length <= SHOWN) return;
  const all = linkButton(box, words.showAll(parts.length - SHOWN), () => {
    all.remove();
    show(parts.slice(SHOWN));
  });
}

/** The picture with a button; the site's player comes at a click only, and the browser if it does not answer. */
function drawPlayer(body: HTMLElement, item: Item, actions: DrawerHost): void {
  const box = div(body, "vs-player");
  actions.picture(box, item);
  const address = playerOf(item.url);
  const play = box.createEl("button", { cls: "vs-play", attr: { "aria-label": address ? words.play : words.openInBrowser } });
  drawIcon(play, address ? "play" : "external-link");
  if (item.seconds) span(box, "vs-dur", duration(item.seconds));
  play.addEventListener("click", () => {
    if (!address) return actions.browse(item);
    box.empty();
    const frame = box.createEl("iframe", { attr: { src: address, title: item.title, allow: "fullscreen", referrerpolicy: "no-referrer", sandbox: "allow-scripts allow-same-origin allow-presentation allow-popups" } });
    const late = window.setTimeout(() => {
      if (!box.isConnected) return;
      counted["player_fallbacks"] = (counted["player_fallbacks"] ?? 0) + 1;
      box.empty();
      box.createDiv({ cls: "vs-player-msg", attr: { role: "status" } }).createEl("p", { text: words.playerSilent });
      actions.browse(item);
    }, PLAYER_MS);
    frame.addEventListener("load", () => window.clearTimeout(late));
  });
}
