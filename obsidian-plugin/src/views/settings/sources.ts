import { words } from "../../i18n";
import type { Feeds, Subscription } from "../../api/client";
import { appendIcon, commandBox, div, explainError, formatTime, iconButton, press, span, make } from "../../ui/dom";
import type { Settings } from "./panel";
import { settingRow, splitWords, toggle } from "./rows";

type Change = Record<string, string | number | boolean | string[] | null>;

/** The watchlist: each subscription with its switch, last result and what can be done with it. */
export async function drawSources(settings: Settings): Promise<(el: HTMLElement) => void> {
  const feeds = await settings.client.feeds();
  return (el) => {
    const { host } = settings;
    drawProblem(settings, el, feeds);
    const control = settingRow(el, feeds.schedule || words.noSources, words.sourcesText);
    press(control, words.importWord, () => openImport(settings), "", "upload");
    if (feeds.subscriptions.length > 0) press(control, "OPML", () => void settings.act(async () => host.save("watchlist", (await settings.client.exportFeeds()).opml, "opml")), "", "download");
    press(control, words.add, () => openAdd(settings), "mod-cta", "plus");
    for (const one of feeds.subscriptions) drawSource(settings, el, one);
  };
}

export function drawProblem({ host }: Settings, el: HTMLElement, found: Pick<Feeds, "problem">): void {
  const { problem } = found;
  if (!problem) return;
  const box = el.createDiv({ cls: "vs-callout is-bad", attr: { role: "alert" } });
  appendIcon(box, "alert-circle");
  const lines = box.createDiv();
  make(lines, "b", "", words.fileAt("preference.yaml", problem.line, problem.column));
  make(lines, "p", "", `${problem.message} ${problem.fix} ${words.invalidTitle}.`);
  openFile(host, lines);
}

/** The file itself, one click away where a program can open it; else its path to copy. */
export function openFile(host: Settings["host"], el: HTMLElement): void {
  if (host.openFile) press(el, words.openFile, () => host.openFile?.(".kb/preference.yaml"), "", "file-text");
  else commandBox(host, el, ".kb/preference.yaml");
}

function every(minutes: number): string {
  return minutes % 1440 === 0 ? words.everyDays(minutes / 1440) : minutes % 60 === 0 ? words.everyHours(minutes / 60) : words.everyMinutes(minutes);
}

const STATES: Record<string, [icon: string, cls: string]> = {
  failed: ["alert-circle", "is-bad"],
  unavailable: ["wrench", "is-warn"],
  needs_login: ["key", "is-warn"],
  rate_limited: ["clock", "is-warn"],
  unchanged: ["clock", ""],
};

function drawSource(settings: Settings, parent: HTMLElement, one: Subscription): void {
  const { host, client } = settings;
  const row = div(parent, one.enabled ? "vs-source" : "vs-source is-off");
  const name = one.title || one.id;
  toggle(row, name, one.enabled, (on) => void settings.act(() => client.setFeed(one.id, { enabled: on })));
  const what = div(row, "vs-what");
  span(what, "vs-name", name);
  what.createSpan({ cls: "vs-sub", text: ` ${words.sourceTypes[one.type] ?? one.type}${one.follows ? ` · ${words.followed}` : ""}`, attr: { title: one.url } });
  const { last } = one;
  const [icon, cls] = STATES[last?.status ?? ""] ?? ["check", ""];
  const state = what.createDiv().createSpan({ cls: `vs-state-badge ${one.enabled ? cls : ""}` });
  appendIcon(state, one.enabled ? (last ? icon : "circle") : "minus");
  const when = last ? formatTime(new Date(last.at)) : "";
  const good = last?.status === "ok" ? words.newAt(last.items, when) : last ? [words.feedStates[last.status], last.reason].filter(Boolean).join(": ") : words.neverFetched;
  span(state, "", one.enabled ? good : words.off);
  if (last?.status === "needs_login") commandBox(host, what, `kb feeds login ${one.id}`);
  const set = span(row, "vs-set");
  span(set, "", every(one.interval_min));
  make(set, "br");
  const delta = one.delta ? ` ${one.delta > 0 ? "+" : "−"}${Math.abs(one.delta)}` : "";
  span(set, "", words.weightIs(String(one.weight) + delta));
  const button = iconButton(row, "more-horizontal", words.sourceActions(name), () =>
    host.menu(button, [
      { label: words.test, icon: "check", run: () => void openTest(settings, one) },
      ...(one.follows ? [] : [{ label: words.edit, icon: "pencil", run: () => openEdit(settings, one) }]),
      ...(one.type === "rss" || one.type === "site" || one.type === "youtube-channel" ? [] : [{ label: words.logIn, icon: "key", run: () => void openLogin(settings, one) }]),
      { label: words.remove, icon: "x", run: () => openRemove(settings, one) },
    ]),
  );
}

interface Line {
  key: string;
  label: string;
  value: string;
  hint?: string;
}

/** A form in a modal: fields, what the sidecar says against them, two buttons. */
function form(settings: Settings, title: string, lines: Line[], action: string, send: (values: Record<string, string>) => Promise<unknown>): void {
  const { host } = settings;
  host.modal(title, (el, close) => {
    const inputs = lines.map((line) => {
      const box = div(el, "vs-field");
      const id = `vs-form-${line.key}`;
      box.createEl("label", { text: line.label, attr: { for: id } });
      const input = box.createEl("input", { attr: { id, type: "text", spellcheck: "false", ...(line.hint ? { placeholder: line.hint } : {}) } });
      input.value = line.value;
      return [line.key, input] as const;
    });
    const problem = el.createEl("p", { cls: "vs-small vs-bad-text", attr: { role: "alert" } });
    const acts = div(el, "modal-button-container");
    press(acts, words.cancel, close);
    const go = press(acts,
      action,
      () => {
        go.disabled = true;
        settings.change(() => send(Object.fromEntries(inputs.map(([key, input]) => [key, input.value.trim()])))).then(close, (error: unknown) => {
          problem.setText(explainError(error));
          go.disabled = false;
        });
      },
      "mod-cta",
    );
    el.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing && event.target instanceof HTMLInputElement) go.click();
    });
    inputs[0]?.[1].focus();
  });
}

