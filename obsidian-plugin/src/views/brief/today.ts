import { locale, words } from "../../i18n";
import { appendIcon, div, formatCount, linkButton, press, span, make } from "../../ui/dom";
import { drawBrief, drawCard, drawTile } from "./card";
import type { Today } from "./model";
import { drawNotSet, type Panel } from "./panel";

/** The day: one sentence, the ledger under it, the best, videos, articles, and what was not shown. */
export function drawToday(panel: Panel, parent: HTMLElement, today: Today): void {
  const { host } = panel;
  const nothingKnown = today.seen === 0 && today.top.length + today.videos.length + today.articles.length === 0;
  if (panel.runs.set !== "ready" && nothingKnown) return drawNotSet(panel, parent, "");
  const body = div(parent, "vs-body");
  const lede = make(body, "section", "vs-lede");
  const day = new Date(`${today.date}T12:00`);
  make(lede, "p", "vs-date", day.toLocaleDateString(locale, { weekday: "long", year: "numeric", month: "long", day: "numeric" }));
  make(lede, "h1", "", sentence(today));
  drawLedger(panel, lede, today);
  if (today.unjudged && today.waiting > 0) make(lede, "p", "vs-muted", words.unjudgedText);
  if (today.top.length > 0) {
    const top = body.createEl("section", { cls: "vs-top", attr: { "aria-label": words.tiers.worth } });
    for (const item of today.top.slice(0, 6)) drawCard(host, top, item, panel);
  }
  if (today.videos.length > 0) {
    const row = section(panel, body, words.views.video, today.videoTotal, words.allVideos, "video").createDiv({ cls: "vs-row4 is-strip" });
    for (const item of today.videos.slice(0, 4)) drawTile(row, item, panel);
  }
  if (today.articles.length > 0) {
    const row = section(panel, body, words.views.article, today.articleTotal, words.allArticles, "article").createDiv({ cls: "vs-row4 is-stack" });
    for (const item of today.articles.slice(0, 4)) drawBrief(row, item, panel);
  }
  drawAside(panel, body, today);
}

function sentence(today: Today): string {
  if (today.fresh === 0 && today.waiting === 0) return words.nothingNew;
  if (today.unjudged && today.judged === 0 && today.waiting > 0) return words.nobodyJudged(today.waiting);
  return words.daySentence(today.fresh, today.judged, today.worth);
}

function drawLedger(panel: Panel, parent: HTMLElement, today: Today): void {
  const line = make(parent, "p", "vs-ledger");
  const add = (count: number, label: string, run?: () => void): void => {
    const part = line.createSpan();
    make(part, "b", "", formatCount(count));
    part.appendText(" ");
    if (!run || count === 0) part.appendText(label);
    else linkButton(part, label, run);
  };
  const aside = today.aside.reduce((sum, one) => sum + one.count, 0);
  const show = (): void => parent.parentElement?.querySelector(".vs-aside")?.scrollIntoView({ block: "start" });
  if (today.fresh === 0) add(today.subscriptions - today.failed.length, words.answered);
  add(today.seen, words.seen);
  if (aside > 0) add(aside, words.setAside, show);
  add(today.candidates, words.candidates);
  add(today.judged, words.judged);
  if (today.waiting > 0) add(today.waiting, words.waitingForJudge, () => panel.go("library", { tier: ["new"], status: ["queued"] }));
  if (today.failed.length > 0) add(today.failed.length, words.subscriptionsSkipped, show);
}

function section(panel: Panel, parent: HTMLElement, title: string, count: number, all: string, to: "video" | "article"): HTMLElement {
  const el = make(parent, "section", "vs-section");
  const head = div(el, "vs-section-head");
  make(head, "h2", "", title);
  span(head, "vs-count", formatCount(count));
  appendIcon(linkButton(head, all, () => panel.go(to)), "arrow-right");
  return el;
}

function drawAside(panel: Panel, parent: HTMLElement, today: Today): void {
  if (today.aside.length === 0 && today.failed.length === 0) return;
  const el = make(parent, "section", "vs-section");
  div(el, "vs-section-head").createEl("h2", { text: words.notShown });
  const columns = div(el, "vs-aside");
  if (today.aside.length > 0) {
    const left = columns.createDiv();
    make(left, "h3", "", words.asideTitle(today.aside.reduce((sum, one) => sum + one.count, 0)));
    const list = make(left, "ul", "vs-tally");
    for (const { reason, count } of today.aside) {
      const row = make(list, "li");
      make(row, "b", "", formatCount(count));
      span(row, "", words.asideReasons[reason] ?? reason);
      const show = linkButton(row, words.show, () => panel.go("library", { status: [`archived:${reason}`] }));
      show.setAttribute("aria-label", `${words.show}: ${words.asideReasons[reason] ?? reason}`);
    }
  }
  if (today.failed.length > 0) {
    const right = columns.createDiv();
    make(right, "h3", "", words.failedTitleOf(today.failed.length, today.subscriptions));
    for (const one of today.failed) {
      const isLogin = one.status === "needs_login";
      const row = div(right, isLogin ? "vs-fail" : "vs-fail is-bad");
      appendIcon(row, isLogin ? "key" : "alert-circle");
      const text = row.createDiv();
      make(text, "b", "", one.title);
      make(text, "p", "", [words.feedStates[one.status], one.reason].filter(Boolean).join(" · "));
      press(row, words.openSettings, () => panel.settings());
    }
  }
}
