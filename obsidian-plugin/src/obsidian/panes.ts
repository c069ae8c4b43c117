import { words } from "../i18n";
import { ItemView, type WorkspaceLeaf } from "obsidian";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { BacklinksPane } from "../views/backlinks";

export const BACKLINKS_VIEW = "vault-sidecar-backlinks";
export const MAP_VIEW = "vault-sidecar-map";
export const METABOLISM_VIEW = "vault-sidecar-metabolism";
export const BRIEF_VIEW = "vault-sidecar-brief";

/** Backlinks+ in a side leaf; follows the active note. */
export class BacklinksLeaf extends ItemView {
  private readonly pane: BacklinksPane;

  constructor(
    leaf: WorkspaceLeaf,
    host: Host,
    connection: Connection,
  ) {
    super(leaf);
    this.pane = new BacklinksPane(host, connection);
  }

  showRelated(): void {
    this.pane.showRelated();
  }

  override getViewType(): string {
    return BACKLINKS_VIEW;
  }

  override getDisplayText(): string {
    return words.backlinks;
  }

  override getIcon(): string {
    return "links-coming-in";
  }

  override async onOpen(): Promise<void> {
    this.pane.mount(this.contentEl.createDiv());
    const follow = (): void => this.pane.setNote(this.app.workspace.getActiveFile()?.path ?? null);
    this.registerEvent(this.app.workspace.on("file-open", follow));
    this.registerEvent(this.app.vault.on("rename", follow));
    follow();
  }

  override async onClose(): Promise<void> {
    this.pane.unmount();
  }
}

/** A view that shows the same whatever note is open: the map, the brief, the metabolism. */
export class PlainLeaf extends ItemView {
  constructor(
    leaf: WorkspaceLeaf,
    private readonly type: string,
    private readonly label: string,
    private readonly iconName: string,
    private readonly pane: { mount(el: HTMLElement): void; unmount(): void },
  ) {
    super(leaf);
  }

  override getViewType(): string {
    return this.type;
  }

  override getDisplayText(): string {
    return this.label;
  }

  override getIcon(): string {
    return this.iconName;
  }

  override async onOpen(): Promise<void> {
    this.contentEl.addClass("vs-leaf");
    this.pane.mount(this.contentEl.createDiv());
  }

  override async onClose(): Promise<void> {
    this.pane.unmount();
  }
}
