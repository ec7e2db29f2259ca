import { expect, test } from "vitest";
import { attemptsOf, widths, type Stage } from "./stages";

const at = (second: number) => new Date(second * 1000).toISOString();
const event = (attempt: number, to: string, second: number, reason: string | null = null) =>
  ({ seq: second, attempt, from: "", to, at: at(second), reason }) as Parameters<typeof attemptsOf>[0][number];

test("a state lasts until the next, the last one until now", () => {
  const [only] = attemptsOf([event(1, "Starting", 0), event(1, "Preparing", 0), event(1, "Queued", 2), event(1, "Running", 5)], 15_000);
  expect(only!.stages.map((stage) => [stage.status, stage.seconds, stage.to === null])).toEqual([
    ["Preparing", 2, false],
    ["Queued", 3, false],
    ["Running", 10, true],
  ]);
  expect(only!.end).toBeNull();
  expect(only!.seconds).toBe(15);
});

test("a run that is over does not go on ticking", () => {
  const [only] = attemptsOf([event(1, "Running", 0), event(1, "Finalizing", 4), event(1, "Failed", 5, "exit code 1")], 1e9);
  expect(only!.stages.map((stage) => stage.seconds)).toEqual([4, 1]);
  expect(only).toMatchObject({ end: "Failed", endReason: "exit code 1", seconds: 5 });
});

test("attempts are told apart", () => {
  const lost = "its node was lost";
  const attempts = attemptsOf([event(0, "Queued", 0), event(1, "Running", 1), event(1, "Queued", 3, lost), event(2, "Running", 4)], 6000);
  expect(attempts.map((attempt) => attempt.stages.map((stage) => stage.status))).toEqual([["Queued", "Running"], ["Queued", "Running"]]);
  expect(attempts.map(({ attempt, end, endReason }) => [attempt, end, endReason])).toEqual([
    [1, "tried again", "its node was lost"],
    [2, null, null],
  ]);
});

test("narrow stages stay visible and the sum is the whole", () => {
  const stage = (seconds: number) => ({ seconds }) as Stage;
  const out = widths([stage(0.01), stage(1000), stage(0.5)]);
  expect(out[0]).toBe(2.5);
  expect(out[2]).toBe(2.5);
  expect(out.reduce((a, b) => a + b, 0)).toBeCloseTo(100, 9);
  expect(widths([stage(0), stage(0)])).toEqual([50, 50]);
});
