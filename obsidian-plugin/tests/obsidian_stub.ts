/** The few values of Obsidian's module that pure code under test imports. Views are tested in a real browser instead. */
export class PluginSettingTab {}
export function getLanguage(): string {
  return "zh";
}
