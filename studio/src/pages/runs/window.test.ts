import { describe, expect, it } from "vitest";
import { lineCount, pagesOf, scrollFor, spanAt, spansOfGroups, spansOfRows, windowOf, type Level } from "./window";

const list = (source: string, total: number, inserts: Level<string>["inserts"] = []): Level<string> => ({ source, total, inserts });
function text(spans: ReturnType<typeof spansOfRows<string, string>>): string[] {
  const out: string[] = [];
  for (let line = 0; line < lineCount(spans); line += 1) {
    const span = spanAt(spans, line)!;
    out.push(span.kind === "group" ? span.group : `${" ".repeat(span.depth)}${span.source}${span.from + line - span.start}`);
  }
  return out;
}

describe("lines on screen", () => {
  it("are those in view and a few around them", () => {
    expect(windowOf(0, 340, 34, 100_000, 5)).toEqual({ first: 0, last: 16 });
    expect(windowOf(34 * 500, 340, 34, 100_000, 5)).toEqual({ first: 495, last: 516 });
  });
  it("end with the list", () => {
    const { first, last } = windowOf(34 * 99_990, 340, 34, 100_000, 5);
    expect(last).toBe(100_000);
    expect(first).toBeLessThanOrEqual(99_989);
    expect(windowOf(0, 340, 34, 3, 6)).toEqual({ first: 0, last: 3 });
    expect(windowOf(0, 340, 34, 0, 6)).toEqual({ first: 0, last: 0 });
  });
  it("stay few on a screen of 4K", () => {
    const { first, last } = windowOf(43 * 1000, 1950, 43, 100_000, 6);
    expect(last - first).toBeLessThanOrEqual(60);
  });
  it("are still there when the list became shorter than where one had scrolled to", () => {
    const { first, last } = windowOf(34 * 5000, 340, 34, 20, 6);
    expect(last).toBe(20);
    expect(first).toBeLessThan(20);
  });
});

it("names the pages of a part of the list", () => {
  expect(pagesOf(0, 100, 100)).toEqual([0]);
  expect(pagesOf(99, 101, 100)).toEqual([0, 1]);
  expect(pagesOf(250, 250, 100)).toEqual([]);
});

it("scrolls no further than needed", () => {
  expect(scrollFor(3, 0, 340, 34)).toBe(0);
  expect(scrollFor(10, 0, 340, 34)).toBe(34);
  expect(scrollFor(2, 340, 340, 34)).toBe(68);
});

describe("opened runs and groups", () => {
  it("stand in one list of lines", () => {
    const deep = list("c", 1);
    const level = list("a", 4, [
      { after: 2, level: list("d", 1) },
      { after: 0, level: list("b", 2, [{ after: 1, level: deep }]) },
    ]);
    expect(text(spansOfRows(level))).toEqual(["a0", " b0", " b1", "  c0", "a1", "a2", " d0", "a3"]);
  });
  it("are left out when their row is gone", () => {
    expect(text(spansOfRows(list("a", 1, [{ after: 5, level: list("b", 2) }])))).toEqual(["a0"]);
  });
  it("follow their group", () => {
    const spans = spansOfGroups<string, string>([{ group: "x", level: undefined }, { group: "y", level: list("a", 2) }, { group: "z", level: list("b", 0) }]);
    expect(text(spans)).toEqual(["x", "y", " a0", " a1", "z"]);
  });
  it("find nothing beyond the end", () => {
    expect(spanAt(spansOfRows(list("a", 2)), 2)).toBeUndefined();
  });
});
