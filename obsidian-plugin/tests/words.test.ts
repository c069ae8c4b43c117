import { describe, expect, it } from "vitest";
import { localeOf, wordsFor } from "../src/i18n";
import { en } from "../src/i18n/en";
import { zh } from "../src/i18n/zh";
import { localeFor, readSettings } from "../src/obsidian/settings";

const CJK = /[\u4e00-\u9fff]/;
/** Names and terms that are the same in both languages. */
const SAME = new Set(["appName", "statusConnecting", "wiki", "languageEn"]);

describe("the interface's words", () => {
  it("are Chinese in zh-CN and Latin in en, without exclamation marks", () => {
    for (const key of Object.keys(en) as (keyof typeof en)[]) {
      const say = (words: typeof en): string => {
        const value = words[key] as string | ((...args: unknown[]) => string);
        return typeof value === "string" ? value : value(["a", "b"], 2, 3);
      };
      if (key === "problems") continue;
      if (!SAME.has(key)) expect(say(zh), key).toMatch(CJK);
      if (key !== "languageZh") expect(say(en), key).not.toMatch(CJK);
      expect(say(en) + say(zh), key).not.toMatch(/[!！]/);
    }
  });

  it("follow every Chinese language tag", () => {
    expect(["zh", "zh-CN", "zh-Hans-SG", "zh-TW"].map(localeOf)).toEqual(["zh-CN", "zh-CN", "zh-CN", "zh-CN"]);
    expect(["en-GB", "de", ""].map(localeOf)).toEqual(["en", "en", "en"]);
    expect(wordsFor("zh-CN").hubs).toBe("枢纽");
  });
});

describe("stored settings", () => {
  it("fall back to defaults where they are missing or foreign", () => {
    const defaults = { language: "auto", openWhenDone: true };
    for (const stored of [null, undefined, 3, "x", {}, { language: "fr", openWhenDone: "yes" }]) expect(readSettings(stored)).toEqual(defaults);
    expect(readSettings({ language: "en", openWhenDone: false, token: "secret" })).toEqual({ language: "en", openWhenDone: false });
  });

  it("take Obsidian's language unless one is chosen", () => {
    expect(localeFor({ language: "auto", openWhenDone: true })).toBe("zh-CN");
    expect(localeFor({ language: "en", openWhenDone: true })).toBe("en");
  });
});
