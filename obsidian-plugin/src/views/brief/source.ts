import type { Job, SidecarClient } from "../../api/client";
import { Unreachable } from "../../api/errors";
import type { Connection } from "../../connection";
import type { Host } from "../../host";
import type { Filter, Found, Item, Report, Runs, Tier, Today, View } from "./model";

export const PAGE = 40;

/** What the sidecar says about items, runs and briefs, as the panel shows it. */
export class BriefSource {
  constructor(
    protected readonly ask: () => SidecarClient | null,
    protected readonly host: Host,
  ) {}

  forget(): void {
    // pictures
  }

  runs(): Promise<Runs> {
    throw new Unreachable();
  }

  today(): Promise<Today> {
    throw new Unreachable();
  }

  find(_view: View, _filter: Filter): Promise<Found> {
    throw new Unreachable();
  }

  item(_id: string): Promise<Item> {
    throw new Unreachable();
  }

  reports(): Promise<Report[]> {
    throw new Unreachable();
  }

  reportHtml(_report: Report): Promise<string> {
    throw new Unreachable();
  }

  run(): Promise<Job> {
    throw new Unreachable();
  }

  progress(_job: Job): Runs["running"] {
    return null;
  }

  feedback(_id: string, _action: string): Promise<unknown> {
    throw new Unreachable();
  }

  overrule(_id: string, _tier: Tier, _why: string): Promise<unknown> {
    throw new Unreachable();
  }

  archive(_ids: string[], _undo: boolean): Promise<unknown> {
    throw new Unreachable();
  }

  save(_item: Item, _connection: Connection): Promise<string> {
    throw new Unreachable();
  }

  exportText(_filter: Filter, _ids: string[]): Promise<string> {
    throw new Unreachable();
  }

  picture(_el: HTMLElement, _item: Item): Promise<void> {
    throw new Unreachable();
  }
}
