import { locale, words } from "../i18n";
import type { IngestResult, Job } from "../api/client";
import type { Connection } from "../connection";
import type { Host } from "../host";
import { appendIcon, div, explain, explainError, formatCount, span, make } from "../ui/dom";
import { follow, hostOf } from "../ui/jobs";
import { textOf } from "../ui/status";

const STEPS = ["fetch", "read", "write"] as const;

export interface IngestOptions {
  /** Links to begin with, and whether they came from the clipboard. */
  prefill: string;
  fromClipboard: boolean;
  /** Some page or program asks: the form says so, and nothing begins by itself. */
  handedOver?: boolean;
  /** Draws what the host offers below the form. */
  below?: (el: HTMLElement) => void;
  /** Open a single new note at once. */
  openWhenDone: boolean;
  close: () => void;
}

/** From links to notes: form, progress, outcome. */
export class IngestPanel {
  private root!: HTMLElement;
  private job: Job | null = null;
  private left = false;

  constructor(
    private readonly host: Host,
    private readonly connection: Connection,
    private readonly options: IngestOptions,
  ) {}

  mount(root: HTMLElement): void {
    this.root = root;
    this.showForm(this.options.prefill, "", "");
  }

  /** The work goes on in the sidecar; the outcome is told by a notice. */
  unmount(): void {
    this.left = true;
  }

