import { en, type Words } from "./en";
import { zh } from "./zh";

export type { Words };
export type Locale = "en" | "zh-CN";

/** The interface's words, in the language that was last spoken. */
export let words: Words = en;

/** Its name, for dates and numbers. */
export let locale: Locale = "en";

/** Speak a language from now on: what is drawn later is drawn in it. */
export function speak(next: Locale): void {
  locale = next;
  words = next === "zh-CN" ? zh : en;
}

/** Choose a locale by a language tag such as Obsidian's `zh` or the browser's `zh-Hans-CN`. */
export function localeOf(tag: string): Locale {
  return tag.toLowerCase().startsWith("zh") ? "zh-CN" : "en";
}
