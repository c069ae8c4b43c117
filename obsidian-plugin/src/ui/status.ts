import { words } from "../i18n";
import type { Connection, State } from "../connection";
import { drawIcon, formatCount, span } from "./dom";

/** One quiet item in the status bar; gives a call that ends it. */
export function showStatus(connection: Connection, el: HTMLElement): () => void {
  el.addClass("vs-statusbar");
  return connection.onState((state) => {
    el.empty();
    drawIcon(span(el, "vs-icon"), ICONS[state.kind]);
    span(el, "", textOf(state));
  });
}

const ICONS: Record<State["kind"], string> = {
  connecting: "loader",
  "not-set-up": "folder",
  offline: "unplug",
  mismatch: "alert-circle",
  "other-vault": "alert-circle",
  closed: "unplug",
  starting: "loader",
  ready: "check",
};

/** How many of how many notes are read, as people write numbers. */
export function progressOf(status: { done: number; total: number }): [string, string] {
  return [formatCount(status.done), formatCount(status.total)];
}

/** Say in a word how the connection stands. */
export function textOf(state: State): string {
  switch (state.kind) {
    case "ready":
      return words.statusReady(state.status.vault_name);
    case "starting":
      return progressOf(state.status).join(" / ");
    case "mismatch":
      return words.statusMismatch;
    case "other-vault":
      return words.statusOtherVault;
    case "not-set-up":
      return words.statusNotSetUp;
    case "connecting":
      return words.statusConnecting;
    case "closed":
      return state.short;
    default:
      return words.statusOffline;
  }
}