  private showForm(links: string, tags: string, problem: string): void {
    const body = this.begin(words.ingest);
    const field = div(body, "vs-field");
    field.createEl("label", { text: words.ingestLink, attr: { for: "vs-ingest-link" } });
    const input = field.createEl("textarea", { attr: { id: "vs-ingest-link", rows: "2", spellcheck: "false", "aria-describedby": "vs-ingest-hint" } });
    input.value = links;
    const hint = problem || (this.options.handedOver && links ? words.ingestHandedOver : this.options.fromClipboard && links ? words.ingestFromClipboard : words.ingestHint);
    field.createSpan({ cls: problem ? "vs-small vs-bad-text" : "vs-small vs-muted", text: hint, attr: { id: "vs-ingest-hint", ...(problem ? { role: "alert" } : {}) } });
    const tagField = div(body, "vs-field");
    tagField.createEl("label", { text: words.ingestTags, attr: { for: "vs-ingest-tags" } });
    const tagInput = tagField.createEl("input", { attr: { id: "vs-ingest-tags", type: "text", placeholder: words.ingestTagsHint } });
    tagInput.value = tags;
    const submit = (): void => void this.start(input.value, tagInput.value, false);
    this.buttons(body, [
      { label: words.cancel, run: this.options.close },
      { label: words.ingestAction, icon: "corner-down-left", cta: true, run: submit },
    ]);
    this.options.below?.(body);
    const onEnter = (event: KeyboardEvent): void => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      submit();
    };
    input.addEventListener("keydown", onEnter);
    tagInput.addEventListener("keydown", onEnter);
    input.focus();
    input.select();
  }

  private async start(text: string, tagText: string, force: boolean): Promise<void> {
    const urls = text.split(/\s+/).filter((word) => /^https?:\/\/./i.test(word));
    const tags = tagText.split(/[,，\s]+/).map((tag) => tag.replace(/^#/, "")).filter(Boolean);
    const client = this.connection.client;
    if (urls.length === 0) return this.showForm(text, tagText, words.noLink);
    if (!client) return this.showForm(text, tagText, textOf(this.connection.state));
    try {
      this.job = await follow(this.connection, await client.ingest(urls, tags, force), (job) => {
        this.job = job;
        if (!this.left) this.showProgress(job);
      });
    } catch (error) {
      const message = explainError(error);
      if (this.left) this.host.notify(message);
      else this.showForm(text, tagText, message);
      return;
    }
    this.finish(this.job, text, tagText);
  }

  private showProgress(job: Job): void {
    const last = job.steps[job.steps.length - 1] as { step: string; url: string; number: number; of: number; bytes?: number } | undefined;
    const body = this.begin(words.ingesting);
    const many = (last?.of ?? 1) > 1 ? `${last?.number ?? 1} / ${last?.of ?? 1} · ` : "";
    make(body, "p", "vs-muted vs-num vs-one-line", many + (last ? hostOf(last.url) : ""));
    const at = STEPS.findIndex((step) => step === last?.step);
    const list = body.createEl("ul", { cls: "vs-steps", attr: { role: "status" } });
    const labels = { fetch: words.stepFetch, read: words.stepRead, write: words.stepWrite };
    STEPS.forEach((step, n) => {
      const item = make(list, "li", n < at ? "is-ok" : n === at ? "" : "is-todo");
      appendIcon(item, n < at ? "check" : n === at ? "loader" : "circle", n === at ? "vs-spin" : "");
      span(item, "", labels[step]);
      span(item, "", step === "fetch" && last?.bytes ? `${Math.round(last.bytes / 1000)} kB` : "");
    });
    const bar = body.createEl("progress", { cls: "vs-progress", attr: { max: "4", "aria-label": words.ingesting } });
    bar.value = at + 1.5;
    this.buttons(body, [
      { label: words.cancel, run: () => void this.cancel() },
      { label: words.inBackground, run: this.options.close },
    ]);
  }

  private async cancel(): Promise<void> {
    if (this.job) await this.connection.client?.cancel(this.job.id).catch(() => undefined);
  }

  private finish(job: Job, text: string, tags: string): void {
    const results = ((job.result as { results?: IngestResult[] } | null)?.results ?? []).slice();
    const only = results.length === 1 ? results[0] : undefined;
    if (job.state === "cancelled") {
      if (!this.left) this.showForm(text, tags, "");
      return;
    }
    if (job.error) {
      const { what, fix } = explain(job.error);
      const message = [what, fix].filter(Boolean).join(" ");
      if (this.left) this.host.notify(message);
      else this.showForm(text, tags, message);
    } else if (this.left) {
      this.host.notify(only?.path ? `${only.status === "created" ? words.savedTitle : words.duplicateTitle}: ${only.path}` : this.sum(results));
    } else if (only?.status === "created" && only.path && this.options.openWhenDone) {
      this.options.close();
      this.host.notify(`${words.savedTitle}: ${only.path}`);
      this.host.openNote(only.path, false);
    } else if (only) {
      this.showOne(only, text, tags);
    } else {
      this.showMany(results);
    }
  }

  private showOne(result: IngestResult, text: string, tags: string): void {
    const titles = { created: words.savedTitle, duplicate: words.duplicateTitle, buried: words.buriedTitle, failed: words.failedTitle };
    const body = this.begin(titles[result.status]);
    if (result.title) make(body, "p", "vs-result-title", result.title);
    const open = { label: words.openNote, icon: "corner-down-left", cta: true, run: () => this.open(result.path ?? "") };
    if (result.status === "created") {
      this.facts(body, result);
      this.buttons(body, [{ label: words.ingestAnother, run: () => this.showForm("", tags, "") }, open]);
    } else if (result.status === "failed") {
      const callout = body.createDiv({ cls: "vs-callout is-warn", attr: { role: "alert" } });
      appendIcon(callout, "alert-circle");
      const lines = callout.createDiv();
      const { what, fix } = explain(result.error ?? { code: "", detail: "", fix: "" });
      make(lines, "p", "", what);
      if (fix) make(lines, "p", "vs-muted", fix);
      if (result.retry_at) make(lines, "p", "vs-muted", words.ingestAgainAt(new Date(result.retry_at).toLocaleString(locale)));
      this.buttons(body, [{ label: words.close, run: this.options.close }, { label: words.tryAgain, cta: true, run: () => this.showForm(text, tags, "") }]);
    } else {
      make(body, "p", "vs-small vs-muted", result.path ?? "");
      make(body, "p", "", result.status === "duplicate" ? words.duplicateText : words.buriedText);
      const again = { label: words.saveNewVersion, run: () => void this.start(text, tags, true) };
      this.buttons(body, result.status === "duplicate" ? [again, open] : [open]);
    }
  }

  private facts(body: HTMLElement, result: IngestResult): void {
    const list = make(body, "dl", "vs-kv");
    const add = (name: string, value: string): void => {
      if (!value) return;
      make(list, "dt", "", name);
      make(list, "dd", "vs-num", value);
    };
    add(words.fieldNote, result.path ?? "");
    const whole = words.textFull(formatCount(result.words ?? 0), result.images?.length ?? 0);
    add(words.fieldText, result.body_state === "missing" ? words.textMissing : result.body_state === "summary_only" ? words.textPart : whole);
    add(words.fieldProvenance, [result.site, result.published].filter(Boolean).join(" · "));
  }

  private showMany(results: IngestResult[]): void {
    const body = this.begin(this.sum(results));
    const list = make(body, "ul", "vs-steps");
    for (const result of results) {
      const failed = result.status === "failed";
      const item = make(list, "li", failed ? "is-bad" : result.status === "created" ? "is-ok" : "");
      appendIcon(item, failed ? "x" : result.status === "created" ? "check" : "minus");
      const text = span(item, "", result.title ?? hostOf(result.url));
      make(text, "small", "", result.error ? explain(result.error).what : (result.path ?? ""));
      const path = result.path;
      if (path) {
        const button = make(item, "button", "vs-plain vs-link", words.open);
        button.addEventListener("click", () => this.open(path));
      }
    }
    this.buttons(body, [{ label: words.done, cta: true, run: this.options.close }]);
  }

  private sum(results: IngestResult[]): string {
    const count = (status: IngestResult["status"]): number => results.filter((result) => result.status === status).length;
    return words.manyTitle(count("created"), count("duplicate") + count("buried"), count("failed"));
  }

  private open(path: string): void {
    this.options.close();
    this.host.openNote(path, false);
  }

  private begin(title: string): HTMLElement {
    this.root.empty();
    make(this.root, "h2", "modal-title", title);
    return this.root;
  }

  private buttons(body: HTMLElement, buttons: { label: string; icon?: string; cta?: boolean; run: () => void }[]): void {
    const row = div(body, "modal-button-container");
    for (const { label, icon, cta, run } of buttons) {
      const button = make(row, "button", cta ? "mod-cta" : "");
      span(button, "", label);
      if (icon) appendIcon(button, icon);
      button.addEventListener("click", run);
      if (cta) button.focus();
    }
  }
}
