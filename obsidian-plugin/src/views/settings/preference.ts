import { words } from "../../i18n";
import { div, iconButton, press, span, make } from "../../ui/dom";
import type { Settings } from "./panel";
import { field, settingRow, splitWords, toggle, type Field } from "./rows";
import { drawProblem, openFile } from "./sources";

type Path = (string | number)[];

interface Theme {
  group: string;
  must?: string[];
  any?: string[];
  never?: string[];
  weight: number;
}

/** What of the file the tab shows. */
interface Values {
  themes: Theme[];
  schedule: { windows: string[]; brief_hour: number; off_peak_only: boolean; off_peak: string; max_per_run: number; max_per_day: number };
  limits: { max_age_days: number; min_duration_sec: number };
  require_theme_hit: boolean;
  auto_ingest_top: number;
  budget_tokens: number;
  tuning: { source_delta: Record<string, number> };
  redlines: string[];
  charter: string;
}

/** Themes, redlines, quotas, windows, tuning and charter, as the owner's file has them. */
export async function drawPreference(settings: Settings): Promise<(el: HTMLElement) => void> {
  const found = await settings.client.preference();
  const values = found.values as unknown as Values;
  const { host, client } = settings;
  const set = (path: Path, value: unknown): Promise<void> => settings.change(() => client.setPreference([{ path, value }], []));
  const remove = (path: Path): Promise<void> => settings.act(() => client.setPreference([], [path]));
  return (el) => {
    drawProblem(settings, el, found);
    const top = settingRow(el, words.themes, words.themesText, true);
    openFile(host, top);
    press(top, words.addTheme, () => openTheme(settings, values.themes.length), "", "plus");
    values.themes.forEach((theme, n) => drawTheme(el, theme, ["themes", n], set, () => void remove(["themes", n])));
    const row = (name: string, text: string, fields: (Field & { path: Path; kind?: "number" | "words" })[]): void => {
      const control = settingRow(el, name, text);
      for (const one of fields) {
        const input = field(control, { ...one, ...(one.kind === "number" ? { type: "number" as const } : {}) }, (text) =>
          set(one.path, one.kind === "number" ? Number(text) : one.kind === "words" ? splitWords(text) : text),
        );
        if (one.kind === "number") input.addClass("vs-number");
      }
    };
    const { schedule, limits, tuning } = values;
    const number = (label: string, path: Path, value: number): Field & { path: Path; kind: "number" } => ({ label, path, value: String(value), kind: "number" });
    row(words.redlines, words.redlinesText, [{ label: words.redlines, path: ["redlines"], value: values.redlines.join(", "), kind: "words" }]);
    row(words.quotas, words.quotasText, [number(words.perRun, ["schedule", "max_per_run"], schedule.max_per_run), number(words.perDay, ["schedule", "max_per_day"], schedule.max_per_day)]);
    row(words.budget, words.budgetText, [number(words.budget, ["budget_tokens"], values.budget_tokens)]);
    row(words.windows, words.windowsText, [{ label: words.windows, path: ["schedule", "windows"], value: schedule.windows.join(", "), hint: "07:00-09:00, 12:30-13:30", kind: "words" }]);
    row(words.briefHour, words.briefHourText, [number(words.briefHour, ["schedule", "brief_hour"], schedule.brief_hour)]);
    row(words.limitsOf, words.limitsOfText, [number(words.maxAge, ["limits", "max_age_days"], limits.max_age_days), number(words.minSeconds, ["limits", "min_duration_sec"], limits.min_duration_sec)]);
    row(words.autoIngest, words.autoIngestText, [number(words.autoIngest, ["auto_ingest_top"], values.auto_ingest_top)]);
    const flip = (name: string, text: string, path: Path, on: boolean): void => {
      toggle(settingRow(el, name, text), name, on, (now) => void settings.act(() => client.setPreference([{ path, value: now }], [])));
    };
    flip(words.themeHit, words.themeHitText, ["require_theme_hit"], values.require_theme_hit);
    flip(words.offPeak, words.offPeakText(schedule.off_peak), ["schedule", "off_peak_only"], schedule.off_peak_only);
    const deltas = Object.entries(tuning.source_delta).map(([id, delta]) => `${id} ${delta > 0 ? "+" : "−"}${Math.abs(delta)}`);
    const tuned = settingRow(el, words.tuning, words.tuningText(deltas.join(words.comma)));
    if (deltas.length > 0) press(tuned, words.resetAll, () => void remove(["tuning", "source_delta"]));
    const charter = settingRow(el, words.charter, words.charterText);
    charter.addClass("vs-wide-control");
    field(charter, { label: words.charter, value: values.charter, isLong: true }, (text) => set(["charter"], text));
  };
}

function drawTheme(parent: HTMLElement, theme: Theme, path: Path, set: (path: Path, value: unknown) => Promise<void>, remove: () => void): void {
  const box = div(parent, "vs-theme");
  const head = div(box, "vs-head");
  make(head, "b", "", theme.group);
  const weight = make(head, "label", "vs-k");
  weight.appendText(`${words.weight} `);
  field(weight, { label: `${theme.group}: ${words.weight}`, value: String(theme.weight), type: "number" }, (text) => set([...path, "weight"], Number(text))).addClass("vs-number");
  iconButton(head, "x", `${words.remove}: ${theme.group}`, remove);
  for (const key of ["must", "any", "never"] as const) {
    const line = box.createDiv();
    span(line, "vs-k", words.themeKeys[key]);
    field(line, { label: `${theme.group}: ${words.themeKeys[key]}`, value: (theme[key] ?? []).join(", ") }, (text) => set([...path, key], splitWords(text)));
  }
}

function openTheme(settings: Settings, at: number): void {
  const { host, client } = settings;
  host.modal(words.addTheme, (el, close) => {
    const inputs = [words.columnTitle, words.themeKeys.any].map((label, n) => {
      const box = div(el, "vs-field");
      box.createEl("label", { text: label, attr: { for: `vs-theme-${n}` } });
      return box.createEl("input", { attr: { id: `vs-theme-${n}`, type: "text", spellcheck: "false", ...(n ? { placeholder: words.ingestTagsHint } : {}) } });
    });
    const problem = el.createEl("p", { cls: "vs-small vs-bad-text", attr: { role: "alert" } });
    const acts = div(el, "modal-button-container");
    press(acts, words.cancel, close);
    press(acts,
      words.add,
      () => {
        const value = { group: inputs[0]?.value.trim() ?? "", any: splitWords(inputs[1]?.value ?? "") };
        settings.change(() => client.setPreference([{ path: ["themes", at], value }], [])).then(close, (error: unknown) => problem.setText(String((error as Error).message)));
      },
      "mod-cta",
    );
    inputs[0]?.focus();
  });
}
