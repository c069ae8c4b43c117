/**
 * A stand-in for the parts of Obsidian that the plugin uses, so that the real `main.js` can run in a browser against a real sidecar.
 * Test only. Names that Obsidian's own declarations do not have fail to compile (see `exported` at the end).
 */
import type * as official from "obsidian";
import { installDomHelpers } from "../../src/console/dom";

type Callback = (...args: unknown[]) => void;

class Events {
  private readonly listeners = new Map<string, Set<Callback>>();

  offref(ref: { off(): void }): void {
    ref.off();
  }

  on(name: string, callback: Callback): { off(): void } {
    const set = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, set.add(callback));
    return { off: () => set.delete(callback) };
  }

  trigger(name: string, ...args: unknown[]): void {
    for (const callback of [...(this.listeners.get(name) ?? [])]) callback(...args);
  }
}

class Component {
  private readonly ends: (() => void)[] = [];

  register(end: () => void): void {
    this.ends.push(end);
  }

  registerEvent(ref: { off(): void }): void {
    this.ends.push(() => ref.off());
  }

  unload(): void {
    for (const end of this.ends.splice(0)) end();
  }
}

export class TFile {
  constructor(readonly path: string) {}

  get extension(): string {
    return this.path.split(".").pop() ?? "";
  }

  get basename(): string {
    return (this.path.split("/").pop() ?? "").replace(/\.md$/, "");
  }
}

export class FileSystemAdapter {
  async read(path: string): Promise<string> {
    const response = await fetch(`/vault/${path}`);
    if (!response.ok) throw new Error(`no ${path}`);
    return response.text();
  }
}

class Vault extends Events {
  readonly adapter = new FileSystemAdapter();

  getFileByPath(path: string): TFile | null {
    return new TFile(path);
  }

  getAbstractFileByPath(path: string): TFile | null {
    return new TFile(path);
  }

  /** Read, change and write a file of the vault, as Obsidian does in one step. */
  async process(file: TFile, change: (text: string) => string): Promise<string> {
    const text = change(await this.adapter.read(file.path));
    await fetch(`/vault/${file.path}`, { method: "PUT", body: text });
    return text;
  }
}

export class WorkspaceLeaf {
  view: ItemView | null = null;
  readonly el = document.body.createDiv({ cls: "standin-leaf" });

  constructor(private readonly app: App) {}

  async setViewState(state: { type: string }): Promise<void> {
    await this.view?.onClose();
    this.el.empty();
    this.view = this.app.viewMakers.get(state.type)?.(this) ?? null;
    if (this.view) this.el.append(this.view.contentEl);
    await this.view?.onOpen();
  }

  async close(): Promise<void> {
    await this.view?.onClose();
    this.view?.unload();
    this.el.remove();
    this.app.workspace.leaves.delete(this);
  }
}

class Workspace extends Events {
  readonly leaves = new Set<WorkspaceLeaf>();
  private active: TFile | null = null;

  constructor(private readonly app: App) {
    super();
  }

  onLayoutReady(callback: () => void): void {
    window.setTimeout(callback, 0);
  }

  getActiveFile(): TFile | null {
    return this.active;
  }

  getActiveViewOfType(): null {
    return null;
  }

  getLeavesOfType(type: string): WorkspaceLeaf[] {
    return [...this.leaves].filter((leaf) => leaf.view?.getViewType() === type);
  }

  getRightLeaf(): WorkspaceLeaf {
    const leaf = new WorkspaceLeaf(this.app);
    this.leaves.add(leaf);
    return leaf;
  }

  async revealLeaf(): Promise<void> {}

  getLeaf(): WorkspaceLeaf {
    return this.getRightLeaf();
  }

  /** A file of the vault gets another name, and who has it open learns of that. */
  rename(path: string): void {
    const before = this.active?.path ?? "";
    this.active = new TFile(path);
    this.app.vault.trigger("rename", this.active, before);
  }

  async openLinkText(path: string): Promise<void> {
    this.active = new TFile(path);
    this.trigger("file-open", this.active);
  }
}

class App {
  readonly viewMakers = new Map<string, (leaf: WorkspaceLeaf) => ItemView>();
  readonly commands = new Map<string, official.Command>();
  readonly protocolHandlers = new Map<string, (parameters: Record<string, string>) => void>();
  readonly vault = new Vault();
  readonly setting = new SettingsWindow();
  readonly workspace = new Workspace(this);
  loadLocalStorage(key: string): unknown {
    return JSON.parse(window.localStorage.getItem(key) ?? "null") as unknown;
  }

  saveLocalStorage(key: string, data: unknown): void {
    window.localStorage.setItem(key, JSON.stringify(data));
  }

  readonly fileManager = { generateMarkdownLink: (file: TFile, _source: string, _sub?: string, alias?: string) => (alias ? `[[${file.basename}|${alias}]]` : `[[${file.basename}]]`) };
}

export class Plugin extends Component {
  constructor(
    readonly app: App,
    readonly manifest: { id: string },
  ) {
    super();
  }

  /** A page that opens `obsidian://ACTION?…` ends up here. */
  registerObsidianProtocolHandler(action: string, handler: (parameters: Record<string, string>) => void): void {
    this.app.protocolHandlers.set(action, handler);
  }

  async loadData(): Promise<unknown> {
    return JSON.parse(window.sessionStorage.getItem("data.json") ?? "null") as unknown;
  }

  async saveData(data: unknown): Promise<void> {
    window.sessionStorage.setItem("data.json", JSON.stringify(data));
  }

  addCommand(command: official.Command): void {
    this.app.commands.set(command.id, command);
  }

  addRibbonIcon(_icon: string, title: string, callback: () => void): void {
    document.body.createEl("button", { text: title, cls: "standin-ribbon" }).addEventListener("click", callback);
  }

