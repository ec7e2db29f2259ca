// How much each parameter matters: a small random forest learns the value from the parameters, and a parameter matters as
// much as its guesses get worse once that parameter's values are shuffled (permutation importance, on the trials that a
// tree has not seen). Pure, and the same answer for the same trials.

export interface Importance {
  /** One a parameter, adding up to 1; all 0 if nothing was learnt. */
  shares: number[];
  /** Part of the variation that the forest explains in trials it has not seen; 0 or less: it learnt nothing. */
  explained: number;
  /** How many trials it learnt from. */
  used: number;
}

export type Feature = (string | number | undefined)[];

const TREES = 60;
const DEPTH = 10;
const LEAST_LEAF = 3;
/** More tell no more, but take longer. */
const MOST_ROWS = 1500;
export const LEAST_TRIALS = 10;

/** Random numbers from 0 to 1 that are the same each time (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** As numbers that a tree can cut: categories in the order of their mean value, what is absent below all else. */
export function encoded(feature: Feature, target: readonly number[]): Float64Array {
  const numbers = feature.every((value) => value === undefined || typeof value === "number");
  if (numbers) return Float64Array.from(feature, (value) => (typeof value === "number" ? value : -Infinity));
  const sums = new Map<string, [number, number]>();
  feature.forEach((value, i) => {
    const sum = sums.get(String(value)) ?? [0, 0];
    sums.set(String(value), [sum[0] + target[i]!, sum[1] + 1]);
  });
  const order = [...sums].sort(([, a], [, b]) => a[0] / a[1] - b[0] / b[1]).map(([name]) => name);
  const places = new Map(order.map((name, i) => [name, i]));
  return Float64Array.from(feature, (value) => places.get(String(value))!);
}

interface Node {
  feature: number;
  cut: number;
  value: number;
  left?: Node;
  right?: Node;
}

function meanOf(rows: readonly number[], target: readonly number[]): number {
  let sum = 0;
  for (const row of rows) sum += target[row]!;
  return sum / rows.length;
}

/** The cut of one feature that leaves the least squared error; `gain` is what it takes away. */
function bestCut(rows: number[], column: Float64Array, target: readonly number[]): { gain: number; cut: number } {
  rows.sort((a, b) => column[a]! - column[b]!);
  let total = 0;
  for (const row of rows) total += target[row]!;
  const count = rows.length;
  const whole = (total * total) / count;
  let [left, gain, cut] = [0, 0, 0];
  for (let i = 1; i < count; i += 1) {
    left += target[rows[i - 1]!]!;
    const [low, high] = [column[rows[i - 1]!]!, column[rows[i]!]!];
    if (i < LEAST_LEAF || count - i < LEAST_LEAF || low === high) continue;
    const found = (left * left) / i + ((total - left) * (total - left)) / (count - i) - whole;
    if (found > gain) [gain, cut] = [found, low === -Infinity ? low : low + (high - low) / 2];
  }
  return { gain, cut };
}

function grow(rows: number[], columns: readonly Float64Array[], target: readonly number[], depth: number, random: () => number): Node {
  const node: Node = { feature: -1, cut: 0, value: meanOf(rows, target) };
  if (depth === 0 || rows.length < 2 * LEAST_LEAF) return node;
  const tried = Math.max(1, Math.ceil((2 * columns.length) / 3));
  const order = columns.map((_, i) => i);
  let best = 1e-12;
  for (let i = 0; i < tried; i += 1) {
    const at = i + Math.floor(random() * (order.length - i));
    [order[i], order[at]] = [order[at]!, order[i]!];
    const { gain, cut } = bestCut(rows, columns[order[i]!]!, target);
    if (gain > best) {
      best = gain;
      node.feature = order[i]!;
      node.cut = cut;
    }
  }
  if (node.feature < 0) return node;
  const column = columns[node.feature]!;
  node.left = grow(rows.filter((row) => column[row]! <= node.cut), columns, target, depth - 1, random);
  node.right = grow(rows.filter((row) => column[row]! > node.cut), columns, target, depth - 1, random);
  return node;
}

/** What the tree guesses for a row, whose value of `changed` is that of another row. */
function guess(tree: Node, columns: readonly Float64Array[], row: number, changed = -1, other = row): number {
  let node = tree;
  while (node.feature >= 0) node = columns[node.feature]![node.feature === changed ? other : row]! <= node.cut ? node.left! : node.right!;
  return node.value;
}

/** `features` has one list a parameter, as long as `target`; undefined if there is too little to learn from. */
export function importanceOf(features: readonly Feature[], target: readonly number[], seed = 1): Importance | undefined {
  const random = randomFrom(seed);
  let chosen = target.flatMap((value, i) => (Number.isFinite(value) ? [i] : []));
  if (chosen.length < LEAST_TRIALS || features.length === 0) return undefined;
  if (chosen.length > MOST_ROWS) chosen = Array.from({ length: MOST_ROWS }, (_, i) => chosen[Math.floor((i * chosen.length) / MOST_ROWS)]!);
  const y = chosen.map((i) => target[i]!);
  const columns = features.map((feature) => encoded(chosen.map((i) => feature[i]), y));
  const rows = y.length;
  const worse = features.map(() => 0);
  const [sums, votes] = [new Float64Array(rows), new Float64Array(rows)];
  for (let t = 0; t < TREES; t += 1) {
    const inside = new Uint8Array(rows);
    const bag = Array.from({ length: rows }, () => Math.floor(random() * rows));
    for (const row of bag) inside[row] = 1;
    const tree = grow(bag, columns, y, DEPTH, random);
    const unseen: number[] = [];
    for (let row = 0; row < rows; row += 1) if (!inside[row]) unseen.push(row);
    if (unseen.length < 2) continue;
    for (const row of unseen) {
      sums[row]! += guess(tree, columns, row);
      votes[row]! += 1;
    }
    const shuffled = [...unseen];
    for (let f = 0; f < features.length; f += 1) {
      for (let i = shuffled.length - 1; i > 0; i -= 1) {
        const at = Math.floor(random() * (i + 1));
        [shuffled[i], shuffled[at]] = [shuffled[at]!, shuffled[i]!];
      }
      let change = 0;
      unseen.forEach((row, i) => {
        const [before, after] = [guess(tree, columns, row) - y[row]!, guess(tree, columns, row, f, shuffled[i]!) - y[row]!];
        change += after * after - before * before;
      });
      worse[f]! += change / unseen.length;
    }
  }
  return { ...sharesOf(worse), explained: explainedBy(sums, votes, y), used: rows };
}

function sharesOf(worse: readonly number[]): { shares: number[] } {
  const positive = worse.map((value) => Math.max(0, value));
  const total = positive.reduce((sum, value) => sum + value, 0);
  return { shares: positive.map((value) => (total > 0 ? value / total : 0)) };
}

function explainedBy(sums: Float64Array, votes: Float64Array, y: readonly number[]): number {
  const mean = y.reduce((sum, value) => sum + value, 0) / y.length;
  let [error, variation] = [0, 0];
  y.forEach((value, row) => {
    if (votes[row] === 0) return;
    error += (value - sums[row]! / votes[row]!) ** 2;
    variation += (value - mean) ** 2;
  });
  return variation > 0 ? 1 - error / variation : 0;
}
