import type { Transport } from "../api/client";
import { Unreachable } from "../api/errors";
import type { Connector } from "../connection";
import { locale } from "../i18n";
import { ownWords } from "./words";

/** Longer than a long poll; a sidecar that hangs must not look like one that is ready. */
const TIMEOUT_MS = 40_000;
/** How long another page of this console may take to share its key. */
const SHARE_MS = 150;

/**
 * Opens the console's session: the one-time code in the address is exchanged for a token that lives in the memory of this
 * console's pages. One that was reloaded asks the others; if it was the only one, it needs a new link (`kb open`), and goes on
 * as soon as that was opened. The channel reaches pages of this origin only.
 */
export function consoleConnector(gotKey: () => void): Connector {
  const own = ownWords(locale);
  const closed = { short: own.statusSessionOver, title: own.sessionOverTitle, text: own.sessionOverText, command: "kb open" };
  let token = "";
  const channel = new BroadcastChannel("vault-sidecar-key");
  channel.addEventListener("message", (event: MessageEvent<{ asks?: boolean; key?: unknown }>) => {
    if (event.data.asks && token) channel.postMessage({ key: token });
    else if (!token && typeof event.data.key === "string") {
      token = event.data.key;
      gotKey();
    }
  });
  return {
    async connect() {
      const code = /[#&]code=([\w-]+)/.exec(location.hash)?.[1];
      if (code) {
        // Out of the address at once: it must not lie in the browser's history.
        history.replaceState(null, "", location.pathname + location.search);
        const { status, json } = await send("", "POST", "/api/console/session", { code });
        if (status === 200) {
          token = (json as { token: string }).token;
          channel.postMessage({ key: token });
        }
      }
      if (!token) {
        channel.postMessage({ asks: true });
        await new Promise((resolve) => window.setTimeout(resolve, SHARE_MS));
      }
      if (!token) return closed;
      const key = token;
      const transport: Transport = { url: location.origin, send: (method, path, body) => send(key, method, path, body) };
      const { status } = await transport.send("GET", "/api/kb/status");
      if (status === 401) {
        token = ""; // the sidecar was started anew
        return closed;
      }
      return { transport, vaultId: "" };
    },
  };
}

async function send(token: string, method: string, path: string, body?: unknown): Promise<{ status: number; json: unknown }> {
  try {
    const response = await fetch(path, {
      method,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      credentials: "omit",
      headers: { ...(token ? { Authorization: `Bearer ${token}` } : {}), ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: (await response.json()) as unknown };
  } catch {
    throw new Unreachable();
  }
}
