import { readFile } from "fs/promises";
import { homedir } from "os";
import { join } from "path";
import { FileSystemAdapter, Platform, type App } from "obsidian";

export interface Endpoint {
  url: string;
  token: string;
  vault_id: string;
}

/** Find the endpoint file of this vault's sidecar. The token in it stays in memory. */
export async function findEndpoint(app: App): Promise<Endpoint | "not-set-up" | null> {
  const adapter = app.vault.adapter;
  if (!(adapter instanceof FileSystemAdapter)) return null;
  let vaultId: string;
  try {
    const protocol = JSON.parse(await adapter.read(".kb/protocol.json")) as { vault_id?: unknown };
    if (typeof protocol.vault_id !== "string" || !/^[0-9a-f-]{8,64}$/.test(protocol.vault_id)) return "not-set-up";
    vaultId = protocol.vault_id;
  } catch {
    return "not-set-up";
  }
  try {
    const found = JSON.parse(await readFile(join(stateFolder(), vaultId, "endpoint.json"), "utf8")) as Partial<Endpoint>;
    const { url, token, vault_id } = found;
    const isOurs = typeof url === "string" && /^http:\/\/127\.0\.0\.1:\d+$/.test(url) && typeof token === "string" && vault_id === vaultId;
    return isOurs ? { url, token, vault_id } : null;
  } catch {
    return null; // not running
  }
}

/** The folder for state of this user, by the same rule as the sidecar's. */
function stateFolder(): string {
  const home = homedir();
  if (Platform.isWin) return join(process.env["LOCALAPPDATA"] ?? join(home, "AppData", "Local"), "vault-sidecar");
  if (Platform.isMacOS) return join(home, "Library", "Application Support", "vault-sidecar");
  return join(process.env["XDG_STATE_HOME"] ?? join(home, ".local", "state"), "vault-sidecar");
}
