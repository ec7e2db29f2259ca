import { expect, test } from "vitest";
import type { Schemas } from "../../lib/api";
import { experimentQuery, orderedExperiments } from "./order";

const one = (name: string, run_count: number, last_run_at: string | null, archived = false, tags: Record<string, string | null> = {}): Schemas["Experiment"] => ({
  name, workspace: "default", id: name, created_at: "2026-01-01T00:00:00Z", archived, tags, run_count, last_run_at, deleted_at: null,
});
const all = [one("a2", 1, "2026-01-02T00:00:00Z"), one("a10", 9, null), one("old", 5, "2026-01-03T00:00:00Z", true, { team: "birds" })];
const names = (list: Schemas["Experiment"][]) => list.map((each) => each.name);

test("archived ones are left out unless wished", () => {
  expect(names(orderedExperiments(all, "", false, "last"))).toEqual(["a2", "a10"]);
  expect(names(orderedExperiments(all, "", true, "last"))).toEqual(["old", "a2", "a10"]);
});
test("by runs and by name", () => {
  expect(names(orderedExperiments(all, "", true, "runs"))).toEqual(["a10", "old", "a2"]);
  expect(names(orderedExperiments(all, "", true, "name"))).toEqual(["a2", "a10", "old"]);
});
test("found by name and by tag", () => {
  expect(names(orderedExperiments(all, "A1", true, "name"))).toEqual(["a10"]);
  expect(names(orderedExperiments(all, "team=birds", true, "name"))).toEqual(["old"]);
});
test("names with signs are quoted", () => {
  expect(experimentQuery("birds-1")).toBe("experiment:birds-1");
  expect(experimentQuery('a "b" or c')).toBe('experiment:"a \\"b\\" or c"');
});
