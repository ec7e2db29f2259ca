import { describe, expect, it } from "vitest";
import { cpuMilliseconds } from "./cpu_time";
import { diffLines, linesOf, sections, type Change } from "./diff";

function apply(a: string[], b: string[], changes: Change[]): string[] {
  const result: string[] = [];
  let [i, j] = [0, 0];
  for (const change of changes) {
    expect([change.before, change.after]).toEqual([i, j]);
    if (change.kind !== "added") {
      if (change.kind === "same") result.push(...a.slice(i, i + change.count));
      i += change.count;
    }
    if (change.kind !== "removed") {
      if (change.kind === "added") result.push(...b.slice(j, j + change.count));
      j += change.count;
    }
  }
  expect([i, j]).toEqual([a.length, b.length]);
  return result;
}

function leastEdits(a: string[], b: string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) next.push(a[i - 1] === b[j - 1] ? row[j - 1]! : Math.min(row[j]!, next[j - 1]!) + 1);
    row = next;
  }
  return row[b.length]!;
}

let seed = 7;
const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
const lines = (length: number, kinds: number) => Array.from({ length }, () => String(random(kinds)));
const edits = (changes: Change[]) => changes.reduce((sum, change) => sum + (change.kind === "same" ? 0 : change.count), 0);

describe("diffLines", () => {
  it("gives what comes after, with as few edits as there can be", () => {
    for (let round = 0; round < 3000; round += 1) {
      const kinds = 1 + random(6);
      const a = lines(random(14), kinds);
      const b = lines(random(14), kinds);
      const changes = diffLines(a, b);
      expect(apply(a, b, changes)).toEqual(b);
      expect(edits(changes)).toBe(leastEdits(a, b));
    }
  });
  it("finds a few edits in a long text", () => {
    const a = lines(50_000, 1000);
    const b = a.slice();
    b.splice(40_000, 3);
    b.splice(20_000, 0, "new");
    b[7] = "other";
    const changes = diffLines(a, b);
    expect(apply(a, b, changes)).toEqual(b);
    expect(edits(changes)).toBe(6);
  });
  it("is right and bounded for texts that have nothing but lines in another order", () => {
    const a = lines(8000, 300);
    const b = lines(8000, 300);
    const started = cpuMilliseconds();
    expect(apply(a, b, diffLines(a, b))).toEqual(b);
    expect(cpuMilliseconds() - started).toBeLessThan(5000);
  });
  it("knows empty sides", () => {
    expect(diffLines([], [])).toEqual([]);
    expect(diffLines(["a"], [])).toEqual([{ kind: "removed", before: 0, after: 0, count: 1 }]);
    expect(diffLines([], ["a"])).toEqual([{ kind: "added", before: 0, after: 0, count: 1 }]);
  });
});

describe("sections", () => {
  it("hides what is far from a change", () => {
    const a = Array.from({ length: 40 }, (_, i) => `line ${i}`);
    const b = a.slice();
    b[20] = "changed";
    const [first, shown, last] = sections(a, b);
    expect(first).toHaveProperty("hidden.length", 17);
    expect(shown).toHaveProperty("rows.length", 8);
    expect(last).toHaveProperty("hidden.length", 16);
  });
});

it("linesOf keeps no empty line after the last end", () => {
  expect(linesOf("")).toEqual([]);
  expect(linesOf("a\r\nb\n")).toEqual(["a", "b"]);
  expect(linesOf("a\n\n")).toEqual(["a", ""]);
});
