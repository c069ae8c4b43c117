import { locale, words } from "../../i18n";
import type { Connection } from "../../connection";
import type { Host } from "../../host";
import { explainError, formatCount, showEmpty } from "../../ui/dom";
import { ownWords, type OwnWords } from "../words";
import { spread, step, type Point } from "./layout";

interface Node {
  path: string;
  title: string;
  layer: string;
  kind: string;
  links: number;
}

const STEPS = 260;
const LABELS = 28;
const COLOURS: Record<string, string> = { core: "--color-purple", wiki: "--color-blue", sources: "--color-green", inbox: "--color-orange", graveyard: "--text-faint" };

/** The vault as a picture: around one note, or whole. Drag moves, the wheel zooms, a click opens. */
export class GraphView {
  private root!: HTMLElement;
  private canvas!: HTMLCanvasElement;
  private tip!: HTMLElement;
  private nodes: Node[] = [];
  private points: Point[] = [];
  private links: [number, number][] = [];
  private left = 0;
  private frame = 0;
  private zoom = 1;
  private panX = 0;
  private panY = 0;
  private over = -1;
  private find = "";
  private isFitted = true;
  private watcher: ResizeObserver | null = null;
  private whole: boolean;
  private readonly own: OwnWords;

  constructor(
    private readonly host: Host,
    private readonly connection: Connection,
    private readonly note: string | null,
  ) {
    this.whole = note === null;
    this.own = ownWords(locale);
  }

  mount(root: HTMLElement): void {
    this.root = root;
    root.addClass("vs-view", "vs-framed", "vs-graph");
    const bar = root.createDiv({ cls: "vs-bar" });
    if (this.note !== null) {
      const seg = bar.createDiv({ cls: "vs-seg", attr: { role: "group", "aria-label": this.own.graph } });
      for (const whole of [false, true]) {
        const button = seg.createEl("button", { text: whole ? this.own.graphWhole : this.own.graphAround, attr: { type: "button", "aria-pressed": String(whole === this.whole) } });
        button.addEventListener("click", () => {
          this.whole = whole;
          seg.querySelectorAll("button").forEach((one) => one.setAttribute("aria-pressed", String(one === button)));
          void this.load();
        });
      }
    }
    const search = bar.createEl("input", { attr: { type: "search", placeholder: this.own.graphFind, "aria-label": this.own.graphFind } });
    search.addEventListener("input", () => {
      this.find = search.value.trim().toLowerCase();
      this.draw();
    });
    bar.createSpan({ cls: "vs-muted vs-num", attr: { role: "status" } });
    const legend = bar.createDiv({ cls: "vs-legend" });
    for (const layer of ["core", "wiki", "sources", "inbox"]) {
      const item = legend.createSpan();
      item.createEl("i", { cls: "vs-dot", attr: { "data-layer": layer } });
      item.createSpan({ text: words.layers[layer] ?? layer });
    }
    const ring = legend.createSpan();
    ring.createEl("i", { cls: "vs-dot is-idle" });
    ring.createSpan({ text: words.orphans });
    const stage = root.createDiv({ cls: "vs-stage" });
    this.canvas = stage.createEl("canvas", { attr: { role: "img", "aria-label": this.own.graph, tabindex: "0" } });
    this.tip = stage.createDiv({ cls: "vs-tip is-hidden" });
    this.listen();
    this.watcher = new ResizeObserver(() => this.draw());
    this.watcher.observe(stage);
    void this.load();
  }

  unmount(): void {
    window.cancelAnimationFrame(this.frame);
    this.watcher?.disconnect();
    this.root.empty();
  }

  private async load(): Promise<void> {
    const { client } = this.connection;
    if (!client) return;
    try {
      const graph = this.whole || this.note === null ? await client.graph() : await client.neighbourhood(this.note);
      const shown = graph.nodes.filter((node) => node.kind === "note" || node.kind === "canvas");
      const index = new Map(shown.map((node, n) => [node.path, n]));
      const pairs = new Map<string, [number, number]>();
      for (const edge of graph.edges) {
        const [from, to] = [index.get(edge.source), index.get(edge.target)];
        if (from === undefined || to === undefined || from === to) continue;
        pairs.set(from < to ? `${from} ${to}` : `${to} ${from}`, [from, to]);
      }
      this.links = [...pairs.values()];
      this.nodes = shown.map((node) => ({ path: node.path, title: node.title, layer: node.layer ?? "", kind: node.kind, links: 0 }));
      for (const pair of this.links) for (const n of pair) if (this.nodes[n]) this.nodes[n].links++;
      this.points = spread(shown.length);
      this.points.forEach((point, n) => (point.r = 2.6 + 2 * Math.log2(1 + (this.nodes[n]?.links ?? 0))));
      const orphans = this.nodes.filter((node) => node.links === 0).length;
      const status = this.root.querySelector("[role=status]");
      if (status) status.textContent = this.own.graphCounts(formatCount(this.nodes.length), formatCount(this.links.length), formatCount(orphans));
      this.left = STEPS;
      this.isFitted = true;
      this.animate();
    } catch (error) {
      this.root.querySelector(".vs-stage")?.replaceChildren();
      showEmpty(this.host, this.root, { icon: "alert-circle", title: words.errorTitle, text: explainError(error) });
    }
  }

