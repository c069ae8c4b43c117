import { words } from "../../i18n";
import { div, formatCount, press, make } from "../../ui/dom";
import type { Settings } from "./panel";
import { settingRow } from "./rows";

type Filter = Record<string, string | boolean>;

const AGES = [30, 90, 180, 365];
/** The age that the tab was last asked about. */
let age = 180;

/** Where the data lies, how it leaves, how it is cleaned: items only, never notes, and a copy is kept. */
export async function drawLibrary(settings: Settings): Promise<(el: HTMLElement) => void> {
  const { host, client } = settings;
  const old: Filter = { status: "archived", until: new Date(Date.now() - age * 86_400_000).toISOString().slice(0, 10) };
  const all: Filter = { archived: true };
  const [oldCount, allCount] = (await Promise.all([old, all].map((filter) => client.items({ ...filter, limit: 1 })))).map((page) => page.total);
  return (el) => {
    settingRow(el, words.whereItLives, words.whereItLivesText, true);
    for (const [name, text] of words.dataRows) settingRow(el, name, text);
    press(settingRow(el, words.rebuild, words.rebuildText), words.rebuild, () => void settings.act(async () => host.notify(words.rebuilt(formatCount((await client.rebuild()).lines)))));
    const save = async (): Promise<void> => host.save(words.itemLibrary, (await client.exportItems({ filter: all })).markdown);
    press(settingRow(el, words.exportWord, words.exportText(formatCount(allCount ?? 0))), "Markdown", () => void settings.act(save), "", "download");
    const clean = settingRow(el, words.cleanByAge, words.cleanByAgeText);
    const select = clean.createEl("select", { cls: "dropdown", attr: { "aria-label": words.cleanByAge, "data-row": "age" } });
    for (const days of AGES) select.createEl("option", { text: words.olderThan(days), attr: { value: String(days) } }).selected = days === age;
    select.addEventListener("change", () => {
      age = Number(select.value);
      void settings.act(() => Promise.resolve());
    });
    confirmBox(settings, el, words.cleanByAge, old, oldCount ?? 0);
    confirmBox(settings, el, words.clearLibrary, all, allCount ?? 0);
  };
}

/** Something that takes items out: the number that goes must be typed. */
function confirmBox(settings: Settings, parent: HTMLElement, title: string, filter: Filter, count: number): void {
  const { host, client } = settings;
  const box = div(parent, "vs-danger");
  const text = box.createDiv();
  div(text, "setting-item-name", title);
  make(text, "p", "vs-muted vs-small", words.clearText(formatCount(count)));
  if (count === 0) return;
  const field = div(box, "vs-field");
  const id = `vs-clear-${"until" in filter ? "old" : "all"}`;
  field.createEl("label", { text: words.typeToConfirm(String(count)), attr: { for: id } });
  const row = div(field, "vs-acts");
  const input = row.createEl("input", { attr: { id, type: "text", inputmode: "numeric", autocomplete: "off", "data-row": id } });
  const go = press(row,
    words.backUpAndClear,
    () =>
      void settings.act(async () => {
        const done = await client.clearItems(filter, input.value);
        host.notify(words.cleared(formatCount(done.cleared), done.backup));
      }),
    "mod-warning",
  );
  go.disabled = true;
  input.addEventListener("input", () => (go.disabled = input.value.trim() !== String(count)));
}
