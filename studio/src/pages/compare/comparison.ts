// The runs that are compared: at first what the run table says of them, by one request for many runs.
import { useCallback, useRef } from "react";
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
  /** With all parameters, and the last number of every metric. */
  row: RunRow;
}
type Rows = ReadonlyMap<string, RunRow>;

export interface Comparison {
  runs: ComparedRun[];
  /** Ids that this workspace has no run of. */
  missing: string[];
  loading: boolean;
  error: ApiError | undefined;
  reload: () => void;
  /** What the live stream says of one of the runs. */
  hear: (id: string, event: LiveEvent) => void;
}

/** Those of `known` are not asked for again. */
async function load(workspace: string, ids: string[], known: Rows | undefined): Promise<Rows> {
  const tables = await Promise.all(
    queriesFor(ids.filter((id) => !known?.has(id))).map((q) =>
      api.get<Schemas["RunTable"]>(`/workspaces/${segment(workspace)}/run-table`, { q, limit: 100, column: ["params.*", "metrics.*"] }),
    ),
  );
  const rows = new Map(tables.flatMap((table) => table.items.map((row) => [row.id, row] as const)));
  for (const id of ids) if (known?.has(id)) rows.set(id, known.get(id)!);
  return rows;
}

/** The row with what a live event says. */
export function heard(row: RunRow, event: LiveEvent): RunRow {
  if (event.type === "run") return withRun(row, event.run);
  if (event.type !== "metrics") return row;
  const [metrics, odds] = [{ ...row.metrics }, { ...row.odd }];
  for (const { name, kind, last, odd } of event.items) {
    if (odd) odds[name] = odd.step;
    if (kind === "scalar" && (typeof last === "number" || typeof last === "string")) metrics[name] = last as Schemas["Number"];
  }
  return { ...row, metrics, odd: odds };
}

function withRun(row: RunRow, run: Run): RunRow {
  const { status, display_name, started_at, ended_at, tags, archived } = run;
  const duration_seconds = started_at && ended_at ? (Date.parse(ended_at) - Date.parse(started_at)) / 1000 : null;
  return { ...row, status, display_name, started_at, ended_at, tags, archived, duration_seconds, error: run.error?.message ?? null };
}

/** Two runs of one name are told apart by experiment and number. */
function labelOf(row: RunRow, all: readonly RunRow[]): string {
  const name = row.display_name || row.id;
  return all.some((other) => other.id !== row.id && other.display_name === row.display_name) ? `${name} (${row.experiment} ${row.number})` : name;
}

export function useComparison(workspace: string, ids: string[]): Comparison {
  const key = ids.length > 0 ? `compare/${workspace}/${ids.join(",")}` : null;
  const asked = useRef<string>(undefined);
  const kept = useRef<Rows>(undefined);
  const resource = useResource<Rows>(key, () => {
    // A run that is added is asked for alone; the same runs once more are all asked for.
    const known = asked.current === undefined || asked.current === key ? undefined : kept.current;
    asked.current = key ?? undefined;
    return load(workspace, ids, known);
  });
  // A run that is added or taken away leaves the others on screen meanwhile.
  const data = useKept(resource.data);
  kept.current = data;
  const { set, reload } = resource;
  const hear = useCallback(
    (id: string, event: LiveEvent) => {
      if (event.type === "reset") return reload();
      const row = kept.current?.get(id);
      if (!row) return;
      kept.current = new Map(kept.current).set(id, heard(row, event));
      set(kept.current);
    },
    [set, reload],
  );
  const all = ids.flatMap((id) => data?.get(id) ?? []);
  const runs = ids.flatMap((id, index) => {
    const row = data?.get(id);
    return row ? [{ id, label: labelOf(row, all), color: colorOf(index), dashed: isDashed(index), row }] : [];
  });
  const missing = resource.data ? ids.filter((id) => !resource.data!.has(id)) : [];
  return { runs, missing, loading: resource.loading, error: resource.error, reload, hear };
}
