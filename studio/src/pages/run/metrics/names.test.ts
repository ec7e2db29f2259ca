import { expect, test } from "vitest";
import { isCurve, matcher, sections, type Summary } from "./names";

const NAMES = ["train/loss", "loss", "val/loss", "train/acc"];

test("a chart a metric, in groups, pinned first", () => {
  const [pinned, plain, train, none] = sections(NAMES, "each", ["val/loss", "gone"]);
  expect(pinned!.charts.map((chart) => chart.title)).toEqual(["val/loss"]);
  expect(plain!.title).toBe("Metrics");
  expect(plain!.charts.map((chart) => chart.title)).toEqual(["loss", "val/loss"]);
  expect(train!.charts.map((chart) => chart.title)).toEqual(["train/loss", "train/acc"]);
  expect(none).toBeUndefined();
});

test("the same last part in one chart", () => {
  const [only] = sections(NAMES, "last", []);
  expect(only!.charts).toEqual([
    { title: "loss", names: ["train/loss", "loss", "val/loss"] },
    { title: "train/acc", names: ["train/acc"] },
  ]);
});

test("the filter takes words or an expression, and a wrong expression hides nothing", () => {
  expect(NAMES.filter(matcher("train LO"))).toEqual(["train/loss"]);
  expect(NAMES.filter(matcher("/^val|acc$/"))).toEqual(["val/loss", "train/acc"]);
  expect(NAMES.filter(matcher("/(/"))).toEqual(NAMES);
});

test("what has numbers is a curve", () => {
  const metric = (kind: string, last: unknown, min: number | null = null) => ({ kind, last, min }) as Summary;
  expect(isCurve(metric("scalar", 1, 1))).toBe(true);
  expect(isCurve(metric("scalar", "NaN"))).toBe(true);
  expect(isCurve(metric("scalar", "red"))).toBe(false);
  expect(isCurve(metric("table", { a: [1] }))).toBe(false);
});
