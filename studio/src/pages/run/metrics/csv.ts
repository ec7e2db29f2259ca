// Every point of some metrics as CSV, page by page.
import { api, segment, segments, type Schemas } from "../../../lib/api";
import { csvOf } from "../../../ui/chart/save";

const PAGE = 50_000;
type Points = Schemas["MetricPoints"];

export async function allPoints(run: string, name: string, attempt: number | undefined): Promise<Points["points"]> {
  const points: Points["points"] = [];
  for (;;) {
    const page = await api.get<Points>(`/runs/${segment(run)}/metrics/${segments(name)}`, { attempt, from_index: points.length, limit: PAGE });
    points.push(...page.points);
    if (page.points.length < PAGE || points.length >= page.count) return points;
  }
}

/** A column for each key of values that are objects (rows), else one column. */
export function pointsCsv(series: { name: string; points: Points["points"] }[]): string {
  const rows: unknown[][] = [["metric", "index", "step", "time", "value"]];
  for (const { name, points } of series) for (const { index, step, at, value } of points) rows.push([name, index, step, at, value]);
  return csvOf(rows);
}

export async function metricsCsv(run: string, names: readonly string[], attempt: number | undefined): Promise<string> {
  const series = [];
  for (const name of names) series.push({ name, points: await allPoints(run, name, attempt) });
  return pointsCsv(series);
}
