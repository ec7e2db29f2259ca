import { expect, test } from "vitest";
import { tellingMetrics } from "./usual_columns";

test("what is told of held out data comes before what is told of training", () => {
  expect(tellingMetrics(["epoch", "lr", "train/loss", "val/acc", "val/loss", "train/acc"])).toEqual(["val/acc", "val/loss"]);
  expect(tellingMetrics(["loss"])).toEqual(["loss"]);
});
test("without a known name, the shortest ones", () => {
  expect(tellingMetrics(["zebra", "apple", "step"])).toEqual(["apple", "zebra"]);
});
test("what is no result is never one of them", () => {
  expect(tellingMetrics(["epoch", "step", "system/gpu", "grad_norm", "time"])).toEqual([]);
});
