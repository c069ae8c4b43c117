import { words } from "../i18n";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { appendIcon, commandBox, div, explainError, formatCount, linkButton, press, showEmpty, span, make } from "../ui/dom";
import { Pane } from "../ui/pane";
import { drawSpark } from "../ui/svg";
import { MetabolismSource, type Condition, type Dying, type Health } from "./metabolism_source";

const FEW = 8;
/** Days before which an inbox note is called soon. */
const SOON = 7;

/** What ages, and what can be done before: health, docket with its reasons, the inbox that expires. Nothing here buries. */
export class MetabolismPane extends Pane {
  private readonly source: MetabolismSource;
  private all = false;

  constructor(host: Host, connection: Connection) {
    super(host, connection, words.metabolism, "view");
    this.source = new MetabolismSource(() => this.connection.client);
  }

  protected concerns(event: string): boolean {
    return event === "graph-changed" || event === "metabolism" || event === "reset";
  }

  protected drawHead(): void {
    const title = make(this.head, "h2", "", words.metabolism);
    title.addClass("vs-bar-title");
  }

  protected async load(): Promise<() => void> {
    const [health, docket] = await Promise.all([this.source.health(), this.source.docket()]);
    return () => this.draw(health, docket);
  }

  private draw(health: Health, docket: Dying[]): void {
    const body = div(this.body, "vs-body");
    const need = make(body, "section", "vs-need");
    const soon = health.expiring.filter((one) => one.days >= 0 && one.days <= SOON).length;
    make(need, "h1", "", words.needSentence(docket.length + soon));
    make(need, "p", "vs-muted", words.needDetail(soon, docket.length, health.chewable.length));
    this.drawStats(body, health);
    const columns = div(body, "vs-cols");
    this.drawDocket(columns.createDiv(), health, docket);
    this.drawSide(columns.createDiv(), health);
  }

  private drawStats(parent: HTMLElement, health: Health): void {
    const list = make(parent, "dl", "vs-stats");
    for (const stat of health.stats) {
      const cell = div(list, "vs-stat");
      make(cell, "dt", "", words.stats[stat.key] ?? stat.key);
      const figure = make(cell, "dd", "", stat.figure);
      make(figure, "small", "", ` ${stat.beside}`);
      if (stat.share !== undefined) div(make(cell, "dd", "vs-extra"), "vs-meter").createEl("i").setCssProps({ width: `${Math.round(stat.share * 100)}%` });
      else if (stat.months.length > 1) {
        make(cell, "dd", "vs-visually-hidden", words.months(stat.months.length, Math.min(...stat.months), Math.max(...stat.months)));
        drawSpark(make(cell, "dd", "vs-extra"), stat.months, true);
      }
    }
    make(parent, "p", "vs-small vs-muted vs-under", words.aliveMeans);
  }

  private drawDocket(parent: HTMLElement, health: Health, docket: Dying[]): void {
    const head = div(make(parent, "section", "vs-section"), "vs-section-head");
    make(head, "h2", "", words.docket);
    span(head, "vs-count", formatCount(docket.length));
    span(head, "vs-small vs-muted", words.allFive);
    if (docket.length === 0) return showEmpty(this.host, parent, { icon: "check", text: health.observed < 180 ? words.notYetKnown(health.observed, 180) : words.docketEmpty });
    const shown = this.all ? docket : docket.slice(0, FEW);
    for (const one of shown) this.drawDying(parent, one);
    if (docket.length > shown.length) {
      linkButton(parent, words.more(docket.length - shown.length), () => {
        this.all = true;
        void this.reload();
      });
    }
  }

  private drawDying(parent: HTMLElement, one: Dying): void {
    const box = make(parent, "article", "vs-docket");
    const head = div(box, "vs-docket-head");
    const text = head.createDiv();
    make(text, "h3", "", one.title);
    make(text, "p", "vs-small vs-muted", [words.layers[one.layer] ?? one.layer, one.path].filter(Boolean).join(" · "));
    const acts = div(head, "vs-act");
    press(acts, words.open, () => this.host.openNote(one.path, false));
    press(acts, words.promote, () => openPromote(this.host, this.connection, one.path, one.title), "", "arrow-up-circle");
    const five = make(box, "dl", "vs-five");
    for (const condition of one.conditions) this.drawCondition(five, condition);
  }