  addStatusBarItem(): HTMLElement {
    return document.body.createDiv({ cls: "standin-status" });
  }

  addSettingTab(tab: PluginSettingTab): void {
    this.app.setting.tabs.set(this.manifest.id, tab);
  }

  registerView(type: string, make: (leaf: WorkspaceLeaf) => ItemView): void {
    this.app.viewMakers.set(type, make);
  }
}

export class ItemView extends Component {
  readonly contentEl = document.createElement("div");
  readonly app: App;

  constructor(readonly leaf: WorkspaceLeaf) {
    super();
    this.app = app;
  }

  getViewType(): string {
    return "";
  }

  async onOpen(): Promise<void> {}

  async onClose(): Promise<void> {}
}

export class Modal {
  readonly modalEl = document.createElement("div");
  readonly contentEl: HTMLElement;

  constructor(readonly app: App) {
    this.modalEl.className = "modal";
    this.contentEl = this.modalEl.createDiv({ cls: "modal-content" });
  }

  setTitle(title: string): this {
    this.modalEl.prepend(document.createElement("h2"));
    this.modalEl.querySelector("h2")?.append(title);
    return this;
  }

  open(): void {
    document.body.append(this.modalEl);
    this.onOpen();
  }

  close(): void {
    this.onClose();
    this.modalEl.remove();
  }

  onOpen(): void {}

  onClose(): void {}
}

/** One row of settings; only those that draw themselves are drawn here. */
export class Setting {
  readonly settingEl = document.body.createDiv({ cls: "setting-item" });
}

export abstract class PluginSettingTab {
  constructor(readonly app: App, readonly plugin: Plugin) {}

  abstract getSettingDefinitions(): official.SettingDefinitionItem[];

  update(): void {}
}

class SettingsWindow {
  readonly tabs = new Map<string, PluginSettingTab>();

  open(): void {}

  openTabById(id: string): void {
    for (const item of this.tabs.get(id)?.getSettingDefinitions() ?? []) {
      if ("render" in item) item.render(new Setting() as unknown as official.Setting, null as unknown as official.SettingGroup);
    }
  }
}

export class Menu {
  private readonly el = document.createElement("div");

  addItem(fill: (item: MenuItem) => void): this {
    fill(new MenuItem(this.el));
    return this;
  }

  showAtPosition(): this {
    this.el.className = "menu";
    document.body.append(this.el);
    return this;
  }
}

class MenuItem {
  private readonly button: HTMLElement;

  constructor(private readonly menu: HTMLElement) {
    this.button = menu.createEl("button", { attr: { role: "menuitem" } });
  }

  setTitle(text: string): this {
    this.button.setText(text);
    return this;
  }

  setIcon(): this {
    return this;
  }

  onClick(run: () => void): this {
    this.button.addEventListener("click", () => {
      this.menu.remove();
      run();
    });
    return this;
  }
}

export function normalizePath(path: string): string {
  return path.replace(/\/+/g, "/").replace(/^\/|\/$/g, "");
}

export class MarkdownView {}

export class Notice {
  private readonly el: HTMLElement;

  constructor(text: string, timeout = 4000) {
    this.el = document.body.createDiv({ cls: "notice", text });
    if (timeout > 0) window.setTimeout(() => this.hide(), timeout);
  }

  setMessage(text: string): this {
    this.el.setText(text);
    return this;
  }

  hide(): void {
    this.el.remove();
  }
}

export const Platform = { isWin: false, isMacOS: false };

export function setIcon(el: HTMLElement, name: string): void {
  el.setAttribute("data-icon", name);
}

export function getLanguage(): string {
  return new URLSearchParams(location.search).get("lang") ?? "en";
}

/** Obsidian's request comes from no page: no Origin is sent. The test's own server passes it on. */
export async function requestUrl(request: official.RequestUrlParam): Promise<{ status: number; text: string }> {
  const response = await fetch("/request", { method: "POST", body: JSON.stringify(request) });
  if (response.status === 599) throw new Error("net::ERR_CONNECTION_REFUSED");
  return { status: response.status, text: await response.text() };
}

installDomHelpers();
Object.assign(window, { process: { env: { XDG_STATE_HOME: "/state" } } });
const app = new App();

const exported = {
  FileSystemAdapter, getLanguage, ItemView, MarkdownView, Menu, Modal, normalizePath, Notice, Platform, Plugin, PluginSettingTab, requestUrl, Setting, setIcon,
  TFile, WorkspaceLeaf,
} satisfies Partial<Record<keyof typeof official, unknown>>;

const modules: Record<string, unknown> = {
  obsidian: exported,
  "fs/promises": { readFile: async (path: string) => (await fetch(`/fs?path=${encodeURIComponent(path)}`)).text() },
  os: { homedir: () => "/home" },
  path: { join: (...parts: string[]) => parts.join("/") },
};

interface Started {
  app: App;
  plugin: Plugin & { onload(): Promise<void> };
  onloadMs: number;
}

declare global {
  interface Window {
    standin: Promise<Started>;
  }
}

async function start(): Promise<Started> {
  const module = { exports: {} as { default?: new (app: App, manifest: { id: string }) => Started["plugin"] } };
  const code = await (await fetch("/main.js")).text();
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- Obsidian loads a plugin's code in just this way
  const load = new Function("require", "module", "exports", code) as (require: (name: string) => unknown, module: unknown, exports: unknown) => void;
  load((name) => modules[name], module, module.exports);
  if (!module.exports.default) throw new Error("main.js exports no plugin");
  const plugin = new module.exports.default(app, { id: "vault-sidecar" });
  const begin = performance.now();
  await plugin.onload();
  return { app, plugin, onloadMs: performance.now() - begin };
}

window.standin = start();
