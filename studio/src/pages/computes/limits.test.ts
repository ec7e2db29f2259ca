import { expect, test } from "vitest";
import { changedLimits, checkComputeName, checkLimits, type LimitFields } from "./limits";

const good: LimitFields = { min: "0", max: "4", idle: "120", perUser: "0", runsPerUser: "0" };

test("good limits have no problems", () => expect(checkLimits(good)).toEqual({}));
test("the least may not be more than the most", () => {
  expect(checkLimits({ ...good, min: "5" }).min).toContain("which is 4");
  expect(checkLimits({ ...good, min: "4" })).toEqual({});
});
test("what is no whole number is said at its field", () => {
  expect(checkLimits({ ...good, max: "", idle: "1.5", min: "-1" })).toEqual({
    max: "Give a whole number.", idle: "Give a whole number.", min: "Give a whole number.",
  });
  expect(checkLimits({ ...good, max: "0" }).max).toBe("Between 1 and 1,000.");
});
test("only what changed is sent", () => {
  expect(changedLimits(good, { ...good, max: "8" })).toEqual({ max_nodes: 8 });
  expect(changedLimits(good, good)).toEqual({});
});
test("names of computes", () => {
  expect(checkComputeName("gpu-cluster")).toBeUndefined();
  expect(checkComputeName("1gpu")).toBeDefined();
  expect(checkComputeName("x")).toBeDefined();
  expect(checkComputeName("<b>hi</b>")).toBeDefined();
});
