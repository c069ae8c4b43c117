import { locale } from "../i18n";
import type { Connection } from "../connection";

/** What happened in this run that is worth knowing when something is wrong; counted, never sent. */
export const counted: Record<string, number> = {};

/** Say how things stand, without names of notes, folders, vaults or keys. */
export function diagnose(connection: Connection, version: string): string {
  const { state } = connection;
  const lines = [`plugin ${version}`, `language ${locale}`, `connection ${state.kind}`];
  if (state.kind === "ready" || state.kind === "starting") {
    const { vault_id: _id, vault_name: _name, moc_path: _path, ...shown } = state.status;
    for (const [key, value] of Object.entries(shown)) lines.push(`${key} ${typeof value === "string" ? value.replace(/[^\s]*[\\/][^\s]*/g, "…") : String(value)}`);
  }
  for (const [key, value] of Object.entries(counted)) lines.push(`${key} ${value}`);
  return lines.join("\n");
}
