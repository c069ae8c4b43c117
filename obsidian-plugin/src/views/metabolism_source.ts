import type { SidecarClient } from "../api/client";
import { ApiError, Unreachable } from "../api/errors";
import type { Host } from "../host";

/** One of the five conditions, as a person reads it. */
export interface Condition {
  key: string;
  met: boolean;
  figure: string;
  detail: string;
}

export interface Dying {
  path: string;
  title: string;
  layer: string;
  conditions: Condition[];
}

export interface Health {
  observed: number;
  stats: { key: string; value: number; of: string; share?: number; months: number[]; asBars: boolean }[];
  expiring: { path: string; title: string; days: number; from: string }[];
  chewable: { path: string; title: string }[];
  tidy: { key: string; count: number }[];
}

/** What the sidecar says of the vault's metabolism, as the view shows it. */
export class MetabolismSource {
  constructor(
    protected readonly ask: () => SidecarClient | null,
    protected readonly host: Host,
  ) {}

  static isFull(error: unknown): boolean {
    return error instanceof ApiError && error.code === "core-full";
  }

  health(): Promise<Health> {
    throw new Unreachable();
  }

  docket(): Promise<Dying[]> {
    throw new Unreachable();
  }

  promote(_note: string, _when: string, _toCore: boolean, _sentence: string, _displace: string): Promise<string> {
    throw new Unreachable();
  }
}