  private animate(): void {
    window.cancelAnimationFrame(this.frame);
    const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    const move = (): void => {
      const begin = performance.now();
      // Small pictures settle in a moment; of a large one as much as fits in a frame.
      do {
        step(this.points, this.links, Math.max(0.05, this.left / STEPS));
        this.left--;
      } while (this.left > 0 && (still || performance.now() - begin < 12));
      this.draw();
      if (this.left > 0) this.frame = window.requestAnimationFrame(move);
    };
    this.frame = window.requestAnimationFrame(move);
  }

  private fit(width: number, height: number): void {
    const xs = this.points.map((point) => point.x).sort((a, b) => a - b);
    const ys = this.points.map((point) => point.y).sort((a, b) => a - b);
    const at = (list: number[], part: number): number => list[Math.floor((list.length - 1) * part)] ?? 0;
    const [left, right, top, bottom] = [at(xs, 0.005), at(xs, 0.995), at(ys, 0.005), at(ys, 0.995)];
    this.zoom = Math.min(2.2, (width - 80) / Math.max(right - left, 40), (height - 80) / Math.max(bottom - top, 40));
    this.panX = width / 2 - ((left + right) / 2) * this.zoom;
    this.panY = height / 2 - ((top + bottom) / 2) * this.zoom;
  }

  private draw(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const ink = this.canvas.getContext("2d");
    if (!ink || width === 0) return;
    const dots = window.devicePixelRatio || 1;
    if (this.canvas.width !== width * dots || this.canvas.height !== height * dots) [this.canvas.width, this.canvas.height] = [width * dots, height * dots];
    if (this.isFitted && this.points.length > 0) this.fit(width, height);
    const style = getComputedStyle(this.root);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    ink.setTransform(dots, 0, 0, dots, 0, 0);
    ink.clearRect(0, 0, width, height);
    ink.setTransform(dots * this.zoom, 0, 0, dots * this.zoom, dots * this.panX, dots * this.panY);
    ink.lineWidth = Math.min(1, 0.7 / this.zoom);
    ink.strokeStyle = colour("--background-modifier-border-focus");
    ink.globalAlpha = this.over >= 0 ? 0.25 : 0.7;
    ink.beginPath();
    for (const [from, to] of this.links) this.line(ink, from, to);
    ink.stroke();
    ink.globalAlpha = 1;
    const near = new Set<number>([this.over]);
    if (this.over >= 0) {
      ink.strokeStyle = colour("--text-accent");
      ink.beginPath();
      for (const [from, to] of this.links) {
        if (from !== this.over && to !== this.over) continue;
        near.add(from).add(to);
        this.line(ink, from, to);
      }
      ink.stroke();
    }
    const byColour = new Map<string, number[]>();
    this.nodes.forEach((node, n) => {
      const name = this.find && !node.title.toLowerCase().includes(this.find) ? "--background-modifier-border" : (COLOURS[node.layer] ?? "--text-muted");
      const members = byColour.get(name);
      if (members) members.push(n);
      else byColour.set(name, [n]);
    });
    for (const [name, members] of byColour) {
      ink.fillStyle = ink.strokeStyle = colour(name);
      ink.beginPath();
      for (const n of members) if ((this.nodes[n]?.links ?? 0) > 0) this.dot(ink, n);
      ink.fill();
      // A note without a link is a ring: it is found without its colour.
      ink.beginPath();
      for (const n of members) if (this.nodes[n]?.links === 0) this.dot(ink, n);
      ink.stroke();
    }
    this.label(ink, dots, near, colour);
  }

  private line(ink: CanvasRenderingContext2D, from: number, to: number): void {
    const [a, b] = [this.points[from], this.points[to]];
    if (!a || !b) return;
    ink.moveTo(a.x, a.y);
    ink.lineTo(b.x, b.y);
  }

  private dot(ink: CanvasRenderingContext2D, n: number): void {
    const point = this.points[n];
    if (!point) return;
    ink.moveTo(point.x + point.r, point.y);
    ink.arc(point.x, point.y, point.r, 0, 7);
  }

