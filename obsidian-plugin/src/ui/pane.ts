import { words } from "../i18n";
import type { Connection, State } from "../connection";
import type { Host } from "../host";
import { div, drawIcon, explainError, formatTime, showEmpty, span } from "./dom";
import { progressOf } from "./status";
import { attachTreeKeys } from "./tree_keys";

/** Which parts of a pane are folded; kept while the pane is redrawn. */
export type Folded = Set<string>;

const SKELETON_AFTER_MS = 300;

/**
 * The frame all panes share: head, body, foot, and what is shown while there is no content.
 * Order of truth: mismatch > not set up > offline without content > offline with content > error > first reading > loading > content.
 */
export abstract class Pane {
  protected head!: HTMLElement;
  protected body!: HTMLElement;
  protected foot!: HTMLElement;
  protected readonly folded: Folded = new Set();
  private banner!: HTMLElement;
  private root: HTMLElement | null = null;
  private hasContent = false;
  private loading = 0;
  private readonly unsubscribe: (() => void)[] = [];
  private reloadTimer = 0;

  constructor(
    protected readonly host: Host,
    protected readonly connection: Connection,
    private readonly label: string,
    /** A view of its own with a bar, whose body scrolls; else a pane in a side leaf. */
    private readonly kind: "pane" | "view" | "settings" = "pane",
  ) {}

  mount(root: HTMLElement): void {
    this.root = root;
    root.empty();
    root.addClass(...(this.isWide ? ["vs-view", "vs-framed"] : [`vs-${this.kind}`]));
    root.setAttribute("aria-label", this.label);
    if (this.isWide) {
      root.setAttribute("role", "region");
      this.head = div(root, "vs-bar");
      this.banner = root.createDiv({ cls: "vs-banner is-hidden", attr: { role: "status" } });
      this.body = root.createDiv({ cls: "vs-scroll", attr: { tabindex: "-1" } });
    } else {
      const isPane = this.kind === "pane";
      this.banner = div(root, "vs-banner is-hidden");
      this.head = div(root, isPane ? "vs-pane-head" : "vs-tabs");
      this.body = div(root, isPane ? "vs-pane-body" : "vs-settings-body");
      if (isPane) attachTreeKeys(this.body);
    }
    this.foot = root.createDiv({ cls: "vs-pane-foot is-hidden", attr: { role: "status" } });
    let ready = false;
    this.unsubscribe.push(
      this.connection.onState((state) => {
        // While ready only the revision changes, and events tell of that.
        if (state.kind === "ready" && ready) return;
        ready = state.kind === "ready";
        this.showState(state);
      }),
    );
    this.unsubscribe.push(
      this.connection.onEvents((events) => {
        if (events.filter((event) => this.concerns(event.type, event.data)).length > 0) this.reloadSoon();
      }),
    );
  }

  unmount(): void {
    for (const off of this.unsubscribe.splice(0)) off();
    window.clearTimeout(this.reloadTimer);
    this.root?.empty();
    this.root = null;
  }

  /** Ask the sidecar and draw; content already shown stays until the new is there. */
  async reload(): Promise<void> {
    const client = this.connection.client;
    if (!client || !this.root) return;
    const turn = ++this.loading;
    const skeleton = window.setTimeout(() => {
      if (turn === this.loading && !this.hasContent) this.showSkeleton();
    }, SKELETON_AFTER_MS);
    try {
      const draw = await this.load();
      if (turn !== this.loading || !this.root) return;
      this.redraw(draw);
    } catch (error) {
      if (turn === this.loading && this.root && !this.hasContent) this.showError(error);
    } finally {
      window.clearTimeout(skeleton);
    }
  }

  /** Fetch what the pane shows; give a call that draws it into the empty body. */
  protected abstract load(): Promise<() => void>;
  protected abstract concerns(event: string, data: Record<string, unknown>): boolean;
  protected abstract drawHead(): void;

  private get isWide(): boolean {
    return this.kind === "view";
  }

  /** What scrolls when there is more than fits. */
  protected get scroller(): HTMLElement | null {
    return this.isWide ? this.body : (this.root?.parentElement ?? null);
  }

  /** Draw something that needs no sidecar, such as "no note open". */
  protected drawNow(draw: () => void): void {
    this.loading++;
    this.redraw(draw);
  }

  /** What is shown is of something else now: take it away, and say how things stand until there is something new. */
  protected forgetContent(): void {
    this.hasContent = false;
    this.loading++;
    if (!this.root) return;
    this.body.empty();
    if (this.connection.state.kind !== "ready") this.showState(this.connection.state);
  }

  protected setFoot(text: string): void {
    this.foot.setText(text);
    this.foot.toggleClass("is-hidden", text === "");
  }

