/** What the console shows, as its address says: a reload and the browser's Back lead there again. */
export interface Route {
  place: "notes" | "brief" | "metabolism" | "settings" | "graph";
  note: string | null;
}

const PLACES = ["brief", "metabolism", "settings", "graph"] as const;

export function readRoute(hash: string): Route {
  const [, place = "", rest = ""] = /^#\/(\w+)(?:\/(.*))?$/.exec(hash) ?? [];
  const known = PLACES.find((name) => name === place);
  if (known) return { place: known, note: null };
  return { place: "notes", note: place === "note" && rest ? decode(rest) : null };
}

export function writeRoute(route: Route): string {
  if (route.place !== "notes") return `#/${route.place}`;
  return route.note === null ? "#/" : `#/note/${route.note.split("/").map(encodeURIComponent).join("/")}`;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