  /** Name the hubs, what was looked for, and the neighbours of the note under the pointer. */
  private label(ink: CanvasRenderingContext2D, dots: number, near: Set<number>, colour: (name: string) => string): void {
    const wanted = this.find
      ? this.nodes.map((_, n) => n).filter((n) => this.nodes[n]?.title.toLowerCase().includes(this.find))
      : this.over >= 0
        ? [...near]
        : this.nodes.map((_, n) => n).sort((a, b) => (this.nodes[b]?.links ?? 0) - (this.nodes[a]?.links ?? 0));
    ink.setTransform(dots, 0, 0, dots, 0, 0);
    ink.font = `12px ${colour("--font-interface")}`;
    ink.textAlign = "center";
    ink.lineWidth = 3;
    ink.strokeStyle = colour("--background-primary");
    ink.fillStyle = colour("--text-normal");
    const taken: [number, number, number][] = [];
    for (const n of wanted) {
      const [node, point] = [this.nodes[n], this.points[n]];
      if (!node || !point || taken.length >= LABELS) continue;
      const text = node.title.length > 28 ? `${node.title.slice(0, 27)}…` : node.title;
      const [x, y, half] = [point.x * this.zoom + this.panX, point.y * this.zoom + this.panY + point.r * this.zoom + 13, ink.measureText(text).width / 2];
      if (taken.some(([tx, ty, th]) => Math.abs(tx - x) < th + half + 6 && Math.abs(ty - y) < 15)) continue;
      taken.push([x, y, half]);
      ink.strokeText(text, x, y);
      ink.fillText(text, x, y);
    }
  }

  private at(event: MouseEvent): number {
    const { left, top } = this.canvas.getBoundingClientRect();
    const [x, y] = [(event.clientX - left - this.panX) / this.zoom, (event.clientY - top - this.panY) / this.zoom];
    let [best, distance] = [-1, 12 / this.zoom];
    this.points.forEach((point, n) => {
      const away = Math.hypot(point.x - x, point.y - y) - point.r;
      if (away < distance) [best, distance] = [n, away];
    });
    return best;
  }

  private listen(): void {
    let from: { x: number; y: number; moved: boolean } | null = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      from = { x: event.clientX, y: event.clientY, moved: false };
      this.canvas.setPointerCapture(event.pointerId);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (from) {
        const [dx, dy] = [event.clientX - from.x, event.clientY - from.y];
        if (!from.moved && Math.hypot(dx, dy) < 4) return;
        from = { x: event.clientX, y: event.clientY, moved: true };
        this.isFitted = false;
        this.panX += dx;
        this.panY += dy;
        return this.draw();
      }
      const over = this.at(event);
      if (over === this.over) return;
      this.over = over;
      const node = this.nodes[over];
      this.canvas.toggleClass("is-clickable", node !== undefined);
      this.tip.toggleClass("is-hidden", node === undefined);
      if (node) this.tip.setText(`${node.title} · ${this.own.graphLinks(node.links)}`);
      this.draw();
    });
    this.canvas.addEventListener("pointerup", (event) => {
      const node = from && !from.moved ? this.nodes[this.at(event)] : undefined;
      from = null;
      if (node) this.host.openNote(node.path, event.ctrlKey || event.metaKey);
    });
    this.canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const { left, top } = this.canvas.getBoundingClientRect();
        this.scale(Math.exp(-event.deltaY * 0.0015), event.clientX - left, event.clientY - top);
      },
      { passive: false },
    );
    this.canvas.addEventListener("keydown", (event) => {
      const { clientWidth: width, clientHeight: height } = this.canvas;
      if (event.key === "+" || event.key === "=") this.scale(1.25, width / 2, height / 2);
      else if (event.key === "-") this.scale(0.8, width / 2, height / 2);
      else if (event.key === "0") this.isFitted = true;
      else if (event.key.startsWith("Arrow")) {
        this.isFitted = false;
        this.panX += event.key === "ArrowLeft" ? 40 : event.key === "ArrowRight" ? -40 : 0;
        this.panY += event.key === "ArrowUp" ? 40 : event.key === "ArrowDown" ? -40 : 0;
      } else return;
      event.preventDefault();
      this.draw();
    });
  }

  private scale(by: number, x: number, y: number): void {
    const next = Math.min(12, Math.max(0.02, this.zoom * by));
    this.panX = x - ((x - this.panX) * next) / this.zoom;
    this.panY = y - ((y - this.panY) * next) / this.zoom;
    this.zoom = next;
    this.isFitted = false;
    this.draw();
  }
}
