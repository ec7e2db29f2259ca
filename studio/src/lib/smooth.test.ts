import { expect, test } from "vitest";
import { smooth } from "./smooth";

test("weight 0 changes nothing", () => expect(smooth([3, null, 1], 0)).toEqual([3, null, 1]));

test("a constant stays what it is from the first value on", () => {
  for (const value of smooth([5, 5, 5, 5], 0.9)) expect(value).toBeCloseTo(5, 12);
});

test("the first value is itself and later ones lag behind", () => {
  const [first, second] = smooth([0, 10], 0.5);
  expect(first).toBe(0);
  expect(second).toBeCloseTo(20 / 3, 12);
});

test("gaps stay gaps and do not stop the average", () => {
  const out = smooth([2, null, NaN, 2], 0.8);
  expect(out.slice(1, 3)).toEqual([null, null]);
  expect(out[3]).toBeCloseTo(2, 12);
});
