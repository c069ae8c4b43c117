import { words } from "../../i18n";
import { appendIcon, commandBox, press, span } from "../../ui/dom";
import type { Settings } from "./panel";
import { settingRow, toggle } from "./rows";
import { openLogin } from "./sources";

/** Logins, keys and what the sidecar needs; a secret never passes here, only the command to type. */
export async function drawEnvironment(settings: Settings): Promise<(el: HTMLElement) => void> {
  const { host, client } = settings;
  const [feeds, status, switches] = await Promise.all([client.feeds(), client.status(), client.switches()]);
  const badge = (el: HTMLElement, icon: string, cls: string, text: string): void => {
    const state = span(el, `vs-state-badge ${cls}`);
    appendIcon(state, icon);
    span(state, "", text);
  };
  return (el) => {
    settingRow(el, words.credentials, words.credentialsText, true);
    for (const one of feeds.subscriptions.filter((found) => found.type !== "rss" && found.type !== "site" && found.type !== "youtube-channel")) {
      const needs = one.last?.status === "needs_login";
      const control = settingRow(el, one.title || one.id, words.loginText(one.id));
      badge(control, needs ? "key" : one.last ? "check" : "minus", needs ? "is-warn" : "", needs ? (words.feedStates["needs_login"] ?? "") : (words.feedStates[one.last?.status ?? ""] ?? words.neverFetched));
      press(control, words.logIn, () => void openLogin(settings, one));
    }
    for (const [name, text, command] of words.secretRows) commandBox(host, settingRow(el, name, text), command);
    const control = settingRow(el, words.environment, words.environmentText, true);
    press(control, words.checkAgain, () => void settings.act(() => Promise.resolve()), "", "refresh-cw");
    press(control, words.copyDiagnostics, () => settings.diagnose(), "", "copy");
    badge(settingRow(el, words.sidecar, words.sidecarText(status.version, status.protocol, status.vault_name)), "check", "is-ok", words.connected);
    badge(settingRow(el, words.watching, words.watchingText), status.watching ? "check" : "minus", status.watching ? "is-ok" : "", status.watching || words.off);
    if (status.problem) badge(settingRow(el, words.problem, status.problem), "alert-circle", "is-warn", words.problem);
    toggle(settingRow(el, words.inject, words.injectText), words.inject, switches.inject, (inject) => void settings.act(() => client.setSwitches({ inject })));
  };
}
