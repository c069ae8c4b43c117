/** A small drawing of our own. Paths that begin with `!` are filled with the text's colour. */
export function draw(el: HTMLElement, cls: string, box: string, paths: string[]): SVGSVGElement {
  const svg = el.createSvg("svg", { cls, attr: { viewBox: box, "aria-hidden": "true" } });
  for (const path of paths) {
    const filled = path.startsWith("!");
    svg.createSvg("path", { attr: { d: filled ? path.slice(1) : path, ...(filled ? { fill: "currentColor", stroke: "none" } : {}) } });
  }
  return svg;
}

const RING = "M3 12a9 9 0 1 0 18 0a9 9 0 1 0-18 0";
const TIERS: Record<string, string[]> = {
  worth: ["!M12 2a10 10 0 1 0 0 20a10 10 0 1 0 0-20zM6.9 12.4l1.3-1.3 2.5 2.4 5-5.4 1.3 1.2-6.3 6.8z"],
  okay: [RING, "!M12 3a9 9 0 0 1 0 18z"],
  skip: [RING, "M8 12h8"],
  new: [RING],
};

/** The glyph of a tier: full, half, crossed, dotted. */
export function drawTier(el: HTMLElement, tier: string): void {
  const svg = draw(el, "svg-icon", "0 0 24 24", TIERS[tier] ?? TIERS["new"] ?? []);
  for (const [name, value] of Object.entries({ fill: "none", stroke: "currentColor", "fill-rule": "evenodd" })) svg.setAttribute(name, value);
  if (tier === "new") svg.setAttribute("stroke-dasharray", "2.4 3.25");
}

/** Figures over time as a line or as bars; readers get the figure beside it. */
export function drawSpark(el: HTMLElement, values: number[], asBars: boolean): void {
  const top = Math.max(...values, 1);
  const low = asBars ? 0 : Math.min(...values);
  const height = (value: number): number => (top === low ? 12 : 24 - ((value - low) / (top - low)) * 22);
  const step = 120 / Math.max(values.length, 1);
  if (asBars) {
    const svg = draw(el, "vs-spark", "0 0 120 26", []);
    values.forEach((value, n) => svg.createSvg("rect", { attr: { x: n * step, y: height(value), width: step * 0.7, height: 26 - height(value) } }));
  } else {
    draw(el, "vs-spark", "0 0 120 26", [values.map((value, n) => `${n ? "L" : "M"}${(n * 120) / Math.max(values.length - 1, 1)} ${height(value).toFixed(1)}`).join("")]);
  }
  el.querySelector(".vs-spark")?.setAttribute("preserveAspectRatio", "none");
}
