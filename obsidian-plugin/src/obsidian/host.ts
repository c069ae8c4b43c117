import { FileSystemAdapter, MarkdownView, Menu, Modal, normalizePath, Notice, TFile, type App } from "obsidian";
import type { Mention } from "../api/client";
import type { Host, MenuItem } from "../host";
import { words } from "../i18n";

const NOTICE_MS = 5000;

/** Obsidian as a host: notes open in its workspace, links are written through its own vault. */
export class ObsidianHost implements Host {
  constructor(
    private readonly app: App,
    private readonly openSearch: (query: string) => void,
  ) {}

  openNote(path: string, newTab: boolean): void {
    void this.app.workspace.openLinkText(path, "", newTab);
  }

  createNote(name: string): void {
    void this.app.workspace.openLinkText(name, this.app.workspace.getActiveFile()?.path ?? "", false);
  }

  insertLink(path: string, title: string): void {
    const view = this.app.workspace.getActiveViewOfType(MarkdownView);
    const file = this.app.vault.getFileByPath(path);
    if (!view || !file) return;
    const source = view.file?.path ?? "";
    const alias = title === file.basename ? undefined : title;
    view.editor.replaceSelection(this.app.fileManager.generateMarkdownLink(file, source, undefined, alias));
  }

  async linkMention(mention: Mention, target: string): Promise<void> {
    const source = this.app.vault.getAbstractFileByPath(mention.source);
    const file = this.app.vault.getFileByPath(target);
    if (!(source instanceof TFile) || !file) return;
    let done = false;
    await this.app.vault.process(source, (text) => {
      const points = Array.from(text);
      // The note may have been edited since it was read: link only what still stands there.
      if (points.slice(mention.start, mention.end).join("") !== mention.name) return text;
      done = true;
      const alias = mention.name === file.basename ? undefined : mention.name;
      const link = this.app.fileManager.generateMarkdownLink(file, mention.source, undefined, alias);
      return points.slice(0, mention.start).join("") + link + points.slice(mention.end).join("");
    });
    this.notify(done ? words.linked(source.basename) : words.linkFailed(source.basename));
  }

  search(query: string): void {
    this.openSearch(query);
  }

  browse(url: string): void {
    if (/^https?:/i.test(url)) window.open(url);
  }

  recall(key: string): unknown {
    return this.app.loadLocalStorage(`vault-sidecar-${key}`) as unknown;
  }

  remember(key: string, value: unknown): void {
    this.app.saveLocalStorage(`vault-sidecar-${key}`, value);
  }

  menu(anchor: HTMLElement, items: MenuItem[]): void {
    const menu = new Menu();
    for (const { label, icon, run } of items) menu.addItem((item) => item.setTitle(label).setIcon(icon).onClick(run));
    const { left, bottom } = anchor.getBoundingClientRect();
    menu.showAtPosition({ x: left, y: bottom });
  }

  modal(title: string, fill: (el: HTMLElement, close: () => void) => void): void {
    const modal = new Modal(this.app);
    modal.setTitle(title);
    fill(modal.contentEl, () => modal.close());
    modal.open();
  }

  async save(name: string, text: string, ending = "md"): Promise<void> {
    let path = normalizePath(`${name}.${ending}`);
    for (let n = 2; this.app.vault.getAbstractFileByPath(path); n++) path = normalizePath(`${name} ${n}.${ending}`);
    await this.app.vault.create(path, text);
    if (ending === "md") this.openNote(path, true);
    else this.notify(path);
  }

  openFile(path: string): void {
    const { adapter } = this.app.vault;
    if (adapter instanceof FileSystemAdapter) window.open(adapter.getFilePath(path));
  }

  imageAddress(data: string): string {
    return data;
  }

  async copy(text: string): Promise<void> {
    await navigator.clipboard.writeText(text);
  }

  notify(text: string): void {
    new Notice(text);
  }

  progress(text: string): { set(text: string): void; end(text: string): void } {
    const notice = new Notice(text, 0);
    return {
      set: (next) => notice.setMessage(next),
      end(last) {
        notice.setMessage(last);
        window.setTimeout(() => notice.hide(), NOTICE_MS);
      },
    };
  }
}
