import { words } from "../i18n";
import type { IngestResult, Job } from "../api/client";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { explain, explainError } from "./dom";
import { textOf } from "./status";

const POLL_MS = 200;

/** Wait until a job has ended, telling of each look. */
export async function follow(connection: Connection, job: Job, tell: (job: Job) => void): Promise<Job> {
  let now = job;
  while (now.state === "running") {
    tell(now);
    await sleep(POLL_MS);
    const { client } = connection;
    if (client) now = await client.job(now.id);
  }
  return now;
}

/** Take links in without a form: one notice tells how far it is and what came of it. */
export async function ingestQuietly(host: Host, connection: Connection, urls: string[]): Promise<void> {
  const { client } = connection;
  if (!client) return host.notify(textOf(connection.state));
  const notice = host.progress(`${words.ingesting}: ${hostOf(urls[0] ?? "")}`);
  try {
    const steps: Record<string, string> = { fetch: words.stepFetch, read: words.stepRead, write: words.stepWrite };
    const job = await follow(connection, await client.ingest(urls, [], false), (now) => {
      const last = now.steps[now.steps.length - 1] as { step: string; url: string; number: number; of: number } | undefined;
      if (last) notice.set(`${last.of > 1 ? `${last.number} / ${last.of} · ` : ""}${hostOf(last.url)}: ${steps[last.step] ?? last.step}`);
    });
    const results = (job.result as { results?: IngestResult[] } | null)?.results ?? [];
    const said = results.map((result) => {
      if (result.error) return explain(result.error).what;
      return `${result.status === "created" ? words.savedTitle : words.duplicateTitle}: ${result.path ?? ""}`;
    });
    notice.end(job.error ? explain(job.error).what : said.join("\n") || words.failedTitle);
  } catch (error) {
    notice.end(explainError(error));
  }
}

/** Fetch all subscriptions now; one notice tells how far it is and what came of it. */
export async function runQuietly(host: Host, connection: Connection): Promise<void> {
  const { client } = connection;
  if (!client) return host.notify(textOf(connection.state));
  const notice = host.progress(words.runNow);
  try {
    const job = await follow(connection, await client.run(), (now) => {
      const step = progressOf(now);
      if (step) notice.set(words.fetching(step.done, step.total));
    });
    const { new: fresh = 0 } = (job.result ?? {}) as { new?: number };
    notice.end(job.error ? explain(job.error).what : words.newCount(fresh));
  } catch (error) {
    notice.end(explainError(error));
  }
}

/** How many of how many subscriptions a run has fetched, as far as it told. */
export function progressOf(job: Job): { done: number; total: number } | null {
  return ([...job.steps].reverse().find((one) => "total" in one) as { done: number; total: number } | undefined) ?? null;
}

export function hostOf(url: string): string {
  try {
    return new URL(url).origin.replace(/^https?:\/\//, "");
  } catch {
    return url;
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}
