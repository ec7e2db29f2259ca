// What changed from one list of lines to another: Myers' algorithm in linear space, with a bound on the work.
export interface Change {
  kind: "same" | "removed" | "added";
  /** Where it begins in the lines before and in the lines after. */
  before: number;
  after: number;
  count: number;
}

/** Beyond this many steps from a corner a split that is good, not the best, is taken. */
const MOST_STEPS = 1000;

interface Problem {
  a: Int32Array;
  b: Int32Array;
  removed: Uint8Array;
  added: Uint8Array;
  forward: Int32Array;
  backward: Int32Array;
}

/** In order: the blocks that make `b` of `a`. Taking what is not removed gives the common lines. */
export function diffLines(a: readonly string[], b: readonly string[]): Change[] {
  const numbers = new Map<string, number>();
  const numbered = (lines: readonly string[]) =>
    Int32Array.from(lines, (line) => {
      let number = numbers.get(line);
      if (number === undefined) numbers.set(line, (number = numbers.size));
      return number;
    });
  const [left, right] = [numbered(a), numbered(b)];
  const removed = new Uint8Array(a.length).fill(1);
  const added = new Uint8Array(b.length).fill(1);

  // A line that the other side does not have needs no search.
  const [inLeft, inRight] = [new Uint8Array(numbers.size), new Uint8Array(numbers.size)];
  left.forEach((line) => (inLeft[line] = 1));
  right.forEach((line) => (inRight[line] = 1));
  const shared = (lines: Int32Array, other: Uint8Array) => Int32Array.from([...lines.keys()].filter((i) => other[lines[i]!]));
  const [leftAt, rightAt] = [shared(left, inRight), shared(right, inLeft)];
  const room = leftAt.length + rightAt.length + 3;
  const problem: Problem = {
    a: leftAt.map((i) => left[i]!),
    b: rightAt.map((i) => right[i]!),
    removed: new Uint8Array(leftAt.length),
    added: new Uint8Array(rightAt.length),
    forward: new Int32Array(2 * room),
    backward: new Int32Array(2 * room),
  };
  solve(problem);
  leftAt.forEach((at, i) => (removed[at] = problem.removed[i]!));
  rightAt.forEach((at, i) => (added[at] = problem.added[i]!));
  return blocks(removed, added);
}

function blocks(removed: Uint8Array, added: Uint8Array): Change[] {
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < removed.length || j < added.length) {
    const [before, after] = [i, j];
    if (removed[i]) {
      while (removed[i]) i += 1;
      changes.push({ kind: "removed", before, after, count: i - before });
    } else if (added[j]) {
      while (added[j]) j += 1;
      changes.push({ kind: "added", before, after, count: j - after });
    } else {
      while (i < removed.length && j < added.length && !removed[i] && !added[j]) [i, j] = [i + 1, j + 1];
      changes.push({ kind: "same", before, after, count: i - before });
    }
  }
  return changes;
}

function solve(p: Problem): void {
  const boxes: [number, number, number, number][] = [[0, p.a.length, 0, p.b.length]];
  for (let box = boxes.pop(); box; box = boxes.pop()) {
    let [a0, a1, b0, b1] = box;
    while (a0 < a1 && b0 < b1 && p.a[a0] === p.b[b0]) [a0, b0] = [a0 + 1, b0 + 1];
    while (a0 < a1 && b0 < b1 && p.a[a1 - 1] === p.b[b1 - 1]) [a1, b1] = [a1 - 1, b1 - 1];
    if (a0 === a1) p.added.fill(1, b0, b1);
    else if (b0 === b1) p.removed.fill(1, a0, a1);
    else {
      const [x, y] = split(p, a0, a1, b0, b1);
      boxes.push([a0, x, b0, y], [x, a1, y, b1]);
    }
  }
}

