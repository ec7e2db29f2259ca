// A field of values over two axes, smoothed from scattered trials, and the lines of equal value in it.

export interface Field {
  size: number;
  /** Row by row from below; NaN where no trial is near. */
  cells: Float64Array;
  low: number;
  high: number;
}

/** Weights of the neighbours of a cell, from itself outwards. */
function bell(width: number): number[] {
  const weights: number[] = [];
  for (let i = 0; i <= Math.ceil(3 * width); i += 1) weights.push(Math.exp((-i * i) / (2 * width * width)));
  return weights;
}

function blurred(cells: Float64Array, size: number, weights: readonly number[]): Float64Array {
  const along = (from: Float64Array, step: number, across: number): Float64Array => {
    const to = new Float64Array(from.length);
    for (let line = 0; line < size; line += 1) {
      for (let at = 0; at < size; at += 1) {
        let sum = 0;
        for (let other = Math.max(0, at - weights.length + 1); other <= Math.min(size - 1, at + weights.length - 1); other += 1) {
          sum += from[line * across + other * step]! * weights[Math.abs(other - at)]!;
        }
        to[line * across + at * step] = sum;
      }
    }
    return to;
  };
  return along(along(cells, 1, size), size, 1);
}

/** The mean of near trials, weighted by a bell curve whose width is a few cells, the wider the fewer trials there are. */
export function fieldOf(points: readonly { x: number; y: number; value: number }[], size = 40): Field {
  const [sums, counts] = [new Float64Array(size * size), new Float64Array(size * size)];
  for (const { x, y, value } of points) {
    const cell = Math.round(y * (size - 1)) * size + Math.round(x * (size - 1));
    sums[cell]! += value;
    counts[cell]! += 1;
  }
  const width = size * Math.min(0.12, Math.max(0.04, 0.35 / Math.sqrt(Math.max(1, points.length))));
  const weights = bell(width);
  const [sum, weight] = [blurred(sums, size, weights), blurred(counts, size, weights)];
  let [low, high] = [Infinity, -Infinity];
  const cells = sum.map((value, i) => {
    if (weight[i]! < 0.05) return NaN;
    const mean = value / weight[i]!;
    [low, high] = [Math.min(low, mean), Math.max(high, mean)];
    return mean;
  });
  return { size, cells, low, high };
}

/** Pieces of the line where the field is `level`: from x, y to x, y, each 0 to 1 (marching squares). */
export function lineAt({ size, cells }: Field, level: number): [number, number, number, number][] {
  const pieces: [number, number, number, number][] = [];
  const last = size - 1;
  for (let row = 0; row < last; row += 1) {
    for (let column = 0; column < last; column += 1) {
      const corners = [[0, 0], [1, 0], [1, 1], [0, 1]].map(([dx, dy]) => ({ x: column + dx!, y: row + dy!, value: cells[(row + dy!) * size + column + dx!]! }));
      if (corners.some(({ value }) => Number.isNaN(value))) continue;
      const crossed: [number, number][] = [];
      corners.forEach((a, i) => {
        const b = corners[(i + 1) % 4]!;
        if (a.value < level === b.value < level) return;
        const part = (level - a.value) / (b.value - a.value);
        crossed.push([(a.x + (b.x - a.x) * part) / last, (a.y + (b.y - a.y) * part) / last]);
      });
      for (let i = 0; i + 1 < crossed.length; i += 2) pieces.push([...crossed[i]!, ...crossed[i + 1]!]);
    }
  }
  return pieces;
}
