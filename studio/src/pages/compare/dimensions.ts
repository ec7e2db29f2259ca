// What a run has a value of: its parameters, the last numbers of its metrics, how long it took.
import type { ComparedRun } from "./comparison";

export interface Dimension {
  id: string;
  label: string;
  values: (string | number | undefined)[];
}

/** Longer texts are no categories that an axis could show. */
const LONGEST = 60;

export function dimensionsOf(runs: readonly ComparedRun[]): Dimension[] {
  const params = [...new Set(runs.flatMap(({ row }) => Object.keys(row.params)))].sort();
  const metrics = [...new Set(runs.flatMap(({ row }) => Object.keys(row.metrics)))].sort();
  const dimensions: Dimension[] = [
    ...params.map((name) => ({ id: `params.${name}`, label: name, values: runs.map(({ row }) => row.params[name]) })),
    ...metrics.map((name) => ({ id: `metrics.${name}`, label: name, values: runs.map(({ row }) => row.metrics[name]) })),
    { id: "duration", label: "duration (s)", values: runs.map(({ row }) => row.duration_seconds ?? undefined) },
    { id: "status", label: "status", values: runs.map(({ row }) => row.status) },
  ];
  return dimensions.filter(({ values }) => values.some((value) => value !== undefined && String(value).length <= LONGEST));
}

export const varies = ({ values }: Dimension): boolean => new Set(values.map(String)).size > 1;

/** Axes for a first look: parameters that differ and that most runs have, then metrics. */
export function usualAxes(dimensions: readonly Dimension[]): string[] {
  const common = (one: Dimension) => varies(one) && one.values.filter((value) => value !== undefined).length * 2 >= one.values.length;
  const params = dimensions.filter((one) => one.id.startsWith("params.") && common(one)).slice(0, 6);
  const metrics = dimensions.filter((one) => one.id.startsWith("metrics.") && common(one)).slice(0, 3);
  const axes = [...params, ...metrics].map((one) => one.id);
  return axes.length >= 2 ? axes : dimensions.slice(0, 4).map((one) => one.id);
}
