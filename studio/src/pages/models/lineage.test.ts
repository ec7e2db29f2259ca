import { expect, test } from "vitest";
import { BOX, layoutLineage, versionsToDraw } from "./lineage";
import { stageChange, stageOf } from "./stage";

const stride = BOX.height + BOX.gap;

test("a version stands beside its run", () => {
  const layout = layoutLineage([{ version: 2, run: "b" }, { version: 1, run: "a" }]);
  expect(layout.versions.map((one) => [one.version, one.y])).toEqual([[2, 0], [1, stride]]);
  expect(layout.runs.map((one) => [one.run, one.y])).toEqual([["b", 0], ["a", stride]]);
  expect(layout.edges.map((edge) => [edge.from, edge.to])).toEqual([["run b", "version 2"], ["run a", "version 1"]]);
});
test("a run of several versions is drawn once, in their middle", () => {
  const layout = layoutLineage([{ version: 3, run: "a" }, { version: 2, run: "a" }, { version: 1, run: "a" }]);
  expect(layout.runs).toHaveLength(1);
  expect(layout.runs[0]!.y).toBe(stride);
  expect(layout.edges).toHaveLength(3);
});
test("runs never lie on one another", () => {
  const layout = layoutLineage([{ version: 4, run: "a" }, { version: 3, run: "b" }, { version: 2, run: "a" }, { version: 1, run: "b" }]);
  const ys = layout.runs.map((one) => one.y).sort((a, b) => a - b);
  ys.forEach((y, i) => i > 0 && expect(y - ys[i - 1]!).toBeGreaterThanOrEqual(stride));
  expect(layout.height).toBeGreaterThanOrEqual(Math.max(...ys) + BOX.height);
});
test("a version ends at what serves it", () => {
  const blue = { workspace: "default", endpoint: "birds", deployment: "blue" };
  const layout = layoutLineage([{ version: 3, run: null }, { version: 2, run: "a", serves: [blue] }, { version: 1, run: "a", serves: [blue, { ...blue, deployment: "green" }] }]);
  expect(layout.serving.map((one) => [one.deployment, one.y])).toEqual([["blue", 1.5 * stride], ["green", 2.5 * stride]]);
  expect(layout.edges.filter((edge) => edge.from.startsWith("version")).map((edge) => `${edge.from} ${edge.to}`)).toEqual([
    "version 2 serving default/birds/blue",
    "version 1 serving default/birds/blue",
    "version 1 serving default/birds/green",
  ]);
  expect(layout.none).toBeNull();
  expect(layout.height).toBe(2.5 * stride + BOX.height);
});
test("a version without a run has no edge", () => {
  const layout = layoutLineage([{ version: 1, run: null }]);
  expect(layout.runs).toHaveLength(0);
  expect(layout.edges).toHaveLength(0);
  expect(layout.none).toMatchObject({ height: BOX.height });
  expect(layout.height).toBe(BOX.height);
});
test("the chosen version is always drawn", () => {
  const all = Array.from({ length: 30 }, (_, i) => ({ version: 30 - i }));
  expect(versionsToDraw(all, 30, 5).map((one) => one.version)).toEqual([30, 29, 28, 27, 26]);
  expect(versionsToDraw(all, 3, 5).map((one) => one.version)).toEqual([30, 29, 28, 27, 3]);
});
test("the stage is a tag", () => {
  expect(stageOf({})).toBe("None");
  expect(stageOf({ stage: "Production" })).toBe("Production");
  expect(stageChange("None")).toEqual({ remove_tags: ["stage"] });
  expect(stageChange("Staging")).toEqual({ tags: { stage: "Staging" } });
});
