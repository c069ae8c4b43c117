import { requestUrl, type App } from "obsidian";
import type { Transport } from "../api/client";
import { Unreachable } from "../api/errors";
import { provesItself } from "../api/proof";
import type { Connector } from "../connection";
import { findEndpoint } from "./endpoint";

/** Finds the sidecar by its endpoint file and talks to it through Obsidian's own requests. */
export function obsidianConnector(app: App): Connector {
  return {
    async connect() {
      const endpoint = await findEndpoint(app);
      if (endpoint === null || endpoint === "not-set-up") return endpoint;
      const { url, token, vault_id: vaultId } = endpoint;
      if (!(await provesItself(transport(url, ""), token, vaultId).catch(() => false))) return null;
      return { transport: transport(url, token), vaultId };
    },
  };
}

/** Longer than a long poll; a sidecar that hangs must not look like one that is ready. */
const TIMEOUT_MS = 40_000;

/** Give up waiting: Obsidian's requests have no time limit of their own. */
function withTimeout<T>(work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = window.setTimeout(() => reject(new Unreachable()), TIMEOUT_MS);
    work.then(resolve, reject).finally(() => window.clearTimeout(timer));
  });
}

function transport(url: string, token: string): Transport {
  return {
    url,
    async send(method, path, body) {
      try {
        const response = await withTimeout(requestUrl({
          url: url + path,
          method,
          headers: token ? { Authorization: `Bearer ${token}` } : {},
          ...(body === undefined ? {} : { contentType: "application/json", body: JSON.stringify(body) }),
          throw: false,
        }));
        return { status: response.status, json: response.text ? (JSON.parse(response.text) as unknown) : null };
      } catch {
        throw new Unreachable();
      }
    },
  };
}
