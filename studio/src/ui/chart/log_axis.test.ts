import { expect, test } from "vitest";
import { logSplits } from "./log_axis";

test("a range that does not begin at a power of ten has its powers of ten", () => {
  expect(logSplits(1e-7, 1.5e-2, 7)).toEqual([1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2]);
  expect(logSplits(9.6e-8, 1.55e-2, 4)).toEqual([1e-6, 1e-4, 1e-2]);
});
test("digits stand between few powers of ten", () => {
  expect(logSplits(0.9, 110, 9)).toEqual([1, 2, 5, 10, 20, 50, 100]);
  expect(logSplits(0.95, 12, 12)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});
test("less than a power of ten is labelled at round numbers", () => {
  expect(logSplits(0.31, 0.36, 5)).toEqual([0.31, 0.32, 0.33, 0.34, 0.35, 0.36]);
});
test("every range of doubles has few labels, in order and within", () => {
  for (const [low, high] of [[5e-324, 1e308], [1e-300, 2e-300], [1, 1 + 1e-12], [0.1, 10]] as const) {
    const found = logSplits(low, high, 6);
    expect(found.length).toBeLessThanOrEqual(16);
    expect([...found].sort((a, b) => a - b)).toEqual(found);
    expect(found.every((one) => one >= low && one <= high)).toBe(true);
  }
  expect(logSplits(0, 1, 6)).toEqual([]);
  expect(logSplits(1, Infinity, 6)).toEqual([]);
});
