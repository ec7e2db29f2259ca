// The curve of a metric as the server sends it, turned into numbers, and put together from parts.
import { toNumber } from "../../../lib/format";
import type { Schemas } from "../../../lib/api";
import type { XKind } from "../../../ui/chart";
import { firstFrom } from "../../../ui/chart/curve";

/** Columns of equal length, in the order of `key`: steps or times. Lows and highs only where it is down-sampled. */
export interface Series {
  steps: number[];
  times: number[];
  values: (number | null)[];
  lows?: (number | null)[];
  highs?: (number | null)[];
  /** Points of the whole metric on the server. */
  count: number;
  /** Places that are NaN or infinite. */
  odd: number;
}
export type Key = "steps" | "times";

const finite = (value: number | string): number | null => {
  const number = toNumber(value);
  return Number.isFinite(number) ? number : null;
};

export function seriesOf(chart: Schemas["Chart"], key: Key = "steps"): Series {
  const values = chart.values.map(finite);
  const series: Series = {
    steps: chart.steps,
    times: chart.times,
    values,
    count: chart.count,
    odd: values.reduce<number>((sum, value) => sum + (value === null ? 1 : 0), 0),
  };
  if (chart.lows && chart.highs) {
    series.lows = chart.lows.map(finite);
    series.highs = chart.highs.map(finite);
  }
  return sorted(series, key);
}

/** In the order of its key: a script may start its steps again, or report late. */
export function sorted(series: Series, key: Key): Series {
  const order = series[key];
  if (order.every((value, i) => i === 0 || order[i - 1]! <= value)) return series;
  const places = order.map((_, i) => i).sort((a, b) => order[a]! - order[b]! || a - b);
  return pick(series, places);
}

function pick(series: Series, places: number[]): Series {
  const take = <T>(column: T[]): T[] => places.map((i) => column[i]!);
  const out: Series = { ...series, steps: take(series.steps), times: take(series.times), values: take(series.values) };
  if (series.lows) out.lows = take(series.lows);
  if (series.highs) out.highs = take(series.highs);
  return out;
}

function part(series: Series, from: number, to: number): Series {
  const out: Series = { ...series, steps: series.steps.slice(from, to), times: series.times.slice(from, to), values: series.values.slice(from, to) };
  if (series.lows) out.lows = series.lows.slice(from, to);
  if (series.highs) out.highs = series.highs.slice(from, to);
  return out;
}

function joined(parts: Series[], count: number): Series {
  const all = <T>(column: (series: Series) => T[]): T[] => parts.flatMap(column);
  const out: Series = { steps: all((s) => s.steps), times: all((s) => s.times), values: all((s) => s.values), count, odd: 0 };
  if (parts.some((one) => one.lows)) {
    out.lows = all((s) => s.lows ?? s.values);
    out.highs = all((s) => s.highs ?? s.values);
  }
  out.odd = out.values.reduce<number>((sum, value) => sum + (value === null ? 1 : 0), 0);
  return out;
}

/** The coarse curve with the fine one in the place it covers. */
export function withFine(coarse: Series, fine: Series, key: Key): Series {
  if (fine.values.length === 0) return coarse;
  const before = firstFrom(coarse[key], fine[key][0]!);
  let after = firstFrom(coarse[key], fine[key][fine[key].length - 1]!);
  while (after < coarse[key].length && coarse[key][after]! <= fine[key][fine[key].length - 1]!) after += 1;
  return joined([part(coarse, 0, before), fine, part(coarse, after, coarse.values.length)], Math.max(coarse.count, fine.count));
}

/**
 * The curve and what came since; null when they do not fit together (steps that do not rise, points that came late),
 * so that the whole must be asked for.
 */
export function withTail(series: Series, tail: Series): Series | null {
  if (tail.lows || series.steps.length === 0) return null;
  const last = series.steps[series.steps.length - 1]!;
  let from = firstFrom(tail.steps, last);
  while (from < tail.steps.length && tail.steps[from]! <= last) from += 1;
  const fresh = part(tail, from, tail.values.length);
  if (series.count + fresh.values.length !== tail.count) return null;
  return joined([series, fresh], tail.count);
}

/** From a step to what another metric was at it, for x by epoch. */
export interface Mapping {
  from: number[];
  to: number[];
}
export function mappingOf(series: Series): Mapping {
  const places = series.values.map((value, i) => (value === null ? -1 : i)).filter((i) => i >= 0);
  return { from: places.map((i) => series.steps[i]!), to: places.map((i) => series.values[i]!) };
}

/** Between two known places in proportion, beyond the ends as in the nearest. */
export function mapped(from: readonly number[], to: readonly number[], value: number): number {
  if (from.length === 0) return NaN;
  const at = firstFrom(from, value);
  if (at === 0) return to[0]!;
  if (at === from.length) return to[at - 1]!;
  const [a, b] = [from[at - 1]!, from[at]!];
  return to[at - 1]! + ((to[at]! - to[at - 1]!) * (value - a)) / (b - a);
}

export interface Axis {
  kind: XKind;
  /** Seconds since 1970, where relative time is zero. */
  start: number;
  /** From steps to what x is, for epoch and metric. */
  epochs?: Mapping;
}

/** The x at which a series was NaN or infinite first; `began` is the step of it, where the server told. */
export function oddPlace(series: Series, x: readonly number[], axis: Axis, began: number | undefined): number | undefined {
  const known = series.values.indexOf(null);
  if (began === undefined) return known < 0 ? undefined : x[known];
  if (axis.kind === "step") return began;
  let nearest = 0;
  series.steps.forEach((step, i) => {
    if (Math.abs(step - began) < Math.abs(series.steps[nearest]! - began)) nearest = i;
  });
  return x[nearest];
}

/** What a chart draws of it: x as the axis has it, and rising. */
export function curveParts(found: Series, axis: Axis, began?: number): { series: Series; x: number[]; odd: number | undefined } {
  const series = sorted(found, axis.kind === "time" || axis.kind === "relative" ? "times" : "steps");
  const x = xOf(series, axis);
  const odd = oddPlace(series, x, axis, began);
  if (axis.kind !== "metric" || x.every((value, i) => i === 0 || x[i - 1]! <= value)) return { series, x, odd };
  const places = x.map((_, i) => i).filter((i) => Number.isFinite(x[i])).sort((a, b) => x[a]! - x[b]! || a - b);
  return { series: pick(series, places), x: places.map((i) => x[i]!), odd };
}

export function xOf(series: Series, axis: Axis): number[] {
  if (axis.kind === "time") return series.times;
  if (axis.kind === "relative") return series.times.map((time) => time - axis.start);
  if ((axis.kind === "epoch" || axis.kind === "metric") && axis.epochs) return series.steps.map((step) => mapped(axis.epochs!.from, axis.epochs!.to, step));
  return series.steps;
}

/** A range of x in what the server counts in; null where it has no such order. */
export function serverRange([from, to]: [number, number], axis: Axis): { x: "step" | "time"; from: number; to: number } | null {
  if (axis.kind === "metric") return null;
  if (axis.kind === "time") return { x: "time", from, to };
  if (axis.kind === "relative") return { x: "time", from: from + axis.start, to: to + axis.start };
  if (axis.kind === "epoch" && axis.epochs) {
    return { x: "step", from: mapped(axis.epochs.to, axis.epochs.from, from), to: mapped(axis.epochs.to, axis.epochs.from, to) };
  }
  return { x: "step", from, to };
}
