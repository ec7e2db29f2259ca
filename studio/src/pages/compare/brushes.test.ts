import { expect, test } from "vitest";
import { brushBetween, brushesOf, passes, textsOf } from "./brushes";
import { dimensionsOf, usualAxes } from "./dimensions";
import type { ComparedRun } from "./comparison";

test("brushes go to the address and back, whatever the name of the axis", () => {
  const brushes = new Map<string, [number, number]>([["params.a~b", [0.1, 0.5]]]);
  expect(brushesOf(textsOf(brushes))).toEqual(brushes);
  expect(brushesOf(["nonsense", "x~2~3", "x~0.5~0.1", "x~a~b"]).size).toBe(0);
});
test("a click is no brush, a drag beyond the axis ends at it", () => {
  expect(brushBetween(0.5, 0.505)).toBeUndefined();
  expect(brushBetween(1.4, 0.25)).toEqual([0.25, 1]);
});
test("a run must lie in all brushes; one without a value does not", () => {
  const brushes = new Map<string, [number, number]>([["x", [0.2, 0.4]], ["gone", [0, 0.1]]]);
  expect(passes(new Map([["x", 0.3]]), brushes)).toBe(true);
  expect(passes(new Map([["x", 0.5]]), brushes)).toBe(false);
  expect(passes(new Map([["x", undefined]]), brushes)).toBe(false);
});
test("first axes are the parameters that differ, then metrics", () => {
  const run = (lr: string, loss: number) =>
    ({ row: { params: { lr, seed: "1" }, metrics: { loss }, status: "Completed", duration_seconds: null } }) as unknown as ComparedRun;
  const dimensions = dimensionsOf([run("0.1", 1), run("0.2", 2)]);
  expect(dimensions.map((one) => one.id)).toEqual(["params.lr", "params.seed", "metrics.loss", "status"]);
  expect(usualAxes(dimensions)).toEqual(["params.lr", "metrics.loss"]);
});
