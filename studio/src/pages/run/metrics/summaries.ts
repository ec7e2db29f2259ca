// The list of a run's metrics with their last values, kept up to date.
import { useRef } from "react";
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

/** `onChanged` is told which metrics have new points; `attempt` undefined is the newest. */
export function useSummaries(run: Run, attempt?: number, onChanged?: (names: string[]) => void): Resource<Schemas["MetricSummaryList"]> {
  const newest = attempt === undefined || attempt === run.attempt;
  const resource = useResource(`metrics/${run.id}/${newest ? run.attempt : attempt}`, () =>
    api.get<Schemas["MetricSummaryList"]>(`/runs/${segment(run.id)}/metrics`, { attempt }),
  );
  // Two events may come before the page renders again.
  const held = useRef<Summary[]>([]);
  held.current = resource.data?.items ?? [];
  useLive(newest ? `metrics/${run.id}` : null, (event) => {
    if (event.type === "reset") resource.reload();
    if (event.type !== "metrics" || event.items.length === 0) return;
    held.current = merged(held.current, event.items);
    resource.set({ items: held.current });
    onChanged?.(event.items.map((metric) => metric.name));
  });
  return resource;
}
