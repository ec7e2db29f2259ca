import { expect, test } from "vitest";
import type { SweepSpec } from "../../lib/sweep";
import { limitsText, policyText, samplingText, tried } from "./facts";

test("policies, samplers and limits in words", () => {
  expect(policyText(null)).toMatch(/^none/);
  expect(policyText({ type: "median" })).toBe("median");
  expect(policyText({ type: "bandit", slack_factor: 0.1, slack_amount: null, evaluation_interval: 2 })).toBe("bandit: slack factor 0.1, evaluation interval 2");
  const spec = { sampling: { type: "tpe", seed: 0 }, max_total_runs: 20, max_concurrent_runs: null } as SweepSpec;
  expect(samplingText(spec)).toBe("tpe, seed 0");
  expect([limitsText(spec), limitsText({ ...spec, max_concurrent_runs: 4 })]).toEqual(["20 trials, all at once", "20 trials, 4 at a time"]);
});
test("all trials that there are", () => expect(tried({ counts: { waiting: 1, running: 2, completed: 3, stopped: 4, failed: 5, canceled: 6, paused: 7 } })).toBe(28));
