// The axes of a sweep: one a parameter of its space, and the primary metric.
import type { Expression, Parameter, Sweep, SweepSpec, Trial } from "../../lib/sweep";
import type { Brushes } from "../compare/brushes";
import { isNumeric, scaleOf, tickText, wantsLog, type Scale } from "../compare/scale";
import { labelOf, textOf, valueOf } from "./trials";

export interface SweepAxis {
  id: string;
  label: string;
  /** One a trial, in the order of the trials. */
  values: (string | number | undefined)[];
  log: boolean;
  /** Few numbers to choose from: they are the ticks. */
  ticks?: number[];
}
/** More do not fit on an axis. */
const MOST_TICKS = 9;

const LOG: readonly Expression[] = ["loguniform", "qloguniform", "lognormal", "qlognormal"];
export const METRIC = "metric";

const placed = (value: Parameter | undefined): string | number | undefined =>
  value === undefined || value === null ? undefined : typeof value === "number" ? value : textOf(value);

/** Choices such as 16, 32, 64, 128, 256. */
const doubles = (values: SweepAxis["values"]): boolean => {
  const numbers = values.flatMap((value) => (typeof value === "number" ? value : []));
  return isNumeric(values) && numbers.length > 0 && Math.min(...numbers) > 0 && Math.max(...numbers) / Math.min(...numbers) >= 10;
};

export function parameterAxes(space: SweepSpec["space"], trials: readonly Trial[]): SweepAxis[] {
  return space.map(({ name, expression }) => {
    const values = trials.map((trial) => placed(trial.parameters[name]));
    const axis = { id: name, label: labelOf(name), values, log: LOG.includes(expression) || (expression === "choice" && doubles(values)) };
    const chosen = expression === "choice" && isNumeric(values) ? [...new Set(values)].filter((value) => typeof value === "number") : [];
    return chosen.length > 1 && chosen.length <= MOST_TICKS ? { ...axis, ticks: chosen.sort((a, b) => a - b) } : axis;
  });
}

/** A loss over many powers of ten is better seen on a log axis. */
export function metricAxis(metric: Sweep["spec"]["metric"], trials: readonly Trial[]): SweepAxis {
  const values = trials.map((trial) => {
    const value = valueOf(trial);
    return Number.isFinite(value) ? value : undefined;
  });
  return { id: METRIC, label: metric.name, values, log: metric.goal === "minimize" && wantsLog(values) };
}

export function scaleOfAxis(axis: SweepAxis, wanted = 5): Scale {
  const scale = scaleOf(axis.values, axis.log, wanted);
  return axis.ticks ? { ...scale, ticks: axis.ticks.map((value) => ({ at: scale.at(value)!, text: tickText(value) })) } : scale;
}

/** The value that stands at a place of an axis, as text, for a filter that is told in words. */
export function textAt(axis: SweepAxis, scale: Scale, at: number): string {
  if (scale.kind === "category") {
    const near = scale.ticks.reduce((best, tick) => (Math.abs(tick.at - at) < Math.abs(best.at - at) ? tick : best), scale.ticks[0]!);
    return near?.text ?? "";
  }
  const numbers = axis.values.filter((value): value is number | string => scale.at(value) !== undefined).map(Number);
  if (numbers.length === 0) return "";
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const value = scale.kind === "log" ? low * (high / low) ** at : low + (high - low) * at;
  return String(Number(value.toPrecision(3)));
}

/** Whether each trial lies in all brushes; one without a value on a brushed axis does not. `places` has one list an axis. */
export function insideOf(axes: readonly SweepAxis[], places: readonly (number | undefined)[][], brushes: Brushes, count: number): boolean[] {
  const inside = new Array<boolean>(count).fill(true);
  axes.forEach((axis, a) => {
    const brush = brushes.get(axis.id);
    if (!brush) return;
    places[a]!.forEach((at, i) => {
      if (at === undefined || at < brush[0] - 1e-9 || at > brush[1] + 1e-9) inside[i] = false;
    });
  });
  return inside;
}
