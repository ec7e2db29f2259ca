// Curves of runs that belong together, for example of the same parameters with other seeds, as one: their mean with a band.
import type { RunRow } from "../../lib/api";
import type { Curve } from "../../ui/chart";
import { colorOf, isDashed } from "./selection";

/** range: from the least to the greatest; std: one standard deviation to either side. */
export type Band = "range" | "std";
const MOST_PLACES = 1000;

/** What the runs are grouped by: a field of the run table, params.NAME or tags.NAME; null where a run has none. */
export function groupValue(row: RunRow, by: string): string | null {
  const name = by.slice(by.indexOf(".") + 1);
  if (by.startsWith("params.")) return row.params[name] ?? null;
  if (by.startsWith("tags.")) return name in row.tags ? (row.tags[name] ?? "") : null;
  if (by === "experiment") return row.experiment;
  if (by === "status") return row.status;
  if (by === "compute") return row.compute;
  if (by === "user") return row.created_by;
  return null;
}

export function groupTitle(by: string, value: string | null): string {
  const name = by.slice(by.indexOf(".") + 1);
  return value === null ? `without ${name}` : by.includes(".") ? `${name}=${value}` : value;
}

/** In the order in which the first run of each comes. */
export function groupsOf<T extends { row: RunRow }>(runs: readonly T[], by: string): { title: string; runs: T[] }[] {
  const groups = new Map<string | null, T[]>();
  for (const run of runs) {
    const value = groupValue(run.row, by);
    const known = groups.get(value);
    if (known) known.push(run);
    else groups.set(value, [run]);
  }
  return [...groups].map(([value, members]) => ({ title: groupTitle(by, value), runs: members }));
}

/** Every x of the curves once; of very many, some evenly. */
function placesOf(curves: readonly Curve[]): number[] {
  const all = [...new Set(curves.flatMap((curve) => curve.x))].sort((a, b) => a - b);
  if (all.length <= MOST_PLACES) return all;
  return Array.from({ length: MOST_PLACES }, (_, i) => all[Math.round((i * (all.length - 1)) / (MOST_PLACES - 1))]!);
}

/** The curve at each of the places, which rise: between its points on the line; none before its first and after its last. */
function valuesAt({ x, y }: Curve, places: readonly number[]): (number | null)[] {
  let at = 0;
  return places.map((place) => {
    while (at + 1 < x.length && x[at + 1]! <= place) at += 1;
    const [value, next] = [y[at], y[at + 1]];
    if (x.length === 0 || place < x[0]! || value === null || value === undefined) return null;
    if (x[at] === place) return value;
    if (next === null || next === undefined) return null;
    return value + ((next - value) * (place - x[at]!)) / (x[at + 1]! - x[at]!);
  });
}

export function spreadOf(values: readonly number[], band: Band): { mean: number; low: number; high: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  if (band === "range") return { mean, low: Math.min(...values), high: Math.max(...values) };
  const deviation = values.length < 2 ? 0 : Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
  return { mean, low: mean - deviation, high: mean + deviation };
}

/** One curve for a group: the mean of those that have a value there. */
export function meanCurve(title: string, index: number, curves: readonly Curve[], band: Band): Curve {
  const x = placesOf(curves);
  const columns = curves.map((curve) => valuesAt(curve, x));
  const [y, low, high]: [(number | null)[], (number | null)[], (number | null)[]] = [[], [], []];
  x.forEach((_, i) => {
    const values = columns.flatMap((column) => column[i] ?? []);
    const spread = values.length > 0 ? spreadOf(values, band) : null;
    y.push(spread?.mean ?? null);
    low.push(spread?.low ?? null);
    high.push(spread?.high ?? null);
  });
  const curve: Curve = { id: title, label: `${title} (${curves.length})`, color: colorOf(index), dashed: isDashed(index), x, y, low, high };
  const lasts = curves.flatMap((one) => one.last ?? []);
  if (lasts.length === curves.length && lasts.length > 0) curve.last = lasts.reduce((sum, value) => sum + value, 0) / lasts.length;
  const odds = curves.flatMap((one) => one.odd ?? []);
  if (odds.length > 0) curve.odd = Math.min(...odds);
  return curve;
}
