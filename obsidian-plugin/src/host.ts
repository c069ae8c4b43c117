import type { Mention } from "./api/client";

export interface MenuItem {
  label: string;
  icon: string;
  run: () => void;
}

/** What a view needs from where it is shown. Two hosts: Obsidian and the console. */
export interface Host {
  openNote(path: string, newTab: boolean): void;
  /** Make a note of that name and open it; absent where notes cannot be made. */
  createNote?(name: string): void;
  /** Put a link to a note at the cursor; absent where nothing is edited. */
  insertLink?(path: string, title: string): void;
  /** Turn a mention into a link; absent where nothing is edited. */
  linkMention?(mention: Mention, target: string): Promise<void>;
  search(query: string): void;
  /** Open an address in the browser. */
  browse(url: string): void;
  /** What a view keeps for this vault on this device: where it stood, what was folded. */
  recall(key: string): unknown;
  remember(key: string, value: unknown): void;
  /** A menu below a button. */
  menu(anchor: HTMLElement, items: MenuItem[]): void;
  /** A modal; `fill` draws into it and gives what is to be done at its end. */
  modal(title: string, fill: (el: HTMLElement, close: () => void) => void): void;
  /** Hand a text over as a file. */
  save(name: string, text: string, ending?: string): Promise<void>;
  /** Open a file of the vault's hidden folder in its own program; absent where none can be started. */
  openFile?(path: string): void;
  /** Give an address for a picture that came as text, which an image may have. */
  imageAddress(data: string): string;
  copy(text: string): Promise<void>;
  notify(text: string): void;
  /** A notice that stays while work goes on. */
  progress(text: string): { set(text: string): void; end(text: string): void };
}
