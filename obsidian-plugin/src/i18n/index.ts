import { en, type Words } from "./en";
import { zh } from "./zh";

export type { Words };
export type Locale = "en" | "zh-CN";

export function wordsFor(locale: Locale): Words {
  return locale === "zh-CN" ? zh : en;
}

/** Choose a locale by a language tag such as Obsidian's `zh` or the browser's `zh-Hans-CN`. */
export function localeOf(tag: string): Locale {
  return tag.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}
