import { expect, test } from "vitest";
import { mapped, seriesOf, serverRange, withFine, withTail, xOf, type Series } from "./series";

const made = (steps: number[], values: (number | string)[], more: object = {}): Series =>
  seriesOf({ name: "loss", count: steps.length, steps, times: steps.map((step) => 1000 + step), values: values as number[], ...more });

test("what is not finite is a gap, and counted", () => {
  const series = made([0, 1, 2], [1, "NaN", "-Infinity"]);
  expect(series.values).toEqual([1, null, null]);
  expect(series.odd).toBe(2);
});

test("steps out of order are put in order with all that belongs to them", () => {
  const series = made([2, 0, 1], [20, 0, 10], { lows: [19, -1, 9], highs: [21, 1, 11] });
  expect(series.steps).toEqual([0, 1, 2]);
  expect(series.values).toEqual([0, 10, 20]);
  expect(series.lows).toEqual([-1, 9, 19]);
  expect(series.times).toEqual([1000, 1001, 1002]);
});

test("a fine part takes the place of what it covers", () => {
  const coarse = made([10, 20, 30, 40], [1, 2, 3, 4], { count: 400, lows: [0, 1, 2, 3], highs: [2, 3, 4, 5] });
  const fine = made([19, 20, 21, 22, 30], [1.9, 2, 2.1, 2.2, 3], { count: 400 });
  const whole = withFine(coarse, fine, "steps");
  expect(whole.steps).toEqual([10, 19, 20, 21, 22, 30, 40]);
  expect(whole.lows).toEqual([0, 1.9, 2, 2.1, 2.2, 3, 3]);
  expect(whole.count).toBe(400);
});

test("a fine part by time", () => {
  const coarse = made([10, 20, 30], [1, 2, 3]);
  const fine = made([20, 25], [2, 2.5]);
  expect(withFine(coarse, fine, "times").steps).toEqual([10, 20, 25, 30]);
});

test("new points are added once", () => {
  const old = made([0, 1, 2], [5, 4, 3]);
  const tail = made([1, 2, 3, 4], [4, 3, 2, 1], { count: 5 });
  const grown = withTail(old, tail)!;
  expect(grown.values).toEqual([5, 4, 3, 2, 1]);
  expect(grown.count).toBe(5);
});

test("points that came late ask for the whole again", () => {
  const old = made([0, 1, 2], [5, 4, 3]);
  expect(withTail(old, made([2, 2, 3], [3, 9, 2], { count: 5 }))).toBeNull();
});

test("x by epoch and back", () => {
  const axis = { kind: "epoch" as const, start: 1000, epochs: { from: [0, 100, 200], to: [0, 1, 2] } };
  expect(xOf(made([0, 50, 300], [1, 1, 1]), axis)).toEqual([0, 0.5, 2]);
  expect(serverRange([0.5, 1.5], axis)).toEqual({ x: "step", from: 50, to: 150 });
  expect(mapped([], [], 1)).toBeNaN();
});

test("relative time counts from the start", () => {
  const axis = { kind: "relative" as const, start: 1000 };
  expect(xOf(made([0, 7], [1, 1]), axis)).toEqual([0, 7]);
  expect(serverRange([1, 2], axis)).toEqual({ x: "time", from: 1001, to: 1002 });
});
