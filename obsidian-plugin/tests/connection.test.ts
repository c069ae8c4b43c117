import { beforeAll, describe, expect, it, vi } from "vitest";
import type { Status, Transport } from "../src/api/client";
import { Unreachable } from "../src/api/errors";
import { Connection, PROTOCOL, type Connector, type State } from "../src/connection";

const STATUS: Status = {
  version: "0.1.0", protocol: PROTOCOL, vault_id: "one", vault_name: "Garden", state: "ready", revision: 7, done: 2, total: 2, notes: 2, files: 2,
  parsed_at_start: 0, reused_at_start: 2, problems: 0, moc_path: "index.md", moc_problem: "", problem: "", watching: "native", language: "en",
};
const TIMING = { retryMs: [1], idleMs: 1, startingMs: 1, pollSeconds: 0 };

/** A sidecar that gives one answer after the other; the last one stays. An `Error` is a request that nobody answers. */
function sidecar(answers: (Partial<Status> | Error)[], vaultId = "one"): Connector {
  let n = 0;
  const transport: Transport = {
    url: "http://127.0.0.1:1",
    send(_method, path) {
      if (path.startsWith("/api/kb/events")) return Promise.resolve({ status: 200, json: { revision: 8, events: [{ id: 8, type: "moc-changed", data: {} }] } });
      const answer = answers[Math.min(n++, answers.length - 1)];
      return answer instanceof Error ? Promise.reject(answer) : Promise.resolve({ status: 200, json: { ...STATUS, ...answer } });
    },
  };
  return { connect: () => Promise.resolve({ transport, vaultId }) };
}

/** Run a connection until it has been in `count` states. */
async function statesOf(connector: Connector, count: number): Promise<State[]> {
  const connection = new Connection(connector, TIMING);
  const seen: State[] = [];
  await new Promise<void>((resolve) => {
    connection.onState((state) => {
      seen.push(state);
      if (seen.length === count) resolve();
    });
    void connection.run();
  });
  connection.stop();
  return seen;
}

beforeAll(() => {
  vi.stubGlobal("window", { setTimeout, clearTimeout });
});

describe("a connection", () => {
  it("tells that the vault is being read, then that it is ready", async () => {
    const seen = await statesOf(sidecar([{ state: "starting", done: 1 }, {}]), 3);
    expect(seen.map((state) => state.kind)).toEqual(["connecting", "starting", "ready"]);
  });

  it("reads nothing from a sidecar of another protocol", async () => {
    const seen = await statesOf(sidecar([{ protocol: PROTOCOL + 1 }]), 2);
    expect(seen[1]).toEqual({ kind: "mismatch", sidecar: PROTOCOL + 1 });
  });

  it("reads nothing from the sidecar of another vault", async () => {
    const seen = await statesOf(sidecar([{ vault_id: "two", vault_name: "Atelier" }]), 2);
    expect(seen[1]).toEqual({ kind: "other-vault", name: "Atelier" });
  });

  it("says once that the sidecar is off, keeps since when, and is back by itself", async () => {
    const gone = new Unreachable();
    const seen = await statesOf(sidecar([{}, gone, gone, gone, {}]), 4);
    expect(seen.map((state) => state.kind)).toEqual(["connecting", "ready", "offline", "ready"]);
    expect(seen[2]).toMatchObject({ since: expect.any(Date) as Date });
  });

  it("is offline, not in error, while nothing was found", async () => {
    const seen = await statesOf({ connect: () => Promise.resolve(null) }, 2);
    expect(seen[1]).toEqual({ kind: "offline", since: null });
  });

  it("tells of ready once, however much is saved meanwhile", async () => {
    const seen = await statesOf(sidecar([{ revision: 1 }, { revision: 2, notes: 3 }, { revision: 3 }, { state: "starting" }]), 3);
    expect(seen.map((state) => state.kind)).toEqual(["connecting", "ready", "starting"]);
  });

  it("asks for events only while somebody listens", async () => {
    let polls = 0;
    const inner = sidecar([{}]);
    const connection = new Connection(
      {
        async connect() {
          const found = await inner.connect();
          if (found === null || typeof found === "string" || "command" in found) return found;
          const { transport } = found;
          const send: Transport["send"] = (method, path, body) => {
            if (path.startsWith("/api/kb/events")) polls++;
            return transport.send(method, path, body);
          };
          return { ...found, transport: { url: transport.url, send } };
        },
      },
      TIMING,
    );
    void connection.run();
    await new Promise((resolve) => window.setTimeout(resolve, 30));
    expect(polls).toBe(0);
    const event = await new Promise((resolve) => connection.onEvents((events) => resolve(events[0]?.type)));
    connection.stop();
    expect(event).toBe("moc-changed");
  });
});
