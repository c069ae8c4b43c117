import type { App } from "obsidian";
import type { Connection } from "../connection";

/** How long a note must be open to count as read. */
const READ_MS = 10_000;

/** Tell the sidecar of notes that were open for a while; a timer runs only after a note was opened. Gives a call that ends it. */
export function reportReading(app: App, connection: Connection, isWanted: () => boolean): () => void {
  let timer = 0;
  const ref = app.workspace.on("file-open", (file) => {
    window.clearTimeout(timer);
    if (file?.extension !== "md" || !isWanted()) return;
    const { path } = file;
    timer = window.setTimeout(() => {
      if (app.workspace.getActiveFile()?.path === path) void connection.client?.wasRead(path).catch(() => undefined);
    }, READ_MS);
  });
  return () => {
    window.clearTimeout(timer);
    app.workspace.offref(ref);
  };
}
