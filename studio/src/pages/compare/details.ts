// What the run table does not say of runs: their code, environment and git commit; the ranges of their metrics.
import { api, segment, type ApiError, type Run, type Schemas } from "../../lib/api";
import { useKept, useResource } from "../../lib/resource";
import type { ComparedRun, MetricSummary } from "./comparison";

export interface Detail {
  run: Run;
  metrics: MetricSummary[] | undefined;
}
export interface Details {
  of: ReadonlyMap<string, Detail>;
  loading: boolean;
  error: ApiError | undefined;
  reload: () => void;
}
const NONE: ReadonlyMap<string, Detail> = new Map();

export function useDetails(runs: readonly ComparedRun[], withMetrics: boolean): Details {
  const ids = runs.map((run) => run.id).sort();
  // Asked for anew when a run has come to another state.
  const states = runs.map((run) => `${run.id} ${run.row.status}`).sort().join(",");
  const resource = useResource<ReadonlyMap<string, Detail>>(`compare-details/${withMetrics}/${states}`, async () => {
    const found = await Promise.all(
      ids.map(async (id) => {
        const [run, metrics] = await Promise.all([
          api.get<Run>(`/runs/${segment(id)}`),
          withMetrics ? api.get<Schemas["MetricSummaryList"]>(`/runs/${segment(id)}/metrics`) : undefined,
        ]);
        return [id, { run, metrics: metrics?.items }] as const;
      }),
    );
    return new Map(found);
  });
  return { of: useKept(resource.data) ?? NONE, loading: resource.loading, error: resource.error, reload: resource.reload };
}
