import { expect, test } from "vitest";
import { changesOf, draftOf, newRun, type Spec } from "./changes";

const script: Spec = { experiment: "birds", script: "train.py", arguments: ["--lr", "0.5", "two words"], compute: "local", environment: { name: "torch", version: "3" } };
const command: Spec = { experiment: "birds", command: "python train.py | tee log", compute: "local" };

test("nothing differs until something is written", () => {
  for (const spec of [script, command]) expect(changesOf(spec, draftOf(spec))).toEqual({ changes: {}, wrong: {} });
  expect(draftOf(script)).toMatchObject({ line: "--lr 0.5 'two words'", environment: "torch:3", nodes: "1" });
});

test("what was written is what is asked for", () => {
  const draft = { ...draftOf(script), line: "--lr 0.1", compute: "gpu", nodes: "2", environment: "torch", variables: "A=b=c\n\nB=" };
  expect(changesOf(script, draft).changes).toEqual({
    arguments: ["--lr", "0.1"],
    compute: "gpu",
    node_count: 2,
    environment: { name: "torch" },
    environment_variables: { A: "b=c", B: "" },
  });
  expect(changesOf(command, { ...draftOf(command), line: "python x.py" }).changes).toEqual({ command: "python x.py" });
});

test("what cannot be meant is said beside its field", () => {
  const wrong = changesOf(script, { line: "--name 'open", experiment: "no way", compute: "local", nodes: "0", environment: "", variables: "nonsense" }).wrong;
  expect(Object.keys(wrong).sort()).toEqual(["environment", "experiment", "line", "nodes", "variables"]);
  expect(changesOf(command, { ...draftOf(command), line: " " }).wrong.line).toBeDefined();
});

test("code of a run that cannot be repeated is submitted anew", () => {
  expect(newRun("d".repeat(64), { ...draftOf(command), environment: "torch:2", variables: "A=1" })).toMatchObject({
    snapshot: "d".repeat(64),
    command: "python train.py | tee log",
    environment: { name: "torch", version: "2" },
    environment_variables: { A: "1" },
  });
});
