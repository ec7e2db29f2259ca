// A made sweep: what list_sweeps, get_sweep and list_trials would answer. The same for the same number of trials.
import { randomFrom } from "../src/lib/importance";
import type { Sweep, SweepCounts, Trial } from "../src/lib/sweep";
import { endOf } from "../src/pages/sweep/trials";

export const SWEEP = "HD_5f0c1f5e-8b0c-4a55-9a59-1d2c3b4a5e6f";
const BEGIN = Date.UTC(2026, 10, 18, 8, 0, 0);
const at = (seconds: number): string => new Date(BEGIN + seconds * 1000).toISOString();

export interface MadeSweep {
  sweep: Sweep;
  trials: Trial[];
}

function madeTrial(number: number, total: number, going: boolean, random: () => number): Trial {
  const lr = Math.exp(-9.2 + 6.9 * random());
  const opt = ["adam", "sgd", "rmsprop"][Math.floor(random() * 3)]!;
  const batch = [16, 32, 64, 128, 256][Math.floor(random() * 5)]!;
  const dropout = 0.6 * random();
  const parameters: Trial["parameters"] = { "--lr": lr, opt, "batch-size": batch, dropout };
  if (opt === "sgd") parameters.momentum = 0.5 + 0.49 * random();
  const value = 0.93 - 0.055 * (Math.log10(lr) + 2.6) ** 2 - (opt === "rmsprop" ? 0.06 : 0) - 0.3 * (dropout - 0.2) ** 2 - 0.02 * random();
  const trial: Trial = {
    number, run: `${SWEEP}_${number}`, parameters, status: "Completed", state: "completed", origin: "tpe", goes_on_from: null, best: value, last: value - 0.01 * random(), intervals: 20,
    next_check: null, reason: "",
    created_at: at(number * 10), started_at: at(number * 10 + 2), ended_at: at(number * 10 + 90),
  };
  const luck = random();
  if (going && number >= total - 3) return { ...trial, status: "Queued", state: "waiting", best: null, last: null, intervals: 0, started_at: null, ended_at: null };
  if (going && number >= total - 7) return { ...trial, status: "Running", state: "running", next_check: 7, intervals: 6, best: value - 0.05, last: value - 0.05, ended_at: null };
  if (luck < 0.03) return { ...trial, status: "Failed", state: "failed", best: null, last: null, intervals: 0, reason: "" };
  if (value < 0.82 && luck < 0.85) {
    const cut = (0.814 / 1.1).toFixed(3);
    return { ...trial, status: "Canceled", state: "stopped", intervals: 3, best: value - 0.08, last: value - 0.08, ended_at: at(number * 10 + 18), reason: `stopped at interval 3: ${(value - 0.08).toFixed(3)} is below the cut ${cut} (best 0.814, slack 0.1)` };
  }
  return trial;
}

export function madeSweep(total = 200, going = true): MadeSweep {
  const random = randomFrom(11);
  const trials = Array.from({ length: total }, (_, number) => madeTrial(number, total, going, random));
  const counts: SweepCounts = { waiting: 0, running: 0, completed: 0, stopped: 0, failed: 0, canceled: 0, paused: 0 };
  for (const trial of trials) counts[endOf(trial)] += 1;
  const best = trials.filter((trial) => trial.best !== null).sort((a, b) => Number(b.best) - Number(a.best))[0];
  const sweep: Sweep = {
    id: SWEEP, workspace: "default", experiment: "birds", status: going ? "Running" : "Completed", phase: going ? "running" : "ended",
    message: going ? `runs ${counts.running} trials; ${counts.waiting} wait for nodes` : "all trials have ended",
    created_at: at(0), ended_at: going ? null : at(total * 10 + 90), created_by: "anna",
    spec: {
      space: [
        { name: "--lr", expression: "loguniform", values: [-9.2, -2.3] },
        { name: "opt", expression: "choice", values: ["adam", "sgd", "rmsprop"] },
        { name: "batch-size", expression: "choice", values: [16, 32, 64, 128, 256] },
        { name: "dropout", expression: "uniform", values: [0, 0.6] },
        { name: "momentum", expression: "uniform", values: [0.5, 0.99], when: { name: "opt", values: ["sgd"] } },
      ],
      sampling: { type: "tpe", seed: 7 },
      metric: { name: "accuracy", goal: "maximize" },
      policy: { type: "bandit", evaluation_interval: 1, delay_evaluation: 3, slack_factor: 0.1 },
      max_total_runs: Math.max(20, Math.round(total * 1.2)), max_concurrent_runs: 4, max_duration_minutes: 10080,
    },
    space_size: null, counts, metrics_seen: [],
    best: best ? { trial: best.number, run: best.run, value: best.best!, parameters: best.parameters } : null,
  };
  return { sweep, trials };
}

/** No trial has logged the primary metric, but another name. */
export function withoutMetric(made: MadeSweep): MadeSweep {
  const trials = made.trials.map((trial) => ({ ...trial, best: null, last: null, intervals: 0, reason: "", status: trial.status === "Canceled" ? "Completed" : trial.status }));
  const { stopped, completed, ...others } = made.sweep.counts;
  return { trials, sweep: { ...made.sweep, best: null, metrics_seen: ["Accuracy", "loss"], counts: { ...others, stopped: 0, completed: completed + stopped } } };
}

/** What the server would say to a request, or undefined if it is about something else. */
export function answerOf(made: MadeSweep, method: string, url: URL, body?: Partial<Record<string, unknown>>): unknown {
  const path = url.pathname.replace("/api/v1", "");
  if (path === "/workspaces/default/sweeps") return { sweeps: [made.sweep] };
  if (path === `/sweeps/${SWEEP}` && method === "PATCH") {
    const { sweep } = made;
    if (typeof body?.paused === "boolean") sweep.phase = body.paused ? "paused" : "running";
    if (body?.stop) sweep.phase = "stopping";
    if (typeof body?.max_total_runs === "number") sweep.spec.max_total_runs = body.max_total_runs;
    if (typeof body?.max_concurrent_runs === "number") sweep.spec.max_concurrent_runs = body.max_concurrent_runs;
    sweep.message = { running: "makes trials", paused: "paused by anna: no new trials", stopping: "stopping: waits for the trials that run", ended: "" }[sweep.phase];
    return sweep;
  }
  if (path === `/sweeps/${SWEEP}`) return made.sweep;
  if (path !== `/sweeps/${SWEEP}/trials`) return undefined;
  const after = Number(url.searchParams.get("after") ?? -1);
  const limit = Number(url.searchParams.get("limit") ?? 100);
  const rest = made.trials.filter((trial) => trial.number > after);
  return { trials: rest.slice(0, limit), next: rest.length > limit ? rest[limit - 1]!.number : null };
}
