import { expect, test } from "vitest";
import { niceTicks, scaleOf, tickText, wantsLog } from "./scale";

test("ticks are round numbers within the range", () => {
  expect(niceTicks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6, 0.8, 1]);
  expect(niceTicks(0.13, 0.47, 4)).toEqual([0.2, 0.3, 0.4]);
  expect(niceTicks(-3, 12, 3)).toEqual([0, 5, 10]);
  expect(niceTicks(5, 5, 4)).toEqual([5]);
});
test("a linear scale goes from the smallest to the largest", () => {
  const scale = scaleOf([2, "4", 3]);
  expect(scale.kind).toBe("linear");
  expect([scale.at(2), scale.at("3"), scale.at(4)]).toEqual([0, 0.5, 1]);
  expect(scale.at("NaN")).toBeUndefined();
  expect(scale.at(undefined)).toBeUndefined();
});
test("one value stands in the middle", () => {
  expect(scaleOf([7]).at(7)).toBe(0.5);
  expect(scaleOf([7]).ticks).toEqual([{ at: 0.5, text: "7" }]);
  expect(scaleOf([0]).at(0)).toBe(0.5);
  expect(scaleOf(["sgd"]).at("sgd")).toBe(0.5);
});
test("a log scale needs positive numbers", () => {
  const scale = scaleOf([0.001, 0.1], true);
  expect(scale.kind).toBe("log");
  expect(scale.at(0.01)).toBeCloseTo(0.5);
  expect(scale.ticks.map((tick) => tick.text)).toEqual(["0.001", "0.01", "0.1"]);
  expect(scaleOf([0, 0.1], true).kind).toBe("linear");
});
test("words are categories, in their order", () => {
  const scale = scaleOf(["sgd", "adam", "sgd", undefined]);
  expect(scale.kind).toBe("category");
  expect(scale.ticks.map((tick) => tick.text)).toEqual(["adam", "sgd"]);
  expect([scale.at("adam"), scale.at("sgd"), scale.at("other")]).toEqual([0, 1, undefined]);
});
test("a metric that is not a number anywhere has an axis without places", () => {
  const scale = scaleOf(["NaN", "Infinity"]);
  expect(scale.at("NaN")).toBeUndefined();
});
test("a wide range of positive numbers wants a log axis", () => {
  expect(wantsLog(["0.001", "0.1", undefined])).toBe(true);
  expect(wantsLog([1, 50])).toBe(false);
  expect(wantsLog([0, 1000])).toBe(false);
  expect(wantsLog(["sgd"])).toBe(false);
  expect(scaleOf([0.00123456, 2]).ends).toEqual(["0.00123", "2"]);
});
test("texts of ticks", () => expect([0.00001, 1500000, 0.1, 32].map(tickText)).toEqual(["1e-5", "1.5e6", "0.1", "32"]));
