import { speak, words } from "./i18n";
import { Plugin, setIcon, TFile } from "obsidian";
import { explainError, useIcons } from "./ui/dom";
import { Connection } from "./connection";
import { HandedLinks, linkAt } from "./handed";
import { BriefPane } from "./views/brief/panel";
import { MetabolismPane, openPromote } from "./views/metabolism";
import { MapPane } from "./views/map";
import { ingestQuietly, runQuietly } from "./ui/jobs";
import { diagnose } from "./ui/diagnostics";
import { obsidianConnector } from "./obsidian/connector";
import { ObsidianHost } from "./obsidian/host";
import { IngestModal, SearchModal } from "./obsidian/modals";
import { BACKLINKS_VIEW, BacklinksLeaf, BRIEF_VIEW, MAP_VIEW, METABOLISM_VIEW, PlainLeaf } from "./obsidian/panes";
import { reportReading } from "./obsidian/reading";
import { DEFAULT_SETTINGS, localeFor, readSettings, SettingsTab, type Settings } from "./obsidian/settings";
import { showStatus } from "./ui/status";

/** Lifecycle only: settings are loaded, everything is registered; the work happens in the sidecar. */
export default class VaultSidecarPlugin extends Plugin {
  private readonly options: Settings = { ...DEFAULT_SETTINGS };
  private connection!: Connection;
  private host!: ObsidianHost;

  override async onload(): Promise<void> {
    Object.assign(this.options, readSettings(await this.loadData()));
    speak(localeFor(this.options));
    useIcons(setIcon);
    const connection = new Connection(obsidianConnector(this.app));
    const host = new ObsidianHost(this.app, (query) => this.openSearch(query));
    this.connection = connection;
    this.host = host;
    this.register(() => connection.stop());
    this.registerView(BACKLINKS_VIEW, (leaf) => new BacklinksLeaf(leaf, host, connection));
    this.registerView(MAP_VIEW, (leaf) => new PlainLeaf(leaf, MAP_VIEW, words.map, "map", new MapPane(host, connection)));
    this.registerView(BRIEF_VIEW, (leaf) => new PlainLeaf(leaf, BRIEF_VIEW, words.brief, "newspaper", new BriefPane(host, connection, () => this.openSettings())));
    this.registerView(METABOLISM_VIEW, (leaf) => new PlainLeaf(leaf, METABOLISM_VIEW, words.metabolism, "leaf", new MetabolismPane(host, connection)));
    this.register(showStatus(connection, this.addStatusBarItem()));
    this.addSettingTab(new SettingsTab(this.app, this, host, connection, this.options, () => this.saveData(this.options), () => this.copyDiagnostics()));
    this.addRibbonIcon("download", words.ingest, () => void this.openIngest());
    this.addCommands();
    this.addDoors();
    // The first request goes out once Obsidian is ready, so that its start is not slowed.
    this.app.workspace.onLayoutReady(() => void connection.run());
  }

  /** Any web page can open such an address, so it only asks; a second one while it asks is passed over. */
  private addDoors(): void {
    const handed = new HandedLinks((link, done) => this.openModal(link, { handedOver: true }, done));
    this.registerObsidianProtocolHandler("kb-ingest", (parameters) => handed.take(parameters["url"]));
    this.registerEvent(
      this.app.workspace.on("file-menu", (menu, file) => {
        if (!(file instanceof TFile) || file.extension !== "md" || !this.connection.client) return;
        menu.addItem((item) => item.setTitle(words.commandPromote).setIcon("arrow-up-circle").onClick(() => openPromote(this.host, this.connection, file.path, file.basename)));
      }),
    );
    this.register(reportReading(this.app, this.connection, () => this.options.reportReading));
    this.registerEvent(
      this.app.workspace.on("editor-menu", (menu, editor) => {
        const cursor = editor.getCursor();
        const link = linkAt(editor.getLine(cursor.line), cursor.ch);
        if (!link) return;
        menu.addItem((item) => item.setTitle(words.ingestMenu).setIcon("download").onClick(() => this.openModal(link, {})));
      }),
    );
  }

  private openModal(prefill: string, more: { fromClipboard?: boolean; handedOver?: boolean }, closed?: () => void): void {
    const options = { prefill, fromClipboard: false, openWhenDone: this.options.openWhenDone, ...more };
    new IngestModal(this.app, this.host, this.connection, options, closed).open();
  }

