import { expect, test } from "vitest";
import { kindOf, panelsOf } from "./panels";

const series = (node: string, name: string, value = 1) => ({ node, name, points: [{ at: "1970-01-01T00:01:40Z", value }] });

test("both directions share a chart, in bytes", () => {
  const [only] = panelsOf([series("a", "network_in_mb_s", 2), series("a", "network_out_mb_s"), series("a", "cpu_percent")], false, 90);
  expect(only!.charts.map((chart) => chart.title)).toEqual(["Machine: CPU", "Machine: network"]);
  expect(only!.charts[1]!.curves.map((curve) => [curve.label, curve.x[0], curve.y[0]])).toEqual([
    ["in", 10, 2e6],
    ["out", 10, 1e6],
  ]);
});

test("nodes in one chart or in a panel each", () => {
  const both = [series("a", "cpu_percent"), series("b", "cpu_percent")];
  expect(panelsOf(both, false, 0)[0]!.charts[0]!.curves.map((curve) => curve.label)).toEqual(["a", "b"]);
  expect(panelsOf(both, true, 0).map((panel) => panel.node)).toEqual(["a", "b"]);
});

test("GPUs are told apart, and what is new is shown as it is", () => {
  expect(kindOf("gpu3_memory_mb")).toMatchObject({ title: "Machine: GPU memory", part: "GPU 3", unit: "bytes" });
  expect(kindOf("run_gpu0_percent")).toMatchObject({ title: "Run: GPU", part: "GPU 0", unit: "percent" });
  expect(kindOf("fan_rpm")).toMatchObject({ title: "fan_rpm", factor: 1 });
});

test("what the run used stands before what its machine did", () => {
  const [only] = panelsOf([series("a", "cpu_percent"), series("a", "run_memory_mb", 2), series("a", "run_cpu_percent")], false, 0);
  expect(only!.charts.map((chart) => chart.title)).toEqual(["Run: CPU", "Run: memory", "Machine: CPU"]);
  expect(only!.charts[1]!.curves[0]!.y).toEqual([2 * 1024 * 1024]);
});
