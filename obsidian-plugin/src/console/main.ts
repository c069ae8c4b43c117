import type { SidecarClient } from "../api/client";
import { Connection } from "../connection";
import { bookmarklets, handedLink, linkInHash } from "../handed";
import { Unreachable } from "../api/errors";
import type { Host, MenuItem } from "../host";
import { localeOf, speak, type Words, words, locale } from "../i18n";
import { showStatus } from "../ui/status";
import { appendIcon, iconButton, useIcons } from "../ui/dom";
import { BacklinksPane } from "../views/backlinks";
import { BriefPane } from "../views/brief/panel";
import { IngestPanel } from "../views/ingest";
import { MetabolismPane } from "../views/metabolism";
import { MapPane } from "../views/map";
import { SearchPanel } from "../views/search";
import { diagnose } from "../ui/diagnostics";
import { SettingsPane } from "../views/settings/panel";
import { consoleConnector } from "./connector";
import { GraphView } from "./graph/view";
import { installDomHelpers } from "./dom";
import { ICONS } from "./icons";
import { openOverlay } from "./overlay";
import { ownWords, type OwnWords } from "./words";
import { readRoute, writeRoute, type Route } from "./route";
import { Reader } from "./reader";

type Tab = "map" | "note" | "links";
type Place = Route["place"];

const NOTICE_MS = 4000;
/** How long an open console may take to answer for a link. */
const HAND_OVER_MS = 600;

