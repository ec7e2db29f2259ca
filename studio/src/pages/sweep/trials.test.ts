import { expect, test } from "vitest";
import type { Trial } from "../../lib/sweep";
import { insideOf, metricAxis, parameterAxes, scaleOfAxis, textAt } from "./axes";
import { bestSoFar, clipped, labelOf, merged, settledUntil, sorted, textOf, took } from "./trials";

const trial = (number: number, change: Partial<Trial> = {}): Trial => ({
  number, run: `HD_1_${number}`, parameters: {}, status: "Completed", state: "completed", origin: "random", goes_on_from: null, best: null, last: null, intervals: 0, next_check: null, reason: "",
  created_at: "2026-11-01T00:00:00Z", started_at: null, ended_at: null, ...change,
});

test("best so far takes the goal into account and skips what is no number", () => {
  const trials = [trial(0, { best: "NaN" }), trial(1, { best: 0.5 }), trial(2, { best: 0.7 }), trial(3), trial(4, { best: 0.6 }), trial(5, { best: 0.4 }), trial(6, { best: "Infinity" })];
  expect(bestSoFar(trials, "maximize").map((step) => step.number)).toEqual([1, 2]);
  expect(bestSoFar(trials, "minimize").map((step) => step.number)).toEqual([1, 5]);
});
test("what comes is put in place; nothing new is the same list", () => {
  const old = [trial(0), trial(1, { status: "Running" })];
  expect(merged(old, [trial(0), trial(1, { status: "Running" })])).toBe(old);
  const next = merged(old, [trial(3), trial(1), trial(2)]);
  expect(next.map((one) => [one.number, one.status])).toEqual([[0, "Completed"], [1, "Completed"], [2, "Completed"], [3, "Completed"]]);
  expect(next[0]).toBe(old[0]);
  expect(old).toHaveLength(2);
});
test("only what may still change is asked for again", () => {
  expect(settledUntil([])).toBe(-1);
  expect(settledUntil([trial(0), trial(1)])).toBe(1);
  expect(settledUntil([trial(0), trial(1, { status: "Running" }), trial(2)])).toBe(0);
  expect(settledUntil([trial(0), trial(2)])).toBe(0);
  expect(settledUntil([trial(0, { status: "Queued", state: "paused", reason: "paused at rung 0" })])).toBe(-1);
});
test("sorted by value either way, those without one last", () => {
  const trials = [trial(0), trial(1, { best: 2 }), trial(2, { best: "NaN" }), trial(3, { best: 3 })];
  expect(sorted(trials, "-value").map((one) => one.number)).toEqual([3, 1, 0, 2]);
  expect(sorted(trials, "value").map((one) => one.number)).toEqual([1, 3, 0, 2]);
  expect(sorted(trials, "-number").map((one) => one.number)).toEqual([3, 2, 1, 0]);
  const named = [trial(0, { parameters: { opt: "sgd" } }), trial(1), trial(2, { parameters: { opt: "adam" } })];
  expect(sorted(named, "params.opt").map((one) => one.number)).toEqual([2, 0, 1]);
});
test("values and names in words", () => {
  expect([labelOf("--lr"), labelOf("momentum"), labelOf("--")]).toEqual(["lr", "momentum", "--"]);
  expect([textOf("a"), textOf(0.1), textOf([1, 2]), textOf(true), textOf(undefined)]).toEqual(["a", "0.1", "[1,2]", "true", ""]);
  expect([clipped("momentum", 8), clipped("weight_decay_of_layer_3", 15), clipped("abc", 2)]).toEqual(["momentum", "weight_…layer_3", "a…"]);
  expect(took(trial(0, { started_at: "2026-11-01T00:00:00Z", ended_at: "2026-11-01T00:01:30Z" }))).toBe(90);
  expect(took(trial(0))).toBeUndefined();
});
test("axes: log where the space says so, categories, gaps where a parameter is not set", () => {
  const trials = [trial(0, { parameters: { "--lr": 0.001, opt: "sgd", momentum: 0.9 }, best: 5 }), trial(1, { parameters: { "--lr": 0.1, opt: "adam" }, best: 500 }), trial(2, { parameters: { "--lr": 0.01, opt: "adam" } })];
  const [lr, opt, momentum] = parameterAxes(
    [
      { name: "--lr", expression: "loguniform", values: [-9, -2] },
      { name: "opt", expression: "choice", values: ["sgd", "adam"] },
      { name: "momentum", expression: "uniform", values: [0.5, 1], when: { name: "opt", values: ["sgd"] } },
    ],
    trials,
  );
  const scale = scaleOfAxis(lr!);
  expect([lr!.label, scale.kind]).toEqual(["lr", "log"]);
  expect(scale.at(0.01)).toBeCloseTo(0.5);
  expect(textAt(lr!, scale, 0.5)).toBe("0.01");
  expect(scaleOfAxis(opt!).kind).toBe("category");
  expect(textAt(opt!, scaleOfAxis(opt!), 0.9)).toBe("sgd");
  expect(momentum!.values).toEqual([0.9, undefined, undefined]);
  expect(metricAxis({ name: "loss", goal: "minimize" }, trials)).toMatchObject({ log: true, values: [5, 500, undefined] });
  expect(metricAxis({ name: "loss", goal: "maximize" }, trials).log).toBe(false);
});
test("numbers to choose from are the ticks of their axis", () => {
  const trials = [16, 64, 256].map((batch, i) => trial(i, { parameters: { batch } }));
  const [axis] = parameterAxes([{ name: "batch", expression: "choice", values: [16, 32, 64, 128, 256] }], trials);
  const scale = scaleOfAxis(axis!);
  expect([scale.kind, ...scale.ticks.map((tick) => tick.text)]).toEqual(["log", "16", "64", "256"]);
  expect(scale.ticks[1]!.at).toBeCloseTo(0.5);
});
test("a trial must lie in all brushes", () => {
  const axes = ["a", "b"].map((id) => ({ id, label: id, values: [], log: false }));
  const places = [[0.1, 0.5, 0.9], [0.5, undefined, 0.5]];
  expect(insideOf(axes, places, new Map(), 3)).toEqual([true, true, true]);
  expect(insideOf(axes, places, new Map([["a", [0.4, 1]]]), 3)).toEqual([false, true, true]);
  expect(insideOf(axes, places, new Map([["a", [0.4, 1]], ["b", [0, 1]]]), 3)).toEqual([false, false, true]);
});
