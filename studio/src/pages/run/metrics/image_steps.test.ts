import { expect, test } from "vitest";
import { imageSteps, stepAt } from "./image_steps";

const point = (index: number, step: number | null, path: unknown) => ({ index, step, at: "2026-01-01T00:00:00Z", value: { path } });

test("images stand by their step, several of one together", () => {
  const steps = imageSteps([point(0, 10, "b.png"), point(1, 0, "a.png"), point(2, 10, "c.png"), point(3, 20, 7)]);
  expect(steps).toEqual([{ step: 0, paths: ["a.png"] }, { step: 10, paths: ["b.png", "c.png"] }]);
});
test("without steps they stand in the order in which they came", () => {
  expect(imageSteps([point(0, null, "a"), point(1, null, "b")]).map((one) => one.step)).toEqual([0, 1]);
});
test("a step between two shows the one before", () => {
  const steps = imageSteps([point(0, 10, "a"), point(1, 20, "b")]);
  expect(stepAt(steps, 19)?.step).toBe(10);
  expect(stepAt(steps, 0)?.step).toBe(10);
  expect(stepAt([], 0)).toBeUndefined();
});