/** The console: map, note and backlinks side by side, the same views as in Obsidian. */
function start(): void {
  installDomHelpers();
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const setTheme = (isDark: boolean): void => {
    document.body.classList.toggle("theme-dark", isDark);
    document.body.classList.toggle("theme-light", !isDark);
  };
  setTheme(dark.matches);
  dark.addEventListener("change", () => setTheme(dark.matches));

  const tag = localeOf(new URLSearchParams(location.search).get("lang") ?? navigator.language);
  document.documentElement.lang = tag;
  speak(tag);
  useIcons(drawIcon);
  const own = ownWords(tag);
  const connection = new Connection(consoleConnector(() => connection.nudge()));

  const app = document.body.createDiv({ cls: "vs-console" });
  const bar = app.createEl("header", { cls: "vs-console-bar" });
  const main = app.createEl("main", { cls: "vs-console-main" });
  const notes = main.createDiv({ cls: "vs-console-notes", attr: { "data-place": "notes" } });
  const tabs = notes.createDiv({ cls: "vs-nav vs-console-tabs", attr: { role: "tablist", "aria-label": own.placeNotes } });
  for (const [tab, text] of [["map", own.tabMap], ["note", own.tabNote], ["links", own.tabLinks]] as [Tab, string][]) {
    tabs.createEl("button", { text, attr: { type: "button", role: "tab", "data-tab": tab } }).addEventListener("click", () => show(tab));
  }
  const notices = document.body.createDiv({ cls: "vs-notices", attr: { role: "status", "aria-live": "polite" } });

  const show = (tab: Tab): void => {
    notes.dataset["tab"] = tab;
    for (const button of tabs.querySelectorAll<HTMLElement>("[role=tab]")) button.setAttribute("aria-selected", String(button.dataset["tab"] === tab));
  };

  const host: Host = {
    openNote(path, newTab) {
      const hash = writeRoute({ place: "notes", note: path });
      if (newTab) window.open(location.pathname + location.search + hash, "_blank");
      else if (location.hash === hash) goTo();
      else location.hash = hash;
    },
    search: (query) => openSearch(query),
    browse: (url) => {
      if (/^https?:/i.test(url)) window.open(url, "_blank", "noopener,noreferrer");
    },
    recall: (key) => JSON.parse(localStorage.getItem(`vs-${key}`) ?? "null") as unknown,
    remember: (key, value) => localStorage.setItem(`vs-${key}`, JSON.stringify(value)),
    menu: openMenu,
    modal: (title, fill) =>
      openOverlay(title, "modal", (el, close) => {
        el.createEl("h2", { cls: "modal-title", text: title });
        fill(el.createDiv(), close);
        iconButton(el, "x", words.close, close).addClass("modal-close-button");
        return () => undefined;
      }),
    imageAddress(data) {
      const [head = "", body = ""] = data.split(",");
      const bytes = Uint8Array.from(atob(body), (char) => char.charCodeAt(0));
      return URL.createObjectURL(new Blob([bytes], { type: /^data:(image\/(?:png|jpeg|gif|webp))/.exec(head)?.[1] ?? "image/png" }));
    },
    save(name, text, ending = "md") {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
      link.download = `${name}.${ending}`;
      link.click();
      URL.revokeObjectURL(link.href);
      return Promise.resolve();
    },
    copy: (text) => navigator.clipboard.writeText(text),
    notify(text) {
      const notice = notices.createDiv({ cls: "notice", text });
      window.setTimeout(() => notice.remove(), NOTICE_MS);
    },
    progress(text) {
      const notice = notices.createDiv({ cls: "notice", text });
      return {
        set: (next) => notice.setText(next),
        end(last) {
          notice.setText(last);
          window.setTimeout(() => notice.remove(), NOTICE_MS);
        },
      };
    },
  };

  const openSearch = (query: string): void =>
    openOverlay(words.search, "prompt", (el, close) => {
      const panel = new SearchPanel(host, connection, close);
      panel.mount(el, query);
      return () => panel.unmount();
    });
  const openIngest = (prefill: string): void =>
    openOverlay(words.ingest, "modal", (el, close) => {
      const panel = new IngestPanel(host, connection, {
        prefill,
        fromClipboard: false,
        openWhenDone: false,
        handedOver: prefill !== "",
        below: offerBookmarklets,
        close,
      });
      panel.mount(el.createDiv());
      iconButton(el, "x", words.close, close).addClass("modal-close-button");
      return () => panel.unmount();
    });

  drawBar(bar, connection, { openSearch: () => openSearch(""), openIngest: () => openIngest(""), setTheme });

  const map = new MapPane(host, connection);
  map.mount(notes.createEl("aside", { cls: "vs-console-side", attr: { "data-part": "map" } }).createDiv());
  const reading = notes.createEl("section", { cls: "vs-console-note vs-view", attr: { "data-part": "note", tabindex: "-1" } });
  const ask = <T>(question: (client: SidecarClient) => Promise<T>): Promise<T> => {
    const client = connection.client;
    return client ? question(client) : Promise.reject(new Unreachable(words.offlineTitle));
  };
  const reader = new Reader(reading, host, connection, (note) => ask((client) => client.entry(note)), (path) => ask((client) => client.picture(path)));
  const backlinks = new BacklinksPane(host, connection);
  backlinks.mount(notes.createEl("aside", { cls: "vs-console-side", attr: { "data-part": "links" } }).createDiv());
  /** Views of their own are made when first gone to, and work only while they are shown. */
  let open: { place: Place; end: () => void } | null = null;
  const openPlace = (place: Place): void => {
    for (const link of bar.querySelectorAll<HTMLElement>("[data-to]")) {
      if (link.dataset["to"] === place) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    notes.toggleClass("is-hidden", place !== "notes");
    if (open?.place === place) return;
    open?.end();
    open = null;
    const make = place === "notes" ? undefined : views[place];
    if (!make) return;
    const el = main.createDiv({ cls: "vs-console-place", attr: { "data-place": place } });
    const view = make();
    view.mount(el.createDiv());
    open = {
      place,
      end: () => {
        view.unmount();
        el.remove();
      },
    };
  };
  const views: Partial<Record<Place, () => { mount(el: HTMLElement): void; unmount(): void }>> = {
    settings: () => new SettingsPane(host, connection, () => void host.copy(diagnose(connection, "console")).then(() => host.notify(words.diagnosticsCopied))),
    metabolism: () => new MetabolismPane(host, connection),
    graph: () => new GraphView(host, connection, lastNote),
    brief: () => new BriefPane(host, connection, () => (location.hash = writeRoute({ place: "settings", note: null }))),
  };
  let lastNote: string | null = null;
  const goTo = (): void => {
    const { place, note } = readRoute(location.hash);
    if (place === "notes") lastNote = note;
    openPlace(place);
    if (place !== "notes") return;
    backlinks.setNote(note);
    if (note === null) {
      reader.clear();
      show("map");
    } else {
      if (connection.client) void reader.open(note);
      show("note");
    }
  };
  window.addEventListener("hashchange", goTo);
  let isReady = false;
  connection.onState((state) => {
    // The note that the address names is read as soon as there is someone to ask.
    if (state.kind === "ready" && !isReady) goTo();
    isReady = state.kind === "ready";
  });
  show("map");

  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (typing || document.querySelector("dialog[open]")) return;
    if (event.key === "/" || (event.key === "k" && (event.ctrlKey || event.metaKey))) {
      event.preventDefault();
      openSearch("");
    }
  });
  const handed = linkInHash(location.hash);
  if (handed) history.replaceState(null, "", location.pathname);
  void connection.run();
  shareLinks(handed, () => connection.client !== null, openIngest, () => host.notify(own.handedOn));
}

/**
 * A page that a bookmarklet opened has no key of its own: it hands its link to a console that is open, which asks its reader.
 * The channel reaches pages of this origin only.
 */
