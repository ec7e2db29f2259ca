// The list of a run's metrics with their last values, kept up to date.
import { useEffect, useRef } from "react";
import { api, segment, type Run, type Schemas } from "../../../lib/api";
import { useLive } from "../../../lib/live";
import { useResource, type Resource } from "../../../lib/resource";
import type { Summary } from "./names";

function merged(old: Summary[], changed: Summary[]): Summary[] {
  const byName = new Map(changed.map((metric) => [metric.name, metric]));
  const kept = old.map((metric) => {
    const fresh = byName.get(metric.name);
    byName.delete(metric.name);
    return fresh ?? metric;
  });
  return [...kept, ...byName.values()];
}

type List = Schemas["MetricSummaryList"];
const get = (run: string, attempt?: number) => () => api.get<List>(`/runs/${segment(run)}/metrics`, { attempt });
/** Where those of the newest attempt are kept, and how they are got. */
export const newestSummaries = (run: string): [string, () => Promise<List>] => [`metrics/${run}/newest`, get(run)];

/** `onChanged` is told which metrics have new points; `attempt` undefined is the newest. */
export function useSummaries(run: Run, attempt?: number, onChanged?: (names: string[]) => void): Resource<List> {
  const newest = attempt === undefined || attempt === run.attempt;
  const [key, fetcher] = newest ? newestSummaries(run.id) : [`metrics/${run.id}/${attempt}`, get(run.id, attempt)];
  const resource = useResource(key, fetcher);
  const { reload } = resource;
  const seen = useRef(run.attempt);
  useEffect(() => {
    if (seen.current === run.attempt) return;
    seen.current = run.attempt;
    reload();
  }, [run.attempt, reload]);
  // Two events may come before the page renders again.
  const held = useRef<Summary[]>([]);
  held.current = resource.data?.items ?? [];
  useLive(newest ? `metrics/${run.id}` : null, (event) => {
    if (event.type === "reset") reload();
    if (event.type !== "metrics" || event.items.length === 0) return;
    held.current = merged(held.current, event.items);
    resource.set({ items: held.current });
    onChanged?.(event.items.map((metric) => metric.name));
  });
  return resource;
}
