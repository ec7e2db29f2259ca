// A field of values over two axes, smoothed from scattered trials, and the lines of equal value in it.

export interface Field {
  columns: number;
  rows: number;
  /** Row by row from below; NaN where no trial is near. */
  cells: Float64Array;
  low: number;
  high: number;
}

/** Cells along an axis; numbers have no gaps between them, so there the field is smoothed. */
export interface FieldAxis {
  cells: number;
  smooth: boolean;
}
const FINE: FieldAxis = { cells: 80, smooth: true };

/** Weights of the neighbours of a cell, from itself outwards. */
function bell(width: number): number[] {
  const weights: number[] = [];
  for (let i = 0; i <= Math.ceil(3 * width); i += 1) weights.push(Math.exp((-i * i) / (2 * width * width)));
  return weights;
}

/** `lines` lines of `length` cells: a cell is `step` from the one before it, a line `across` from the one before it. */
function blurred(from: Float64Array, { lines, length, step, across }: { lines: number; length: number; step: number; across: number }, weights: readonly number[]): Float64Array {
  const to = new Float64Array(from.length);
  for (let line = 0; line < lines; line += 1) {
    for (let at = 0; at < length; at += 1) {
      let sum = 0;
      for (let other = Math.max(0, at - weights.length + 1); other <= Math.min(length - 1, at + weights.length - 1); other += 1) {
        sum += from[line * across + other * step]! * weights[Math.abs(other - at)]!;
      }
      to[line * across + at * step] = sum;
    }
  }
  return to;
}

/** The mean of near trials, weighted by a bell curve that is the wider the fewer trials there are; between categories nothing is smoothed. */
export function fieldOf(points: readonly { x: number; y: number; value: number }[], x: FieldAxis = FINE, y: FieldAxis = FINE): Field {
  const [columns, rows] = [x.cells, y.cells];
  let [sums, counts]: [Float64Array, Float64Array] = [new Float64Array(columns * rows), new Float64Array(columns * rows)];
  for (const point of points) {
    const cell = Math.round(point.y * (rows - 1)) * columns + Math.round(point.x * (columns - 1));
    sums[cell]! += point.value;
    counts[cell]! += 1;
  }
  const share = Math.min(0.12, Math.max(0.04, 0.35 / Math.sqrt(Math.max(1, points.length))));
  const alongX = { lines: rows, length: columns, step: 1, across: columns };
  const alongY = { lines: columns, length: rows, step: columns, across: 1 };
  for (const [axis, way] of [[x, alongX], [y, alongY]] as const) {
    if (!axis.smooth) continue;
    const weights = bell(share * axis.cells);
    [sums, counts] = [blurred(sums, way, weights), blurred(counts, way, weights)];
  }
  let [low, high] = [Infinity, -Infinity];
  const cells = sums.map((sum, i) => {
    if (counts[i]! < 0.05) return NaN;
    const mean = sum / counts[i]!;
    [low, high] = [Math.min(low, mean), Math.max(high, mean)];
    return mean;
  });
  return { columns, rows, cells, low, high };
}

/** Pieces of the line where the field is `level`: from x, y to x, y, each 0 to 1 (marching squares). */
export function lineAt({ columns, rows, cells }: Field, level: number): [number, number, number, number][] {
  const pieces: [number, number, number, number][] = [];
  const [right, top] = [columns - 1, rows - 1];
  for (let row = 0; row < top; row += 1) {
    for (let column = 0; column < right; column += 1) {
      const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([dx, dy]) => ({ x: column + dx!, y: row + dy!, value: cells[(row + dy!) * columns + column + dx!]! }));
      if (corners.some(({ value }) => Number.isNaN(value))) continue;
      const crossed: [number, number][] = [];
      corners.forEach((a, i) => {
        const b = corners[(i + 1) % 4]!;
        if (a.value < level === b.value < level) return;
        const part = (level - a.value) / (b.value - a.value);
        crossed.push([(a.x + (b.x - a.x) * part) / right, (a.y + (b.y - a.y) * part) / top]);
      });
      for (let i = 0; i + 1 < crossed.length; i += 2) pieces.push([...crossed[i]!, ...crossed[i + 1]!]);
    }
  }
  return pieces;
}

/** The levels of the lines; none where the field is flat but for rounding. */
export function levelsOf({ low, high }: Field, lines: number): number[] {
  if (!(high - low > 1e-9 * Math.max(1e-300, Math.abs(low), Math.abs(high)))) return [];
  return Array.from({ length: lines }, (_, i) => low + ((high - low) * (i + 1)) / (lines + 1));
}
