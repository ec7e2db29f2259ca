import { expect, test } from "vitest";
import type { Curve } from "../../ui/chart";
import { meanCurve, spreadOf } from "./grouping";

const curve = (x: number[], y: (number | null)[], more: Partial<Curve> = {}): Curve => ({ id: String(y), label: "", color: "", x, y, ...more });

test("the mean of curves with the same steps, from the least to the greatest", () => {
  const mean = meanCurve("lr=0.1", 0, [curve([1, 2], [1, 2]), curve([1, 2], [3, 6])], "range");
  expect([mean.x, mean.y, mean.low, mean.high]).toEqual([[1, 2], [2, 4], [1, 2], [3, 6]]);
  expect(mean.label).toBe("lr=0.1 (2)");
});
test("curves with other steps are read on the line between their points, and nowhere beyond them", () => {
  const mean = meanCurve("g", 0, [curve([0, 4], [0, 8]), curve([2, 6], [10, 30])], "range");
  expect(mean.x).toEqual([0, 2, 4, 6]);
  expect(mean.y).toEqual([0, 7, 14, 30]);
});
test("a run that became NaN is left out from there on, and told", () => {
  const mean = meanCurve("g", 0, [curve([1, 2, 3], [1, null, null], { odd: 2, last: NaN }), curve([1, 2, 3], [3, 5, 7], { last: 7 })], "range");
  expect(mean.y).toEqual([2, 5, 7]);
  expect(mean.odd).toBe(2);
  expect(mean.last).toBeNaN();
});
test("the standard deviation is that of a sample", () => {
  expect(spreadOf([1, 3], "std")).toEqual({ mean: 2, low: 2 - Math.SQRT2, high: 2 + Math.SQRT2 });
  expect(spreadOf([5], "std")).toEqual({ mean: 5, low: 5, high: 5 });
});
test("very many places are thinned", () => {
  const x = Array.from({ length: 5000 }, (_, i) => i);
  const mean = meanCurve("g", 0, [curve(x, x)], "std");
  expect(mean.x.length).toBe(1000);
  expect([mean.x[0], mean.x[999]]).toEqual([0, 4999]);
});
