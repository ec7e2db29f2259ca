// The runs that are compared, with their parameters and the summaries of their metrics, kept up to date.
import { useCallback } from "react";
import { api, segment, type ApiError, type Run, type RunRow, type Schemas } from "../../lib/api";
import { useKept, useResource } from "../../lib/resource";
import type { LiveEvent } from "../../lib/live";
import { colorOf, isDashed, queriesFor } from "./selection";

export type MetricSummary = Schemas["MetricSummary"];

export interface ComparedRun {
  id: string;
  label: string;
  color: string;
  dashed: boolean;
  run: Run;
  params: Record<string, string>;
  metrics: MetricSummary[];
}
interface Loaded {
  runs: Map<string, { run: Run; params: Record<string, string>; metrics: MetricSummary[] }>;
  missing: { id: string; error: ApiError }[];
}
export interface Comparison {
  runs: ComparedRun[];
  missing: Loaded["missing"];
  loading: boolean;
  error: ApiError | undefined;
  reload: () => void;
  /** What the live stream says of one of the runs. */
  hear: (id: string, event: LiveEvent) => void;
}

async function paramsOf(workspace: string, ids: string[]): Promise<Map<string, Record<string, string>>> {
  const tables = await Promise.all(
    queriesFor(ids).map((q) =>
      api.get<{ items: RunRow[] }>(`/workspaces/${segment(workspace)}/run-table`, { q, limit: 100, column: ["params.*"] }),
    ),
  );
  return new Map(tables.flatMap((table) => table.items.map((row) => [row.id, row.params] as const)));
}

async function load(workspace: string, ids: string[]): Promise<Loaded> {
  const loaded: Loaded = { runs: new Map(), missing: [] };
  const params = paramsOf(workspace, ids);
  // The answer is awaited below; were it to fail meanwhile, that is not unheard of.
  params.catch(() => undefined);
  await Promise.all(
    ids.map(async (id) => {
      try {
        const [run, metrics] = await Promise.all([
          api.get<Run>(`/runs/${segment(id)}`),
          api.get<Schemas["MetricSummaryList"]>(`/runs/${segment(id)}/metrics`),
        ]);
        loaded.runs.set(id, { run, metrics: metrics.items, params: (await params).get(id) ?? {} });
      } catch (error) {
        loaded.missing.push({ id, error: error as ApiError });
      }
    }),
  );
  return loaded;
}

/** Two runs of one name are told apart by experiment and number. */
function labelOf(run: Run, all: readonly Run[]): string {
  const name = run.display_name || run.id;
  return all.some((other) => other.id !== run.id && other.display_name === run.display_name) ? `${name} (${run.experiment} ${run.number})` : name;
}

export function useComparison(workspace: string, ids: string[]): Comparison {
  const resource = useResource<Loaded>(ids.length > 0 ? `compare/${workspace}/${ids.join(",")}` : null, () => load(workspace, ids));
  // A run that is added or taken away leaves the others on screen meanwhile.
  const data = useKept(resource.data);
  const { set, reload } = resource;
  const current = resource.data;
  const hear = useCallback(
    (id: string, event: LiveEvent) => {
      const known = current?.runs.get(id);
      if (event.type === "reset") reload();
      if (!current || !known) return;
      const next = { ...known };
      if (event.type === "run") next.run = event.run;
      else if (event.type === "metrics") {
        const changed = new Map(event.items.map((item) => [item.name, item]));
        next.metrics = [...known.metrics.map((one) => changed.get(one.name) ?? one)];
        const there = new Set(known.metrics.map((one) => one.name));
        for (const item of event.items) if (!there.has(item.name)) next.metrics.push(item);
      } else return;
      current.runs.set(id, next);
      set({ ...current });
    },
    [current, set, reload],
  );
  const found = ids.flatMap((id) => data?.runs.get(id) ?? []);
  const all = found.map((one) => one.run);
  const runs = ids.flatMap((id, index) => {
    const one = data?.runs.get(id);
    return one ? [{ id, label: labelOf(one.run, all), color: colorOf(index), dashed: isDashed(index), ...one }] : [];
  });
  return { runs, missing: resource.data?.missing ?? [], loading: resource.loading, error: resource.error, reload, hear };
}
