import { SidecarClient, type SidecarEvent, type Status, type Transport } from "./api/client";
import { ApiError } from "./api/errors";

export const PROTOCOL = 1;

export type State =
  | { kind: "connecting" }
  | { kind: "not-set-up" }
  | { kind: "offline"; since: Date | null }
  | { kind: "mismatch"; sidecar: number }
  | { kind: "other-vault"; name: string }
  | ({ kind: "closed" } & Closed)
  | { kind: "starting"; status: Status }
  | { kind: "ready"; status: Status };

/** Why a host may not ask the sidecar that it found, and what to type; told by the host, which knows. */
export interface Closed {
  short: string;
  title: string;
  text: string;
  command: string;
}

/** How a host finds its sidecar. */
export interface Connector {
  /** Find the sidecar and make sure it is the right process; `null` if there is none. */
  connect(): Promise<{ transport: Transport; vaultId: string } | "not-set-up" | Closed | null>;
}

interface Timing {
  retryMs: number[];
  idleMs: number;
  startingMs: number;
  pollSeconds: number;
}

const TIMING: Timing = { retryMs: [500, 1000, 2000, 5000, 10_000], idleMs: 30_000, startingMs: 400, pollSeconds: 25 };

type StateListener = (state: State) => void;
type EventListener = (events: SidecarEvent[]) => void;

/**
 * The one place that talks to the sidecar about being there. Views ask it and are told; nobody else pings.
 * While no view listens for events it only looks now and then, so closed panes cost nothing.
 */
export class Connection {
  private current: State = { kind: "connecting" };
  private sidecar: SidecarClient | null = null;
  private vaultId = "";
  private revision = 0;
  private lastReady: Date | null = null;
  private readonly stateListeners = new Set<StateListener>();
  private readonly eventListeners = new Set<EventListener>();
  private wake: (() => void) | null = null;
  private stopped = false;

  constructor(
    private readonly connector: Connector,
    private readonly timing: Timing = TIMING,
  ) {}

  get state(): State {
    return this.current;
  }

  /** The client while the sidecar is ready, else `null`. */
  get client(): SidecarClient | null {
    return this.current.kind === "ready" ? this.sidecar : null;
  }

  /** Be told of every change of state, beginning with the present one. */
  onState(listener: StateListener): () => void {
    this.stateListeners.add(listener);
    listener(this.current);
    return () => this.stateListeners.delete(listener);
  }

  /** Be told what happens in the vault. */
  onEvents(listener: EventListener): () => void {
    this.eventListeners.add(listener);
    this.nudge();
    return () => this.eventListeners.delete(listener);
  }

  /** Look again at once instead of waiting for the next try. */
  nudge(): void {
    this.wake?.();
  }

  async run(): Promise<void> {
    let failures = 0;
    while (!this.stopped) {
      try {
        if (!this.sidecar && !(await this.attach())) {
          await this.pause(this.timing.retryMs[Math.min(failures++, this.timing.retryMs.length - 1)] ?? 1000);
          continue;
        }
        await this.follow();
        failures = 0;
      } catch (error) {
        this.sidecar = null;
        if (error instanceof ApiError && error.status !== 401 && error.status !== 503) {
          console.warn("Vault Sidecar:", error.message);
        }
        // One failure is forgiven: the sidecar may only be starting anew.
        if (failures++ > 0) this.set({ kind: "offline", since: this.lastReady });
        await this.pause(this.timing.retryMs[Math.min(failures, this.timing.retryMs.length - 1)] ?? 1000);
      }
    }
  }

  stop(): void {
    this.stopped = true;
    this.stateListeners.clear();
    this.eventListeners.clear();
    this.nudge();
  }

  private async attach(): Promise<boolean> {
    const found = await this.connector.connect();
    if (found === null) {
      this.set({ kind: "offline", since: this.lastReady });
      return false;
    }
    if (found === "not-set-up") {
      this.set({ kind: found });
      return false;
    }
    if ("command" in found) {
      this.set({ kind: "closed", ...found });
      return false;
    }
    this.sidecar = new SidecarClient(found.transport);
    this.vaultId = found.vaultId;
    this.revision = 0;
    return true;
  }

  /** One round: learn the state, then wait for events or for the next look. */
  private async follow(): Promise<void> {
    const client = this.sidecar;
    if (!client) return;
    const status = await client.status();
    if (status.protocol !== PROTOCOL) {
      this.set({ kind: "mismatch", sidecar: status.protocol });
      return this.pause(this.timing.idleMs);
    }
    if (this.vaultId && status.vault_id !== this.vaultId) {
      this.set({ kind: "other-vault", name: status.vault_name });
      return this.pause(this.timing.idleMs);
    }
    if (status.state === "starting") {
      this.set({ kind: "starting", status });
      return this.pause(this.timing.startingMs);
    }
    const isNew = this.current.kind !== "ready";
    this.lastReady = new Date();
    if (isNew || this.revision === 0) this.revision = status.revision;
    this.set({ kind: "ready", status });
    if (this.eventListeners.size === 0) return this.pause(this.timing.idleMs);
    const { events, revision } = await client.events(this.revision, this.timing.pollSeconds);
    this.lastReady = new Date();
    this.revision = revision;
    if (events.length > 0) for (const listener of [...this.eventListeners]) listener(events);
  }

  private set(state: State): void {
    const same = JSON.stringify(stable(state)) === JSON.stringify(stable(this.current));
    this.current = state;
    if (!same) for (const listener of [...this.stateListeners]) listener(state);
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        window.clearTimeout(timer);
        this.wake = null;
        resolve();
      };
      const timer = window.setTimeout(done, ms);
      this.wake = done;
    });
  }
}

/** A state without what changes at every save: listeners are told of that by events. */
function stable(state: State): unknown {
  return state.kind === "ready" ? { ...state, status: { ...state.status, revision: 0, notes: 0, files: 0 } } : state;
}
