// The curves that were looked at last, so that going back to them shows them at once.
import type { Run, Schemas } from "../../../lib/api";
import { isCurve, matcher, sections } from "./names";
import { readPins } from "./pins";
import { bucketsFor, settingsOf } from "./settings";
import { CurveStore } from "./store";

let last: { key: string; store: CurveStore } | undefined;

/** Of an attempt; a new attempt starts its curves anew. */
export function openCurves(run: Run, attempt: number | undefined): CurveStore {
  const key = `${run.id}/${attempt ?? run.attempt}`;
  if (last?.key !== key) last = { key, store: new CurveStore(run.id, attempt) };
  return last.store;
}

/** Asks for the curves of the first charts before those are drawn. */
export function askAhead(run: Run, { items }: Schemas["MetricSummaryList"], search: URLSearchParams): Promise<void> {
  const { attempt, columns, filter, view } = settingsOf(search);
  const names = items.filter(isCurve).map((metric) => metric.name);
  const shown = sections(names.filter(matcher(filter)), view, view === "each" ? readPins(run) : []);
  const store = openCurves(run, attempt);
  store.buckets = bucketsFor(columns);
  const first = shown.flatMap(({ charts }) => charts.slice(0, columns).flatMap((chart) => chart.names)).slice(0, 2);
  setTimeout(store.want(first), 2000); // by then the charts speak for themselves
  return store.whenThere(first);
}
