/** Links that come from outside: any web page can open `obsidian://kb-ingest?url=…` or the console's address, so they are only ever shown. */

const MAX_LENGTH = 8000;

/** Give a web address as one line, or nothing: other schemes and addresses with a user name are not taken. */
export function handedLink(value: unknown): string {
  if (typeof value !== "string" || value.length > MAX_LENGTH) return "";
  try {
    const url = new URL(value.trim());
    const isWeb = url.protocol === "http:" || url.protocol === "https:";
    return isWeb && !url.username && !url.password ? url.href : "";
  } catch {
    return "";
  }
}

/** Asks about one handed link at a time: a page that opens a hundred addresses gets one question. */
export class HandedLinks {
  private isAsking = false;

  /** @param ask Shows the link to the person and calls `done` when that has ended. It must not begin anything by itself. */
  constructor(private readonly ask: (link: string, done: () => void) => void) {}

  take(value: unknown): void {
    const link = handedLink(value);
    if (!link || this.isAsking) return;
    this.isAsking = true;
    this.ask(link, () => (this.isAsking = false));
  }
}

/** The link in the console's own address, as the bookmarklet makes it: `#ingest?url=…`. */
export function linkInHash(hash: string): string {
  return hash.startsWith("#ingest?") ? handedLink(new URLSearchParams(hash.slice("#ingest?".length)).get("url")) : "";
}

/** Bookmarklets: one opens the console at `origin`, one opens Obsidian. Both only ask. */
export function bookmarklets(origin: string): { console: string; obsidian: string } {
  const here = "encodeURIComponent(location.href)";
  return {
    console: `${"javascript"}:void(window.open('${origin}/#ingest?url='+${here}))`,
    obsidian: `${"javascript"}:void(location.href='obsidian://kb-ingest?url='+${here})`,
  };
}

/** The web address in a line of text around a position; empty if there is none. */
export function linkAt(line: string, position: number): string {
  for (const match of line.matchAll(/https?:\/\/[^\s<>"`]+/gi)) {
    let link = match[0];
    while (/[.,;:!?'*_\])]$/.test(link) && !(link.endsWith(")") && link.split("(").length >= link.split(")").length)) link = link.slice(0, -1);
    if (match.index <= position && position <= match.index + link.length) return handedLink(link);
  }
  return "";
}