/** A point that a shortest way from corner to corner of the box goes through; never one of the two corners. */
function split({ a, b, forward, backward }: Problem, a0: number, a1: number, b0: number, b1: number): [number, number] {
  const [n, m] = [a1 - a0, b1 - b0];
  const delta = n - m;
  const middle = forward.length >> 1;
  forward[middle + 1] = 0;
  backward[middle + 1] = 0;
  const most = Math.min((n + m + 1) >> 1, MOST_STEPS);
  for (let steps = 0; steps <= most; steps += 1) {
    for (let k = -steps + 2 * Math.max(0, steps - m); k <= steps - 2 * Math.max(0, steps - n); k += 2) {
      let x = k === -steps || (k !== steps && forward[middle + k - 1]! < forward[middle + k + 1]!) ? forward[middle + k + 1]! : forward[middle + k - 1]! + 1;
      while (x < n && x - k < m && a[a0 + x] === b[b0 + x - k]) x += 1;
      forward[middle + k] = x;
      if (delta % 2 !== 0 && Math.abs(k - delta) < steps && x + backward[middle + delta - k]! >= n) return [a0 + x, b0 + x - k];
    }
    for (let k = -steps + 2 * Math.max(0, steps - m); k <= steps - 2 * Math.max(0, steps - n); k += 2) {
      let x = k === -steps || (k !== steps && backward[middle + k - 1]! < backward[middle + k + 1]!) ? backward[middle + k + 1]! : backward[middle + k - 1]! + 1;
      while (x < n && x - k < m && a[a1 - 1 - x] === b[b1 - 1 - x + k]) x += 1;
      backward[middle + k] = x;
      if (delta % 2 === 0 && Math.abs(k - delta) <= steps && x + forward[middle + delta - k]! >= n) return [a1 - x, b1 - x + k];
    }
  }
  return furthest(forward, middle, most, a0, b0, n, m);
}

function furthest(forward: Int32Array, middle: number, steps: number, a0: number, b0: number, n: number, m: number): [number, number] {
  let best: [number, number] = [a0 + 1, b0];
  for (let k = -steps + 2 * Math.max(0, steps - m); k <= steps - 2 * Math.max(0, steps - n); k += 2) {
    const x = Math.min(forward[middle + k]!, n);
    const y = x - k;
    if (y < 0 || y > m || (x === n && y === m)) continue;
    if (x + y > best[0] - a0 + best[1] - b0) best = [a0 + x, b0 + y];
  }
  return best;
}

export interface Row {
  kind: Change["kind"];
  /** Numbers from 1; of the side that has no such line, undefined. */
  before?: number;
  after?: number;
  text: string;
}
/** Rows to show, or lines in between that did not change. */
export type Section = { rows: Row[] } | { hidden: Row[] };

export function sections(a: readonly string[], b: readonly string[], context = 3): Section[] {
  const result: Section[] = [];
  let shown: Row[] = [];
  const changes = diffLines(a, b);
  changes.forEach((change, index) => {
    const rows = rowsOf(change, a, b);
    if (change.kind !== "same") {
      shown = shown.concat(rows);
      return;
    }
    const head = index === 0 ? 0 : context;
    const tail = index === changes.length - 1 ? 0 : context;
    if (rows.length <= head + tail + 1) {
      shown = shown.concat(rows);
      return;
    }
    shown = shown.concat(rows.slice(0, head));
    if (shown.length > 0) result.push({ rows: shown });
    result.push({ hidden: rows.slice(head, rows.length - tail) });
    shown = rows.slice(rows.length - tail);
  });
  if (shown.length > 0) result.push({ rows: shown });
  return result;
}

function rowsOf({ kind, before, after, count }: Change, a: readonly string[], b: readonly string[]): Row[] {
  return Array.from({ length: count }, (_, i) => {
    if (kind === "removed") return { kind, before: before + i + 1, text: a[before + i]! };
    if (kind === "added") return { kind, after: after + i + 1, text: b[after + i]! };
    return { kind, before: before + i + 1, after: after + i + 1, text: a[before + i]! };
  });
}

/** How many lines went and came. */
export function changeCount(changes: readonly Change[]): { removed: number; added: number } {
  const sum = (kind: Change["kind"]) => changes.reduce((total, change) => total + (change.kind === kind ? change.count : 0), 0);
  return { removed: sum("removed"), added: sum("added") };
}

/** A last line without an end is a line; a text that ends with one has none after it. */
export function linesOf(text: string): string[] {
  if (text === "") return [];
  const lines = text.split(/\r?\n/);
  if (lines[lines.length - 1] === "") lines.pop();
  return lines;
}
