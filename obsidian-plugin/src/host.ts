import type { Mention } from "./api/client";
import type { Locale, Words } from "./i18n";

/** What a view needs from where it is shown. Two hosts: Obsidian and the console. */
export interface Host {
  readonly words: Words;
  readonly locale: Locale;
  /** Draw one of Lucide's icons into an element. */
  icon(el: HTMLElement, name: string): void;
  openNote(path: string, newTab: boolean): void;
  /** Make a note of that name and open it; absent where notes cannot be made. */
  createNote?(name: string): void;
  /** Put a link to a note at the cursor; absent where nothing is edited. */
  insertLink?(path: string, title: string): void;
  /** Turn a mention into a link; absent where nothing is edited. */
  linkMention?(mention: Mention, target: string): Promise<void>;
  search(query: string): void;
  copy(text: string): Promise<void>;
  notify(text: string): void;
  /** A notice that stays while work goes on. */
  progress(text: string): { set(text: string): void; end(text: string): void };
}
