import type { Transport } from "./client";

/**
 * Challenge whoever listens on the port before sending it the token: only the sidecar that wrote the endpoint file can answer.
 * The answer is an HMAC-SHA256 of vault id and nonce under the token.
 */
export async function provesItself(transport: Transport, token: string, vaultId: string): Promise<boolean> {
  const nonce = hex(crypto.getRandomValues(new Uint8Array(16)));
  const { json } = await transport.send("GET", `/health?nonce=${nonce}`);
  const encoder = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", encoder.encode(token), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const wanted = hex(new Uint8Array(await crypto.subtle.sign("HMAC", key, encoder.encode(`${vaultId}:${nonce}`))));
  return (json as { proof?: string } | null)?.proof === wanted;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
