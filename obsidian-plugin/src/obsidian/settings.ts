import { getLanguage, PluginSettingTab, type App, type Plugin, type SettingDefinitionItem } from "obsidian";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { localeOf, speak, words, type Locale } from "../i18n";
import { SettingsPane } from "../views/settings/panel";

export interface Settings {
  language: "auto" | Locale;
  openWhenDone: boolean;
  reportReading: boolean;
}

export const DEFAULT_SETTINGS: Settings = { language: "auto", openWhenDone: true, reportReading: true };

/** Read stored settings; what is missing or of another kind falls back to the default. */
export function readSettings(stored: unknown): Settings {
  const found = (typeof stored === "object" && stored !== null ? stored : {}) as Record<string, unknown>;
  const language = found["language"];
  return {
    language: language === "en" || language === "zh-CN" ? language : "auto",
    openWhenDone: typeof found["openWhenDone"] === "boolean" ? found["openWhenDone"] : DEFAULT_SETTINGS.openWhenDone,
    reportReading: typeof found["reportReading"] === "boolean" ? found["reportReading"] : DEFAULT_SETTINGS.reportReading,
  };
}

export function localeFor(settings: Settings): Locale {
  return settings.language === "auto" ? localeOf(getLanguage()) : settings.language;
}

/** The settings tab. No setting of the sidecar itself: those lie in `.kb/config.toml`, for every host alike. */
export class SettingsTab extends PluginSettingTab {
  constructor(
    app: App,
    plugin: Plugin,
    private readonly host: Host,
    private readonly connection: Connection,
    private readonly settings: Settings,
    private readonly save: () => Promise<void>,
    private readonly diagnose: () => void,
  ) {
    super(app, plugin);
  }

  override getSettingDefinitions(): SettingDefinitionItem[] {
    return [
      {
        name: words.settingConnection,
        desc: this.describe(),
        action: () => {
          this.connection.nudge();
          this.host.notify(this.describe());
          this.update();
        },
      },
      {
        name: words.settingLanguage,
        desc: words.settingLanguageText,
        control: {
          type: "dropdown",
          key: "language",
          options: { auto: words.languageAuto, en: words.languageEn, "zh-CN": words.languageZh },
        },
      },
      { name: words.settingOpen, desc: words.settingOpenText, control: { type: "toggle", key: "openWhenDone" } },
      { name: words.settingReading, desc: words.settingReadingText, control: { type: "toggle", key: "reportReading" } },
      {
        name: words.settings,
        searchable: false,
        render: (setting) => {
          setting.settingEl.empty();
          setting.settingEl.addClass("vs-settings-row");
          const pane = new SettingsPane(this.host, this.connection, this.diagnose);
          pane.mount(setting.settingEl.createDiv());
          return () => pane.unmount();
        },
      },
    ];
  }

  override getControlValue(key: string): unknown {
    return this.settings[key as keyof Settings];
  }

  override async setControlValue(key: string, value: unknown): Promise<void> {
    Object.assign(this.settings, readSettings({ ...this.settings, [key]: value }));
    speak(localeFor(this.settings));
    await this.save();
  }

  private describe(): string {
    const state = this.connection.state;
    switch (state.kind) {
      case "ready":
        return words.settingConnected(state.status.vault_name, state.status.version, this.connection.client?.url ?? "");
      case "other-vault":
        return words.otherVaultText(state.name);
      case "mismatch":
        return words.mismatchText(1, state.sidecar);
      case "not-set-up":
        return `${words.notSetUpText} kb init`;
      default:
        return `${words.offlineText} kb serve`;
    }
  }
}
