import { words } from "../../i18n";
import type { SidecarClient } from "../../api/client";
import type { Connection } from "../../connection";
import type { Host } from "../../host";
import { explainError } from "../../ui/dom";
import { Pane } from "../../ui/pane";
import { drawEnvironment } from "./environment";
import { drawLibrary } from "./library";
import { drawPreference } from "./preference";
import { drawSources } from "./sources";

const TABS = ["sources", "preference", "environment", "library"] as const;
type Tab = (typeof TABS)[number];

/** What a tab is given. */
export interface Settings {
  readonly host: Host;
  readonly connection: Connection;
  readonly client: SidecarClient;
  /** Do something, then show how things stand now; tells of what went wrong. */
  act(work: () => Promise<unknown>, said?: string): Promise<void>;
  /** The same, but what went wrong is the caller's to show. */
  change(work: () => Promise<unknown>): Promise<void>;
  diagnose(): void;
}

/** The settings of the watchlist and the library in four tabs; all of them lie with the sidecar, and it judges them. */
export class SettingsPane extends Pane {
  private tab: Tab;

  constructor(
    override readonly host: Host,
    connection: Connection,
    private readonly diagnose: () => void,
  ) {
    super(host, connection, words.settings, "settings");
    const kept = host.recall("settings-tab");
    this.tab = TABS.find((tab) => tab === kept) ?? "sources";
  }

  protected concerns(event: string): boolean {
    return event === "run" || event === "reset" || event === "preference";
  }

  protected drawHead(): void {
    this.head.setAttribute("role", "tablist");
    this.head.setAttribute("aria-label", words.settings);
    for (const tab of TABS) {
      const button = this.head.createEl("button", {
        cls: "vs-plain",
        text: words.settingTabs[tab],
        attr: { role: "tab", "aria-selected": String(tab === this.tab), "data-row": `tab-${tab}` },
      });
      button.addEventListener("click", () => {
        this.tab = tab;
        this.host.remember("settings-tab", tab);
        void this.reload();
      });
    }
  }

  protected async load(): Promise<() => void> {
    const { client } = this.connection;
    if (!client) return () => undefined;
    const settings: Settings = {
      host: this.host,
      connection: this.connection,
      client,
      act: (work, said) => this.act(work, said),
      change: async (work) => {
        await work();
        await this.reload();
      },
      diagnose: this.diagnose,
    };
    const draw = await { sources: drawSources, preference: drawPreference, environment: drawEnvironment, library: drawLibrary }[this.tab](settings);
    return () => draw(this.body);
  }

  private async act(work: () => Promise<unknown>, said = ""): Promise<void> {
    try {
      await work();
      if (said) this.host.notify(said);
    } catch (error) {
      this.host.notify(explainError(error));
    }
    await this.reload();
  }
}