  private addCommands(): void {
    this.addCommand({ id: "ingest-link", name: words.commandIngest, callback: () => void this.openIngest() });
    this.addCommand({
      id: "ingest-clipboard",
      name: words.commandClipboard,
      callback: () => {
        void this.clipboardLinks().then((links) => {
          if (links.length === 0) return this.host.notify(words.noLinkInClipboard);
          return ingestQuietly(this.host, this.connection, links);
        });
      },
    });
    this.addCommand({
      id: "ingest-under-cursor",
      name: words.commandUnderCursor,
      editorCheckCallback: (checking, editor) => {
        const cursor = editor.getCursor();
        const link = linkAt(editor.getLine(cursor.line), cursor.ch);
        if (link && !checking) void ingestQuietly(this.host, this.connection, [link]);
        return link !== "";
      },
    });
    this.addCommand({ id: "search", name: words.commandSearch, callback: () => this.openSearch("") });
    this.addCommand({ id: "open-backlinks", name: words.commandBacklinks, callback: () => void this.reveal(BACKLINKS_VIEW) });
    this.addCommand({
      id: "show-related",
      name: words.commandRelated,
      checkCallback: (checking) => {
        const isOpen = this.app.workspace.getActiveFile() !== null;
        if (isOpen && !checking) void this.showRelated();
        return isOpen;
      },
    });
    this.addCommand({ id: "open-brief", name: words.commandBrief, callback: () => void this.reveal(BRIEF_VIEW, true) });
    this.addCommand({
      id: "run-now",
      name: words.commandRun,
      checkCallback: (checking) => {
        const isReady = this.connection.client !== null;
        if (isReady && !checking) void runQuietly(this.host, this.connection);
        return isReady;
      },
    });
    this.addCommand({
      id: "confirm",
      name: words.commandConfirm,
      checkCallback: (checking) => {
        const file = this.app.workspace.getActiveFile();
        const { client } = this.connection;
        if (file && client && !checking) void client.confirm(file.path).then(() => this.host.notify(words.confirmed), (error: unknown) => this.host.notify(explainError(error)));
        return file?.extension === "md" && client !== null;
      },
    });
    this.addCommand({ id: "open-metabolism", name: words.commandMetabolism, callback: () => void this.reveal(METABOLISM_VIEW, true) });
    this.addCommand({
      id: "promote",
      name: words.commandPromote,
      checkCallback: (checking) => {
        const file = this.app.workspace.getActiveFile();
        const isNote = file?.extension === "md" && this.connection.client !== null;
        if (isNote && !checking) openPromote(this.host, this.connection, file.path, file.basename);
        return isNote;
      },
    });
    this.addCommand({ id: "open-map", name: words.commandMap, callback: () => void this.reveal(MAP_VIEW) });
    this.addCommand({
      id: "regenerate-map",
      name: words.commandRegenerate,
      checkCallback: (checking) => {
        const client = this.connection.client;
        if (client && !checking) {
          void client.writeMoc().then(
            (moc) => this.host.notify(moc.problem || words.regenerated(moc.path)),
            (error: unknown) => this.host.notify(String(error)),
          );
        }
        return client !== null;
      },
    });
    this.addCommand({
      id: "restart",
      name: words.commandRestart,
      checkCallback: (checking) => {
        const client = this.connection.client;
        if (client && !checking) void client.restart().then(() => this.host.notify(words.restarting), (error: unknown) => this.host.notify(String(error)));
        return client !== null;
      },
    });
    this.addCommand({
      id: "copy-diagnostics",
      name: words.commandDiagnostics,
      callback: () => this.copyDiagnostics(),
    });
    this.addCommand({ id: "check-connection", name: words.commandCheck, callback: () => this.connection.nudge() });
  }

  private openSearch(query: string): void {
    new SearchModal(this.app, this.host, this.connection, query).open();
  }

  private async openIngest(): Promise<void> {
    const links = await this.clipboardLinks();
    this.openModal(links.join("\n"), { fromClipboard: links.length > 0 });
  }

  private async clipboardLinks(): Promise<string[]> {
    const clip = await navigator.clipboard.readText().catch(() => "");
    return clip.split(/\s+/).filter((word) => /^https?:\/\/./i.test(word));
  }

  /** The pane of links, with nothing but the related notes unfolded. */
  private async showRelated(): Promise<void> {
    await this.reveal(BACKLINKS_VIEW);
    for (const leaf of this.app.workspace.getLeavesOfType(BACKLINKS_VIEW)) {
      if (leaf.view instanceof BacklinksLeaf) leaf.view.showRelated();
    }
  }

  private copyDiagnostics(): void {
    const text = diagnose(this.connection, this.manifest.version);
    void this.host.copy(text).then(() => this.host.notify(words.diagnosticsCopied));
  }

  private openSettings(): void {
    // The door to the settings is no part of Obsidian's public interface; without it the words say where they are.
    const { setting } = this.app as { setting?: { open(): void; openTabById(id: string): void } };
    if (!setting) return this.host.notify(words.settingsAreIn);
    setting.open();
    setting.openTabById(this.manifest.id);
  }

  private async reveal(type: string, inTab = false): Promise<void> {
    const { workspace } = this.app;
    const leaf = workspace.getLeavesOfType(type)[0] ?? (inTab ? workspace.getLeaf("tab") : workspace.getRightLeaf(false));
    if (!leaf) return;
    await leaf.setViewState({ type, active: true });
    await workspace.revealLeaf(leaf);
  }
}
