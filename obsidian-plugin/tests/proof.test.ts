import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Transport } from "../src/api/client";
import { provesItself } from "../src/api/proof";

function listener(answer: (nonce: string) => unknown): Transport {
  return {
    url: "http://127.0.0.1:1",
    send: (_method, path) => Promise.resolve({ status: 200, json: answer(path.split("nonce=")[1] ?? "") }),
  };
}

describe("the challenge before the token is sent", () => {
  it("is met by the process that knows the token", async () => {
    const honest = listener((nonce) => ({ ok: true, proof: createHmac("sha256", "token").update(`vault:${nonce}`).digest("hex") }));
    expect(await provesItself(honest, "token", "vault")).toBe(true);
  });

  it("is failed by a process that took over the port, and by the sidecar of another vault", async () => {
    const other = listener((nonce) => ({ ok: true, proof: createHmac("sha256", "token").update(`other:${nonce}`).digest("hex") }));
    for (const answer of [null, {}, { ok: true }, { ok: true, proof: "" }]) {
      expect(await provesItself(listener(() => answer), "token", "vault")).toBe(false);
    }
    expect(await provesItself(other, "token", "vault")).toBe(false);
  });
});
