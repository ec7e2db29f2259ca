import { expect, test } from "vitest";
import { limitChange, limitProblems } from "./limits";

test("limits are whole numbers, and not below what there is", () => {
  expect(limitProblems({ total: "20", concurrent: "" }, 20)).toEqual({});
  expect(limitProblems({ total: "19", concurrent: "4" }, 20)).toEqual({ total: "There are 20 trials already." });
  expect(Object.keys(limitProblems({ total: "1.5", concurrent: "0" }, 0))).toEqual(["total", "concurrent"]);
});
test("only what differs is sent", () => {
  expect(limitChange({ total: "20", concurrent: "4" }, { total: "20", concurrent: "4" })).toEqual({});
  expect(limitChange({ total: "20", concurrent: "4" }, { total: "40", concurrent: "" })).toEqual({ max_total_runs: 40 });
  expect(limitChange({ total: "20", concurrent: "" }, { total: "20", concurrent: "8" })).toEqual({ max_concurrent_runs: 8 });
});