  private drawCondition(parent: HTMLElement, condition: Condition): void {
    const cell = parent.createDiv({ attr: { title: condition.why } });
    const name = make(cell, "dt");
    appendIcon(name, condition.state === "met" ? "check" : "circle");
    span(name, "", words.conditions[condition.key] ?? condition.key);
    const value = make(cell, "dd", "", condition.figure);
    make(value, "small", "", condition.detail);
  }

  private drawSide(parent: HTMLElement, health: Health): void {
    const section = (title: string, count?: number): HTMLElement => {
      const el = make(parent, "section", "vs-section");
      const head = div(el, "vs-section-head");
      make(head, "h2", "", title);
      if (count !== undefined) span(head, "vs-count", formatCount(count));
      return el;
    };
    const bury = section(words.buryOrSpare);
    make(bury, "p", "vs-muted", words.noButtonKills);
    commandBox(this.host, bury, "kb trial");
    const inbox = section(words.inboxSoonest, health.expiring.length);
    if (health.expiring.length === 0) make(inbox, "p", "vs-muted", words.inboxEmpty);
    for (const one of health.expiring.slice(0, FEW)) {
      const row = div(inbox, "vs-expire");
      make(row, "b", one.days <= SOON ? "is-soon" : "", words.inDays(one.days));
      const title = div(row, "vs-t");
      const open = make(title, "button", "vs-plain vs-title", one.title);
      open.addEventListener("click", () => this.host.openNote(one.path, false));
      press(row, words.promote, () => openPromote(this.host, this.connection, one.path, one.title));
    }
    if (health.expiring.length > FEW) make(inbox, "p", "vs-small vs-muted", words.more(health.expiring.length - FEW));
    if (health.chewable.length > 0) {
      const chew = section(words.readyToChew, health.chewable.length);
      for (const one of health.chewable.slice(0, FEW)) make(chew, "p", "", one.title);
      commandBox(this.host, chew, "kb chew");
    }
    if (health.tidy.length > 0) {
      const list = section(words.toTidy).createEl("ul", { cls: "vs-tally" });
      for (const { key, count } of health.tidy) {
        const row = make(list, "li");
        make(row, "b", "", formatCount(count));
        span(row, "", words.tidy[key] ?? key);
      }
    }
  }
}

/** Promote a note: into the wiki with when it is used again; into the core with a sentence of one's own, too. */
export function openPromote(host: Host, connection: Connection, note: string, title: string): void {
  const source = new MetabolismSource(() => connection.client);
  host.modal(words.promoteTitle(title), (el, close) => {
    const box = div(el, "vs-promote");
    const target = div(box, "vs-seg");
    let toCore = false;
    const add = (id: string, label: string, rows: string): [HTMLElement, HTMLTextAreaElement] => {
      const part = div(box, "vs-field");
      part.createEl("label", { text: label, attr: { for: id } });
      return [part, part.createEl("textarea", { attr: { id, rows } })];
    };
    const [sentenceBox, sentence] = add("vs-promote-sentence", words.sentenceQuestion, "2");
    const [, when] = add("vs-promote-when", words.whenQuestion, "2");
    const [displaceBox, displace] = add("vs-promote-displace", words.displaceQuestion, "1");
    const choose = (core: boolean): void => {
      toCore = core;
      for (const button of Array.from(target.children)) button.setAttribute("aria-pressed", String((button === target.lastChild) === core));
      sentenceBox.toggleClass("is-hidden", !core);
      displaceBox.toggleClass("is-hidden", true);
    };
    press(target, words.toWiki, () => choose(false));
    press(target, words.toCore, () => choose(true));
    choose(false);
    const problem = box.createEl("p", { cls: "vs-small vs-bad-text", attr: { role: "alert" } });
    const foot = div(box, "vs-foot");
    press(foot, words.cancel, close);
    press(foot,
      words.promote,
      () => {
        source.promote(note, when.value.trim(), toCore, sentence.value.trim(), displace.value.trim()).then(
          (path) => {
            close();
            host.notify(words.promoted(path));
          },
          (error: unknown) => {
            problem.setText(explainError(error));
            if (MetabolismSource.isFull(error)) displaceBox.toggleClass("is-hidden", false);
          },
        );
      },
      "mod-cta",
    );
    when.focus();
  });
}
