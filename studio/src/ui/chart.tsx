// Curves over a common x axis, drawn by uPlot.
import type { ReactNode } from "react";

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
  dashed?: boolean;
}
export type XKind = "step" | "time" | "relative" | "epoch";

export interface ChartProps {
  title: string;
  curves: Curve[];
  /** time: x is seconds since 1970; relative: seconds. */
  xKind: XKind;
  logY?: boolean;
  /** 0 to 1: draws the smoothed curve, and the raw one faintly behind it. */
  smoothing?: number;
  /** What part of x is shown; null is all of it. */
  range?: [number, number] | null;
  onRange?: (range: [number, number] | null) => void;
  height?: number;
  actions?: ReactNode;
  /** Makes the whole data as CSV; without it the CSV has what the chart shows. */
  csv?: () => Promise<string>;
}

export function Chart({ title }: ChartProps) {
  return <figure>{title}</figure>;
}
