import { Modal, type App } from "obsidian";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { IngestPanel, type IngestOptions } from "../views/ingest";
import { SearchPanel } from "../views/search";

export class SearchModal extends Modal {
  private readonly panel: SearchPanel;

  constructor(
    app: App,
    host: Host,
    connection: Connection,
    private readonly query: string,
  ) {
    super(app);
    this.panel = new SearchPanel(host, connection, () => this.close());
  }

  override onOpen(): void {
    this.modalEl.addClass("vs-search-modal");
    this.panel.mount(this.contentEl, this.query);
  }

  override onClose(): void {
    this.panel.unmount();
    this.contentEl.empty();
  }
}

export class IngestModal extends Modal {
  private readonly panel: IngestPanel;

  constructor(app: App, host: Host, connection: Connection, options: Omit<IngestOptions, "close">, private readonly closed: () => void = () => undefined) {
    super(app);
    this.panel = new IngestPanel(host, connection, { ...options, close: () => this.close() });
  }

  override onOpen(): void {
    this.panel.mount(this.contentEl);
  }

  override onClose(): void {
    this.panel.unmount();
    this.contentEl.empty();
    this.closed();
  }
}
