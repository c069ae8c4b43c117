/** A picture's node: where it is and how it moves. */
export interface Point {
  x: number;
  y: number;
  vx: number;
  vy: number;
  /** Half its width. */
  r: number;
}

const REPEL = 60;
const SPRING = 0.05;
const LENGTH = 30;
const PULL = 0.0022;
/** A part of the plane acts as one point if it looks smaller than this from where it pushes. */
const SMALL = 0.81;

/** Points on a spiral, so that the same graph gives the same picture each time. */
export function spread(count: number): Point[] {
  return Array.from({ length: count }, (_, n) => {
    const [angle, away] = [n * 2.399963, 9 * Math.sqrt(n + 1)];
    return { x: Math.cos(angle) * away, y: Math.sin(angle) * away, vx: 0, vy: 0, r: 3 };
  });
}

/** A square of the plane: its centre of mass, and four squares or one point in it. */
interface Square {
  x: number;
  y: number;
  mass: number;
  size: number;
  parts: (Square | null)[] | null;
}

function put(square: Square, x: number, y: number, left: number, top: number): void {
  const size = square.size;
  if (square.mass === 0 || size < 0.5) {
    square.x = (square.x * square.mass + x) / (square.mass + 1);
    square.y = (square.y * square.mass + y) / (square.mass + 1);
    square.mass++;
    return;
  }
  const half = size / 2;
  const below = (px: number, py: number): void => {
    const [right, low] = [px >= left + half, py >= top + half];
    const at = (right ? 1 : 0) + (low ? 2 : 0);
    square.parts ??= [null, null, null, null];
    const part = (square.parts[at] ??= { x: 0, y: 0, mass: 0, size: half, parts: null });
    put(part, px, py, right ? left + half : left, low ? top + half : top);
  };
  if (!square.parts) below(square.x, square.y);
  below(x, y);
  square.x = (square.x * square.mass + x) / (square.mass + 1);
  square.y = (square.y * square.mass + y) / (square.mass + 1);
  square.mass++;
}

function push(point: Point, root: Square): void {
  const waiting: Square[] = [root];
  for (let square = waiting.pop(); square; square = waiting.pop()) {
    const [dx, dy] = [point.x - square.x, point.y - square.y];
    const away = dx * dx + dy * dy;
    if (square.parts && square.size * square.size > SMALL * away) {
      for (const part of square.parts) if (part) waiting.push(part);
    } else if (away > 0.01) {
      const force = (REPEL * square.mass) / Math.max(away, 30);
      point.vx += dx * force * 0.1;
      point.vy += dy * force * 0.1;
    }
  }
}

/**
 * Move all points one step: links pull, all push each other away, and a faint pull keeps the parts together. What is far away pushes
 * as one point (Barnes and Hut), so a step over 5,000 points takes some ten milliseconds.
 */
export function step(points: Point[], links: readonly (readonly [number, number])[], heat: number): void {
  const reach = points.reduce((most, { x, y }) => Math.max(most, Math.abs(x), Math.abs(y)), 1) + 1;
  const root: Square = { x: 0, y: 0, mass: 0, size: reach * 2, parts: null };
  for (const { x, y } of points) put(root, x, y, -reach, -reach);
  for (const point of points) push(point, root);
  for (const [from, to] of links) {
    const [a, b] = [points[from], points[to]];
    if (!a || !b) continue;
    const [dx, dy] = [b.x - a.x, b.y - a.y];
    const away = Math.sqrt(dx * dx + dy * dy) || 1;
    const pull = ((away - LENGTH - a.r - b.r) * SPRING) / away;
    // What many hang on moves least.
    const share = b.r / (a.r + b.r);
    a.vx += dx * pull * share;
    a.vy += dy * pull * share;
    b.vx -= dx * pull * (1 - share);
    b.vy -= dy * pull * (1 - share);
  }
  const most = 40 * heat;
  for (const point of points) {
    // What no link holds would drift away.
    const pull = point.r < 3 ? PULL * 5 : PULL;
    point.vx = (point.vx - point.x * pull) * 0.7;
    point.vy = (point.vy - point.y * pull) * 0.7;
    const speed = Math.hypot(point.vx, point.vy);
    const slow = speed > most ? most / speed : 1;
    point.x += point.vx * slow;
    point.y += point.vy * slow;
  }
}
