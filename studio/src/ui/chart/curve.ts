// What a chart draws, and how places in it are found.
import { smooth } from "../../lib/smooth";

export interface Curve {
  id: string;
  label: string;
  /** A CSS colour, or the name of one of the theme's ("--c1"). */
  color: string;
  /** Rising. */
  x: number[];
  /** null is a gap. */
  y: (number | null)[];
  /** Extremes where a point stands for several: shown as a band. */
  low?: (number | null)[];
  high?: (number | null)[];
  /** The last value that was logged, where `y` may end with the mean of several; NaN and the infinities too. */
  last?: number;
  /** The x at which it was NaN or infinite first; a gap in `y` is then such a value. */
  odd?: number;
  dashed?: boolean;
}
/** metric: x is the value of another metric. */
export type XKind = "step" | "time" | "relative" | "epoch" | "metric";
export type Range = [number, number];

/** What part of y is shown, where that is not all of it. */
export interface YLimits {
  min?: number;
  max?: number;
  /** So many percent of the values, the least and the greatest, may lie outside. */
  cut?: number;
}

/** A curve with what is drawn in bold: its own values, or the smoothed ones. */
export interface Drawn extends Curve {
  line: (number | null)[];
  hidden: boolean;
}

export const drawnOf = (curve: Curve, weight: number, hidden: boolean): Drawn => ({
  ...curve,
  line: weight > 0 ? smooth(curve.y, weight) : curve.y,
  hidden,
});

/** The first index whose x is not below `value`; the length when there is none. */
export function firstFrom(x: readonly number[], value: number): number {
  let [low, high] = [0, x.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (x[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index whose x is nearest to `value`; -1 in an empty curve. */
export function nearest(x: readonly number[], value: number): number {
  if (x.length === 0) return -1;
  const at = firstFrom(x, value);
  if (at === 0) return 0;
  if (at === x.length) return at - 1;
  return value - x[at - 1]! <= x[at]! - value ? at - 1 : at;
}

/** All x of the curves, with some room where there is only one; null without any. */
export function extent(curves: readonly Curve[]): Range | null {
  let [low, high] = [Infinity, -Infinity];
  for (const { x } of curves) {
    if (x.length === 0) continue;
    low = Math.min(low, x[0]!);
    high = Math.max(high, x[x.length - 1]!);
  }
  if (low > high) return null;
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

/** The least and the greatest value within a range of x, bands included; null where nothing is drawn. */
export function valuesWithin(curves: readonly Drawn[], [from, to]: Range, positive: boolean): Range | null {
  let [low, high] = [Infinity, -Infinity];
  const look = (value: number | null | undefined) => {
    if (value === null || value === undefined || (positive && value <= 0)) return;
    if (value < low) low = value;
    if (value > high) high = value;
  };
  for (const curve of curves) {
    if (curve.hidden) continue;
    // The neighbours of the range count as well, since the lines to them are in sight.
    const first = Math.max(0, firstFrom(curve.x, from) - 1);
    for (let i = first; i < curve.x.length; i += 1) {
      look(curve.y[i]);
      look(curve.line[i]);
      if (curve.low) look(curve.low[i]);
      if (curve.high) look(curve.high[i]);
      if (curve.x[i]! > to) break;
    }
  }
  return low > high ? null : [low, high];
}

/** As valuesWithin, without the outermost values: `cut` percent of them all, half at either end. */
export function usualWithin(curves: readonly Drawn[], [from, to]: Range, positive: boolean, cut: number): Range | null {
  const values: number[] = [];
  for (const curve of curves) {
    if (curve.hidden) continue;
    for (let i = firstFrom(curve.x, from); i < curve.x.length && curve.x[i]! <= to; i += 1) {
      const value = curve.line[i];
      if (value !== null && value !== undefined && !(positive && value <= 0)) values.push(value);
    }
  }
  if (values.length === 0) return null;
  values.sort((a, b) => a - b);
  const out = Math.min(Math.floor((values.length - 1) / 2), Math.floor((values.length * cut) / 200));
  return [values[out]!, values[values.length - 1 - out]!];
}

/** Room above and below, so that no line lies on the edge. */
export function padded([low, high]: Range, log: boolean): Range {
  if (log) {
    const room = low === high ? 2 : (high / low) ** 0.04;
    return [low / room || low, Math.min(high * room, Number.MAX_VALUE)];
  }
  if (low === high) {
    const room = Math.abs(low) * 0.1 || 1;
    return [low - room, high + room];
  }
  const room = (high - low) * 0.05;
  return [low - room, high + room];
}
