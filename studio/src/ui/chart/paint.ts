// Draws curves on uPlot's canvas: bands, faint raw curves, then lines. Each curve has its own x.
import type uPlot from "uplot";
import { themeColor } from "../../lib/theme";
import { firstFrom, type Drawn } from "./curve";

const known = new Map<string, string>();
if (typeof window !== "undefined") {
  window.addEventListener("themechange", () => known.clear());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => known.clear());
}
/** The colour behind a name of the theme's; asking the page for it is slow. */
export function resolved(color: string): string {
  if (!color.startsWith("--")) return color;
  let found = known.get(color);
  if (found === undefined) known.set(color, (found = themeColor(color)));
  return found;
}

interface Place {
  x: (value: number) => number;
  y: (value: number) => number;
  /** Whether a value can be shown at all: not below zero on a logarithmic scale. */
  shown: (value: number | null | undefined) => value is number;
}

export function placeOf(plot: uPlot): Place {
  const { left, top, width, height } = plot.bbox;
  const { min: x0 = 0, max: x1 = 1 } = plot.scales.x!;
  const { min: y0 = 0, max: y1 = 1, distr } = plot.scales.y!;
  const log = distr === 3;
  const of = log ? Math.log10 : (value: number) => value;
  const [bottom, span] = [of(y0!), of(y1!) - of(y0!)];
  const perX = width / (x1! - x0!);
  return {
    x: (value) => left + (value - x0!) * perX,
    y: (value) => top + height - ((of(value) - bottom) / span) * height,
    shown: (value): value is number => value !== null && value !== undefined && !(log && value <= 0),
  };
}

/** The indexes that a range of x needs: with a neighbour on each side, to which the lines lead. */
function within(x: readonly number[], plot: uPlot): [number, number] {
  const from = Math.max(0, firstFrom(x, plot.scales.x!.min!) - 1);
  const to = Math.min(x.length, firstFrom(x, plot.scales.x!.max!) + 2);
  return [from, to];
}

function line(curve: Drawn, values: readonly (number | null)[], [from, to]: [number, number], place: Place, dot: number): [Path2D, Path2D] {
  const path = new Path2D();
  const dots = new Path2D();
  let run = 0;
  for (let i = from; i < to; i += 1) {
    const value = values[i];
    if (!place.shown(value)) {
      run = 0;
      continue;
    }
    const [x, y] = [place.x(curve.x[i]!), place.y(value)];
    if (run === 0) path.moveTo(x, y);
    else path.lineTo(x, y);
    run += 1;
    // A point alone has no line, so it gets a dot.
    if (run === 1 && !place.shown(values[i + 1])) dots.arc(x, y, dot, 0, 2 * Math.PI);
  }
  return [path, dots];
}

function band(curve: Drawn, [from, to]: [number, number], place: Place): Path2D {
  const path = new Path2D();
  const { x, low, high } = curve;
  for (let i = from; i < to; i += 1) {
    if (!place.shown(high![i]) || !place.shown(low![i])) continue;
    const start = i;
    path.moveTo(place.x(x[i]!), place.y(high![i]!));
    while (i + 1 < to && place.shown(high![i + 1]) && place.shown(low![i + 1])) {
      i += 1;
      path.lineTo(place.x(x[i]!), place.y(high![i]!));
    }
    for (let j = i; j >= start; j -= 1) path.lineTo(place.x(x[j]!), place.y(low![j]!));
    path.closePath();
  }
  return path;
}

export function paint(plot: uPlot, curves: readonly Drawn[], ratio: number): void {
  const { ctx, bbox } = plot;
  const place = placeOf(plot);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineJoin = "round";
  const shown = curves.filter((curve) => !curve.hidden && curve.x.length > 0);
  const spans = shown.map((curve) => within(curve.x, plot));
  shown.forEach((curve, at) => {
    if (!curve.low || !curve.high) return;
    ctx.globalAlpha = 0.18;
    ctx.fillStyle = resolved(curve.color);
    ctx.fill(band(curve, spans[at]!, place));
  });
  shown.forEach((curve, at) => {
    const color = resolved(curve.color);
    ctx.strokeStyle = color;
    ctx.fillStyle = color;
    if (curve.line !== curve.y) {
      ctx.globalAlpha = 0.35;
      ctx.lineWidth = ratio;
      ctx.stroke(line(curve, curve.y, spans[at]!, place, 1.5 * ratio)[0]);
    }
    ctx.globalAlpha = 1;
    ctx.lineWidth = 1.6 * ratio;
    ctx.setLineDash(curve.dashed ? [6 * ratio, 4 * ratio] : []);
    const [path, dots] = line(curve, curve.line, spans[at]!, place, 2.5 * ratio);
    ctx.stroke(path);
    ctx.fill(dots);
    ctx.setLineDash([]);
  });
  paintOdd(plot, shown, place, ratio);
  ctx.restore();
}

/** Where a curve was NaN or infinite first: a line from top to bottom, and a word for it. */
function paintOdd({ ctx, bbox, scales }: uPlot, shown: readonly Drawn[], place: Place, ratio: number): void {
  ctx.font = `600 ${Math.round(11 * ratio)}px system-ui, "Segoe UI", "DejaVu Sans", sans-serif`;
  ctx.lineWidth = 1.2 * ratio;
  ctx.setLineDash([3 * ratio, 3 * ratio]);
  let row = 0;
  for (const curve of shown) {
    if (curve.odd === undefined || curve.odd < scales.x!.min! || curve.odd > scales.x!.max!) continue;
    const x = place.x(curve.odd);
    ctx.strokeStyle = resolved(curve.color);
    ctx.fillStyle = resolved("--bad");
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
    if (row >= MOST_WORDS) continue;
    const word = "✕ NaN";
    const right = x + 4 * ratio + ctx.measureText(word).width <= bbox.left + bbox.width;
    ctx.textAlign = right ? "left" : "right";
    ctx.fillText(word, x + (right ? 4 : -4) * ratio, bbox.top + (12 + 13 * row) * ratio);
    row += 1;
  }
  ctx.setLineDash([]);
  ctx.textAlign = "left";
}
const MOST_WORDS = 4;