  /** A section that folds; gives its body, or `null` while it is folded. */
  protected group(key: string, title: string, count: number, fill: (body: HTMLElement) => void, isTree = true): void {
    // A tree may own nothing but rows; a group of buttons is headed by a button.
    const section = this.body.createDiv({ cls: "vs-group", attr: isTree ? { role: "tree", "aria-label": title } : {} });
    const open = !this.folded.has(key);
    const row = this.foldRow(section, key, title, String(count), open);
    if (!isTree) row.setAttribute("role", "button");
    if (open) fill(section);
  }

  protected foldRow(parent: HTMLElement, key: string, title: string, flair: string, open: boolean): HTMLElement {
    const row = parent.createDiv({
      cls: "tree-item-self is-clickable",
      attr: { role: "treeitem", tabindex: "-1", "aria-expanded": String(open), "data-row": key },
    });
    drawIcon(span(row, "vs-icon"), open ? "chevron-down" : "chevron-right");
    span(row, "tree-item-inner", title);
    span(row, "tree-item-flair", flair);
    row.addEventListener("click", () => {
      if (open) this.folded.add(key);
      else this.folded.delete(key);
      void this.reload();
    });
    return row;
  }

  /** A row that asks for more of a list. */
  protected moreRow(parent: HTMLElement, key: string, text: string, widen: () => void): void {
    const row = parent.createDiv({ cls: "vs-link vs-more is-clickable", text, attr: { role: "treeitem", tabindex: "-1", "data-row": key } });
    row.addEventListener("click", () => {
      widen();
      void this.reload();
    });
  }

  /** A row that opens a note by click, Enter, or with the modifier in a new tab. */
  protected noteRow(el: HTMLElement, path: string): void {
    el.setAttribute("role", "treeitem");
    el.setAttribute("tabindex", "-1");
    el.setAttribute("data-row", path);
    el.addClass("is-clickable");
    el.addEventListener("click", (event) => this.host.openNote(path, event.ctrlKey || event.metaKey));
  }

  private redraw(draw: () => void): void {
    const scroll = this.scroller?.scrollTop ?? 0;
    const focused = this.root?.querySelector<HTMLElement>("[data-row]:focus")?.dataset["row"];
    this.body.empty();
    this.head.empty();
    this.drawHead();
    draw();
    this.hasContent = true;
    const rows = Array.from(this.root?.querySelectorAll<HTMLElement>("[data-row]") ?? []);
    const again = rows.find((row) => row.dataset["row"] === focused) ?? null;
    if (this.kind === "pane") (again ?? rows[0])?.setAttribute("tabindex", "0");
    again?.focus();
    if (again instanceof HTMLInputElement && again.type === "search") again.setSelectionRange(again.value.length, again.value.length);
    if (this.scroller) this.scroller.scrollTop = scroll;
  }

  private reloadSoon(): void {
    window.clearTimeout(this.reloadTimer);
    this.reloadTimer = window.setTimeout(() => void this.reload(), 80);
  }

  private showState(state: State): void {
    this.banner.addClass("is-hidden");
    switch (state.kind) {
      case "ready":
        void this.reload();
        return;
      case "connecting":
        return;
      case "starting": {
        this.setFoot(words.indexing(...progressOf(state.status)));
        if (!this.hasContent) this.showSkeleton();
        return;
      }
      case "offline":
        if (this.hasContent) {
          const time = state.since ? formatTime(state.since) : "";
          this.banner.setText(time ? words.offlineSince(time) : words.offlineTitle);
          this.banner.removeClass("is-hidden");
          return;
        }
        return this.showInstead({ icon: "unplug", title: words.offlineTitle, text: words.offlineText, command: "kb serve" });
      case "not-set-up":
        return this.showInstead({ icon: "folder", title: words.notSetUpTitle, text: words.notSetUpText, command: "kb init" });
      case "closed":
        return this.showInstead({ icon: "unplug", ...state });
      case "mismatch":
        return this.showInstead({
          icon: "alert-circle",
          title: words.mismatchTitle,
          text: words.mismatchText(1, state.sidecar),
          command: "kb doctor",
        });
      case "other-vault":
        return this.showInstead({ icon: "folder", title: words.otherVaultTitle, text: words.otherVaultText(state.name) });
    }
  }

  private showInstead(state: Parameters<typeof showEmpty>[2]): void {
    this.loading++;
    this.hasContent = false;
    this.body.empty();
    this.head.empty();
    this.setFoot("");
    showEmpty(this.host, this.body, state);
  }

  private showError(error: unknown): void {
    this.body.empty();
    showEmpty(this.host, this.body, {
      icon: "alert-circle",
      title: words.errorTitle,
      text: explainError(error),
      action: { label: words.retry, run: () => void this.reload() },
    });
  }

  private showSkeleton(): void {
    this.body.empty();
    for (const width of ["60%", "80%", "45%", "70%"]) {
      const bar = div(this.body, "vs-skel-row").createSpan({ cls: "vs-skel" });
      bar.setCssProps({ "--vs-skel-width": width });
    }
  }
}
