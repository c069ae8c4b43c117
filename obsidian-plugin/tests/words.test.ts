import { describe, expect, it } from "vitest";
import { localeOf, speak, words } from "../src/i18n";
import { en } from "../src/i18n/en";
import { zh } from "../src/i18n/zh";
import * as own from "../src/console/words";
import { localeFor, readSettings } from "../src/obsidian/settings";

const CJK = /[\u4e00-\u9fff]/;
/** Names and terms that are the same in both languages. */
const SAME = new Set(["appName", "statusConnecting", "wiki", "languageEn", "comma"]);

/** What a word says, or all that a table of words says, by name. */
function said(value: unknown): [string, string][] {
  if (typeof value === "string") return [["", value]];
  if (typeof value === "function") return [["", String((value as (...args: unknown[]) => string)(["a", "b"], 2, 3, 4))]];
  if (Array.isArray(value)) return [["", value.flat().join(" ")]];
  return Object.entries(value as Record<string, unknown>).flatMap(([name, inner]) => said(inner).map(([, text]): [string, string] => [name, text]));
}

describe("the interface's words", () => {
  it("are Chinese in zh-CN and Latin in en, without exclamation marks", () => {
    const [all, allZh] = [{ ...en, ...own.en }, { ...zh, ...own.zh }];
    for (const key of Object.keys(all) as (keyof typeof all)[]) {
      if (key === "problems") continue;
      const [english, chinese] = [said(all[key]), said(allZh[key])];
      expect(chinese.map(([name]) => name), key).toEqual(english.map(([name]) => name));
      for (const [name, text] of chinese) if (!SAME.has(key) && !SAME.has(name)) expect(text, `${key}.${name}`).toMatch(CJK);
      for (const [name, text] of english) if (key !== "languageZh") expect(text, `${key}.${name}`).not.toMatch(CJK);
      for (const [, text] of [...english, ...chinese]) expect(text, key).not.toMatch(/[!！]/);
    }
  });

  it("follow every Chinese language tag", () => {
    expect(["zh", "zh-CN", "zh-Hans-SG", "zh-TW"].map(localeOf)).toEqual(["zh-CN", "zh-CN", "zh-CN", "zh-CN"]);
    expect(["en-GB", "de", ""].map(localeOf)).toEqual(["en", "en", "en"]);
    speak("zh-CN");
    expect(words.hubs).toBe("枢纽");
  });
});

describe("stored settings", () => {
  it("fall back to defaults where they are missing or foreign", () => {
    const defaults = { language: "auto", openWhenDone: true, reportReading: true };
    for (const stored of [null, undefined, 3, "x", {}, { language: "fr", openWhenDone: "yes" }]) expect(readSettings(stored)).toEqual(defaults);
    expect(readSettings({ language: "en", openWhenDone: false, token: "secret" })).toEqual({ language: "en", openWhenDone: false, reportReading: true });
  });

  it("take Obsidian's language unless one is chosen", () => {
    expect(localeFor({ language: "auto", openWhenDone: true, reportReading: true })).toBe("zh-CN");
    expect(localeFor({ language: "en", openWhenDone: true, reportReading: true })).toBe("en");
  });
});
