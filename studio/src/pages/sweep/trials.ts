// The trials of a sweep as the page needs them: how each ended, its value, which was the best when.
import { toNumber } from "../../lib/format";
import type { Parameter, SweepCounts, Trial, Value } from "../../lib/sweep";
import { isOver } from "../../lib/over";

export type Goal = "maximize" | "minimize";
export type End = keyof SweepCounts;

export const ENDS: { id: End; title: string; color: string }[] = [
  { id: "completed", title: "completed", color: "--c3" },
  { id: "stopped", title: "stopped early", color: "--c5" },
  { id: "running", title: "running", color: "--c1" },
  { id: "paused", title: "paused", color: "--c4" },
  { id: "waiting", title: "waiting", color: "--line-strong" },
  { id: "failed", title: "failed", color: "--c2" },
  { id: "canceled", title: "canceled", color: "--c8" },
];

export const endOf = ({ state }: Pick<Trial, "state">): End => state;

/** NaN where there is none. */
export const valueOf = (trial: Pick<Trial, "best">): number => toNumber(trial.best as Value);
export const better = (goal: Goal, a: number, b: number): boolean => (goal === "maximize" ? a > b : a < b);

/** Each trial that was better than all before it, in order of number. */
export function bestSoFar(trials: readonly Trial[], goal: Goal): { number: number; value: number }[] {
  const steps: { number: number; value: number }[] = [];
  for (const trial of trials) {
    const value = valueOf(trial);
    const last = steps.at(-1);
    if (Number.isFinite(value) && (!last || better(goal, value, last.value))) steps.push({ number: trial.number, value });
  }
  return steps;
}

const same = (a: Trial, b: Trial): boolean =>
  a.status === b.status && a.best === b.best && a.last === b.last && a.intervals === b.intervals && a.reason === b.reason && a.started_at === b.started_at && a.ended_at === b.ended_at;

/** The list with what came put in its place, in order of number; the very same list if nothing differs, so that nothing is drawn anew. */
export function merged(old: readonly Trial[], came: readonly Trial[]): readonly Trial[] {
  const places = new Map(old.map((trial, i) => [trial.number, i]));
  let next: Trial[] | undefined;
  for (const trial of came) {
    const at = places.get(trial.number);
    if (at !== undefined && same(old[at]!, trial)) continue;
    next ??= [...old];
    if (at === undefined) {
      places.set(trial.number, next.length);
      next.push(trial);
    } else next[at] = trial;
  }
  return next ? next.sort((a, b) => a.number - b.number) : old;
}

/** From where to ask again: all trials up to it have ended and change no more. -1: from the first. */
export function settledUntil(trials: readonly Trial[]): number {
  for (const [i, trial] of trials.entries()) {
    // One that is paused may go on, and one that is missing may come.
    if (trial.number !== i || !isOver(trial.status) || endOf(trial) === "paused") return i - 1;
  }
  return trials.length - 1;
}

/** The beginning and the end of a long name: often only the end tells it from others. */
export function clipped(text: string, most: number): string {
  if (text.length <= most) return text;
  const tail = Math.floor((most - 1) / 2);
  return `${text.slice(0, most - 1 - tail)}…${tail > 0 ? text.slice(-tail) : ""}`;
}

export const labelOf = (name: string): string => name.replace(/^-+/, "") || name;

export function textOf(value: Parameter | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** "value", "number", "status", "intervals", "took", "reason" or "params.NAME"; a minus is downwards. What has no value comes last. */
export function sorted(trials: readonly Trial[], sort: string): Trial[] {
  const down = sort.startsWith("-");
  const key = down ? sort.slice(1) : sort;
  const keyOf = (trial: Trial): number | string | undefined => {
    if (key === "value") return valueOf(trial);
    if (key === "last") return toNumber(trial.last);
    if (key === "status") return endOf(trial);
    if (key === "intervals") return trial.intervals;
    if (key === "took") return took(trial);
    if (key === "reason") return trial.reason || undefined;
    if (!key.startsWith("params.")) return trial.number;
    const value = trial.parameters[key.slice(7)];
    return typeof value === "number" ? value : value === undefined ? undefined : textOf(value);
  };
  const keyed = trials.map((trial) => ({ trial, key: keyOf(trial) }));
  const absent = (value: number | string | undefined) => value === undefined || Number.isNaN(value);
  keyed.sort((a, b) => {
    if (absent(a.key) || absent(b.key)) return Number(absent(a.key)) - Number(absent(b.key)) || a.trial.number - b.trial.number;
    const order =
      typeof a.key === "number" && typeof b.key === "number" ? a.key - b.key : String(a.key).localeCompare(String(b.key), "en", { numeric: true });
    return (down ? -order : order) || a.trial.number - b.trial.number;
  });
  return keyed.map(({ trial }) => trial);
}

/** Seconds; undefined before it has started, and while it is paused. */
export function took(trial: Trial, now = Date.now()): number | undefined {
  if (!trial.started_at || trial.state === "paused") return undefined;
  return Math.max(0, ((trial.ended_at ? Date.parse(trial.ended_at) : now) - Date.parse(trial.started_at)) / 1000);
}