function openAdd(settings: Settings): void {
  const lines = [
    { key: "url", label: words.address, value: "", hint: words.addressHint },
    { key: "title", label: words.nameOptional, value: "" },
    { key: "tags", label: words.ingestTags, value: "", hint: words.ingestTagsHint },
  ];
  form(settings, words.addSource, lines, words.add, ({ url = "", title = "", tags = "" }) => settings.client.addFeed({ url, title, tags: splitWords(tags) }));
}

function openEdit(settings: Settings, one: Subscription): void {
  const lines = [
    { key: "title", label: words.columnTitle, value: one.title },
    ...(one.has_private_part ? [] : [{ key: "url", label: words.address, value: one.url }]),
    { key: "interval_min", label: words.intervalMinutes, value: String(one.interval_min) },
    { key: "weight", label: words.weight, value: String(one.weight) },
    { key: "max", label: words.maxEntries, value: String(one.max) },
    { key: "max_age_days", label: words.maxAge, value: one.max_age_days === null ? "" : String(one.max_age_days) },
    { key: "tags", label: words.ingestTags, value: one.tags.join(", "), hint: words.ingestTagsHint },
  ];
  form(settings, one.title || one.id, lines, words.saveWord, (values) => {
    const change: Change = {};
    for (const line of lines) {
      const value = values[line.key] ?? "";
      if (value === line.value) continue;
      if (line.key === "tags") change[line.key] = splitWords(value);
      else if (line.key === "title" || line.key === "url") change[line.key] = value;
      else change[line.key] = value === "" ? null : Number.isNaN(Number(value)) ? value : Number(value);
    }
    return settings.client.setFeed(one.id, change);
  });
}

function openRemove(settings: Settings, one: Subscription): void {
  const { host } = settings;
  host.modal(words.removeSource(one.title || one.id), (el, close) => {
    make(el, "p", "", words.removeSourceText);
    const acts = div(el, "modal-button-container");
    press(acts, words.cancel, close);
    press(acts,
      words.remove,
      () => {
        close();
        void settings.act(() => settings.client.removeFeed(one.id));
      },
      "mod-warning",
    );
  });
}

async function openTest(settings: Settings, one: Subscription): Promise<void> {
  const { host } = settings;
  const notice = host.progress(words.testing(one.title || one.id));
  try {
    const found = await settings.client.testFeed(one.id);
    notice.end(found.problems.join(" ") || words.tested(found.entries.length));
    host.modal(found.feed.title || one.id, (el) => {
      make(el, "p", found.problems.length > 0 ? "vs-bad-text" : "vs-muted", found.problems.join(" ") || words.tested(found.entries.length));
      const list = make(el, "ul", "vs-steps");
      for (const entry of found.entries.slice(0, 20)) {
        const item = make(list, "li");
        appendIcon(item, "file-text");
        span(item, "", entry.title).createEl("small", { text: [entry.published?.slice(0, 10), words.bodyStates[entry.body_state]].filter(Boolean).join(" · ") });
      }
    });
  } catch (error) {
    notice.end(explainError(error));
  }
}

/** The login of a server of the owner's, by the picture that server draws. */
export async function openLogin(settings: Settings, one: Pick<Subscription, "id" | "title">): Promise<void> {
  const { host } = settings;
  const notice = host.progress(words.askingLogin);
  try {
    const said = await settings.client.loginFeed(one.id);
    notice.end(said.message || words.scanCode);
    if (!said.image) return;
    const address = host.imageAddress(said.image);
    host.modal(words.scanCode, (el) => {
      el.createEl("img", { cls: "vs-code", attr: { src: address, alt: words.scanCode } });
      make(el, "p", "vs-muted", said.message);
      commandBox(host, el, `kb feeds login ${one.id}`);
    });
  } catch (error) {
    notice.end(explainError(error));
  }
}

function openImport(settings: Settings): void {
  const { host } = settings;
  host.modal(words.importTitle, (el, close) => {
    const box = div(el, "vs-field");
    box.createEl("label", { text: words.importHint, attr: { for: "vs-import" } });
    const area = box.createEl("textarea", { attr: { id: "vs-import", rows: "6", spellcheck: "false" } });
    const file = box.createEl("input", { attr: { type: "file", accept: ".opml,.xml,.json,.txt", "aria-label": words.importFile } });
    file.addEventListener("change", () => void file.files?.[0]?.text().then((text) => (area.value = text)));
    const said = el.createEl("p", { cls: "vs-small", attr: { role: "status" } });
    const acts = div(el, "modal-button-container");
    press(acts, words.close, close);
    press(acts,
      words.importWord,
      () => {
        const work = async (): Promise<void> => {
          const done = await settings.client.importFeeds(area.value);
          said.setText([words.imported(done.added.length, done.known.length), ...done.problems.slice(0, 5)].join(" "));
        };
        settings.change(work).catch((error: unknown) => said.setText(explainError(error)));
      },
      "mod-cta",
    );
  });
}
