import { expect, test } from "vitest";
import type { Run, RunRow, Schemas } from "../../lib/api";
import { heard } from "./comparison";

const row = { id: "a", status: "Running", metrics: { loss: 1 }, params: { lr: "0.1" }, tags: {}, duration_seconds: null } as unknown as RunRow;

test("new values of metrics are taken into the row, what is no number is not", () => {
  const items = [{ name: "loss", kind: "scalar", last: 0.5 }, { name: "acc", kind: "scalar", last: "NaN" }, { name: "image", kind: "image", last: "x" }] as unknown as Schemas["MetricSummary"][];
  expect(heard(row, { type: "metrics", topic: "metrics/a", items }).metrics).toEqual({ loss: 0.5, acc: "NaN" });
});
test("a run that has ended has its time, and keeps its parameters", () => {
  const run = { status: "Completed", display_name: "x", started_at: "2026-01-01T00:00:00Z", ended_at: "2026-01-01T00:00:09Z", tags: { best: null }, archived: false, error: null } as unknown as Run;
  expect(heard(row, { type: "run", topic: "run/a", run })).toMatchObject({ status: "Completed", duration_seconds: 9, tags: { best: null }, params: { lr: "0.1" }, error: null });
});
