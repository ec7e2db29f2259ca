import { expect, test } from "vitest";
import type { SweepDimension } from "../../lib/sweep";
import { drawnText, firstFields, handParameters, handProblems, shownOf } from "./hand";

const SPACE: SweepDimension[] = [
  { name: "--lr", expression: "loguniform", values: [Math.log(1e-4), Math.log(0.1)] },
  { name: "opt", expression: "choice", values: ["sgd", "adam"] },
  { name: "momentum", expression: "uniform", values: [0.5, 0.99], when: { name: "opt", values: ["sgd"] } },
  { name: "nesterov", expression: "choice", values: [true, false], when: { name: "momentum", values: [0.9] } },
  { name: "layers", expression: "randint", values: [8] },
];

test("begins with the best trial, and with an option where it has none", () => {
  expect(firstFields(SPACE, { "--lr": 0.01, opt: "adam", layers: 3 })).toEqual({ "--lr": "0.01", opt: "adam", momentum: "", nesterov: "true", layers: "3" });
  expect(firstFields(SPACE, undefined)).toEqual({ "--lr": "", opt: "sgd", momentum: "", nesterov: "true", layers: "" });
});
test("a parameter is asked for only where its condition holds, and its own condition with it", () => {
  const names = (fields: Record<string, string>) => shownOf(SPACE, fields).map(({ name }) => name);
  expect(names({ opt: "adam", momentum: "0.9" })).toEqual(["--lr", "opt", "layers"]);
  expect(names({ opt: "sgd", momentum: "0.5" })).toEqual(["--lr", "opt", "momentum", "layers"]);
  expect(names({ opt: "sgd", momentum: "0.9" })).toEqual(["--lr", "opt", "momentum", "nesterov", "layers"]);
});
test("what is no number is told; options keep their type", () => {
  const fields = { "--lr": "1e-3", opt: "sgd", momentum: "0.9", nesterov: "true", layers: "2.5" };
  expect(handProblems(SPACE, fields)).toEqual({ layers: "A whole number." });
  expect(handProblems(SPACE, { ...fields, "--lr": "fast", layers: "" })).toEqual({ "--lr": "A number.", layers: "A whole number." });
  expect(handParameters(SPACE, { ...fields, layers: "2" })).toEqual({ "--lr": 0.001, opt: "sgd", momentum: 0.9, nesterov: true, layers: 2 });
  expect(handParameters(SPACE, { ...fields, opt: "adam", layers: "2" })).toEqual({ "--lr": 0.001, opt: "adam", layers: 2 });
});
test("what the sweep draws, in words", () => {
  expect(SPACE.map(drawnText)).toEqual(["0.0001 to 0.1, log", "sgd, adam", "0.5 to 0.99", "true, false", "0 to 7"]);
  expect(drawnText({ name: "q", expression: "quniform", values: [0, 10, 2] })).toBe("0 to 10, in steps of 2");
  expect(drawnText({ name: "n", expression: "normal", values: [1, 0.5] })).toBe("about 1 ± 0.5");
});
