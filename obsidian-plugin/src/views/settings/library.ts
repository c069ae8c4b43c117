import { commandBox } from "../../ui/dom";
import type { Settings } from "./panel";
import { settingRow } from "./rows";

/** Where the data lies, how it leaves, how it is cleaned. */
export function drawLibrary(settings: Settings): Promise<(el: HTMLElement) => void> {
  const { host } = settings;
  const { words } = host;
  return Promise.resolve((el) => {
    settingRow(el, words.whereItLives, words.whereItLivesText, true);
    for (const [name, text] of words.dataRows) settingRow(el, name, text);
    commandBox(host, settingRow(el, words.rebuild, words.rebuildText), "kb rebuild");
  });
}
