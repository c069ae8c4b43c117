import { ItemView, type WorkspaceLeaf } from "obsidian";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { BacklinksPane } from "../views/backlinks";
import { MapPane } from "../views/map";

export const BACKLINKS_VIEW = "vault-sidecar-backlinks";
export const MAP_VIEW = "vault-sidecar-map";

/** Backlinks+ in a side leaf; follows the active note. */
export class BacklinksLeaf extends ItemView {
  private readonly pane: BacklinksPane;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly host: Host,
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
    return this.host.words.backlinks;
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

/** The map of content in a side leaf. */
export class MapLeaf extends ItemView {
  private readonly pane: MapPane;

  constructor(
    leaf: WorkspaceLeaf,
    private readonly host: Host,
    connection: Connection,
  ) {
    super(leaf);
    this.pane = new MapPane(host, connection);
  }

  override getViewType(): string {
    return MAP_VIEW;
  }

  override getDisplayText(): string {
    return this.host.words.map;
  }

  override getIcon(): string {
    return "map";
  }

  override async onOpen(): Promise<void> {
    this.pane.mount(this.contentEl.createDiv());
  }

  override async onClose(): Promise<void> {
    this.pane.unmount();
  }
}