function shareLinks(handed: string, hasKey: () => boolean, ask: (link: string) => void, taken: () => void): void {
  const channel = new BroadcastChannel("vault-sidecar-ingest");
  let isTaken = false;
  channel.addEventListener("message", (event: MessageEvent<{ link?: unknown; taken?: unknown }>) => {
    const link = handedLink(event.data.link);
    if (link && hasKey() && !document.querySelector("dialog[open]")) {
      channel.postMessage({ taken: link });
      ask(link);
    } else if (handed && event.data.taken === handed && !isTaken) {
      isTaken = true;
      taken();
    }
  });
  if (!handed) return;
  channel.postMessage({ link: handed });
  window.setTimeout(() => {
    if (!isTaken) ask(handed);
  }, HAND_OVER_MS);
}

interface BarActions {
  openSearch(): void;
  openIngest(): void;
  setTheme(isDark: boolean): void;
}

function drawBar(bar: HTMLElement, connection: Connection, actions: BarActions): void {
  const own = ownWords(locale);
  bar.createEl("h1", { text: words.appName });
  const places = bar.createEl("nav", { cls: "vs-nav", attr: { "aria-label": words.appName } });
  for (const [place, text] of placesOf(words, own)) {
    places.createEl("a", { text, attr: { href: writeRoute({ place, note: null }), "data-to": place } });
  }
  showStatus(connection, bar.createDiv({ attr: { role: "status" } }));
  const search = bar.createEl("button", { cls: "vs-console-search", attr: { type: "button", "aria-label": words.search } });
  appendIcon(search, "search");
  search.createSpan({ text: words.search });
  search.createEl("kbd", { text: "/" });
  search.addEventListener("click", () => actions.openSearch());
  const ingest = bar.createEl("button", { cls: "mod-cta", attr: { type: "button" } });
  appendIcon(ingest, "download");
  ingest.createSpan({ text: words.ingest });
  ingest.addEventListener("click", () => actions.openIngest());
  iconButton(bar, "sun-moon", own.theme, () => actions.setTheme(!document.body.classList.contains("theme-dark")));
}

function placesOf(words: Words, own: OwnWords): [Place, string][] {
  return [["notes", own.placeNotes], ["brief", words.brief], ["metabolism", words.metabolism], ["graph", own.graph], ["settings", words.settings]];
}

/** Links to drag into the bookmarks bar. */
function offerBookmarklets(body: HTMLElement): void {
  const own = ownWords(locale);
  const offered = bookmarklets(location.origin);
  const box = body.createDiv({ cls: "vs-field" });
  box.createSpan({ cls: "vs-small vs-muted", text: own.bookmarkletHint });
  const row = box.createDiv({ cls: "vs-acts" });
  for (const [text, href] of [[own.bookmarkletConsole, offered.console], [own.bookmarkletObsidian, offered.obsidian]] as const) {
    row.createEl("a", { text, attr: { href } }).addEventListener("click", (event) => event.preventDefault());
  }
}

/** A menu below a button: arrows move, Escape closes. */
function openMenu(anchor: HTMLElement, items: MenuItem[]): void {
  document.querySelector(".vs-menu")?.remove();
  const menu = document.body.createDiv({ cls: "menu vs-menu", attr: { role: "menu" } });
  const end = (): void => {
    menu.remove();
    document.removeEventListener("mousedown", beside, true);
    anchor.focus();
  };
  const beside = (event: MouseEvent): void => {
    if (!menu.contains(event.target as Node)) end();
  };
  document.addEventListener("mousedown", beside, true);
  for (const { label, icon, run } of items) {
    const button = menu.createEl("button", { cls: "menu-item", attr: { role: "menuitem", type: "button" } });
    drawIcon(button.createSpan({ cls: "vs-icon" }), icon);
    button.createSpan({ text: label });
    button.addEventListener("click", () => {
      end();
      run();
    });
  }
  menu.addEventListener("keydown", (event) => {
    const buttons = Array.from(menu.querySelectorAll<HTMLElement>("button"));
    const at = buttons.indexOf(document.activeElement as HTMLElement);
    if (event.key === "ArrowDown") buttons[(at + 1) % buttons.length]?.focus();
    else if (event.key === "ArrowUp") buttons[(at - 1 + buttons.length) % buttons.length]?.focus();
    else if (event.key === "Escape" || event.key === "Tab") end();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const { left, right, bottom } = anchor.getBoundingClientRect();
  menu.setCssProps({ "--vs-x": `${Math.max(4, Math.min(left, right - 220, innerWidth - 228))}px`, "--vs-y": `${Math.min(bottom + 4, innerHeight - menu.offsetHeight - 8)}px` });
  menu.querySelector("button")?.focus();
}

function drawIcon(el: HTMLElement, name: string): void {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("class", "svg-icon");
  svg.setAttribute("viewBox", "0 0 24 24");
  for (const d of ICONS[name] ?? []) {
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  el.replaceChildren(svg);
}

start();
