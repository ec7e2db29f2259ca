// What the server says of sweeps. These types stand in for those of api/openapi.yaml: once it has them, the interfaces
// become `Schemas["Sweep"]` and so on, and nothing else changes.
import { api, segment } from "./api";

export type Expression =
  | "choice" | "randint" | "uniform" | "loguniform" | "normal" | "lognormal" | "quniform" | "qloguniform" | "qnormal" | "qlognormal";
export type Parameter = string | number | boolean | null | unknown[] | { [key: string]: unknown };
/** NaN and the infinities come as strings. */
export type Value = number | string | null;

export interface SweepDimension {
  name: string;
  expression: Expression;
  values: Parameter[];
  when?: { name: string; values: Parameter[] } | null;
}

export interface SweepSpec {
  run: Record<string, unknown>;
  space: SweepDimension[];
  sampling: { type: string; seed?: number | null };
  metric: { name: string; goal: "maximize" | "minimize" };
  policy?: { type: string; [setting: string]: unknown } | null;
  max_total_runs: number;
  max_concurrent_runs?: number | null;
  max_duration_minutes?: number | null;
  resume_from?: string[];
  resume_child_runs?: string[];
}

export interface SweepCounts {
  waiting: number;
  running: number;
  completed: number;
  stopped: number;
  failed: number;
  canceled: number;
  paused: number;
}

export interface Sweep {
  id: string;
  workspace: string;
  experiment: string;
  status: string;
  phase: "running" | "paused" | "stopping" | "ended";
  message: string;
  created_at: string;
  ended_at: string | null;
  created_by: string;
  spec: SweepSpec;
  space_size: number | null;
  counts: SweepCounts;
  metrics_seen: string[];
  best: null | { trial: number; run: string; value: Value; parameters: Record<string, Parameter> };
}

export interface Trial {
  number: number;
  run: string;
  parameters: Record<string, Parameter>;
  status: string;
  origin: string;
  best: Value;
  last: Value;
  intervals: number;
  reason: string;
  created_at: string;
  started_at: string | null;
  ended_at: string | null;
}

export interface TrialPage {
  trials: Trial[];
  next: number | null;
  /** What to give as `since` the next time. A server that does not tell it is asked by number instead. */
  change?: number | string | null;
}

export interface SweepUpdate {
  paused?: boolean;
  stop?: true;
  max_total_runs?: number;
  max_concurrent_runs?: number;
}

export const listSweeps = (workspace: string): Promise<{ sweeps: Sweep[] }> => api.get(`/workspaces/${segment(workspace)}/sweeps`, { limit: 500 });
export const getSweep = (id: string): Promise<Sweep> => api.get(`/sweeps/${segment(id)}`);
export const updateSweep = (id: string, change: SweepUpdate): Promise<Sweep> => api.patch(`/sweeps/${segment(id)}`, change);
export const listTrials = (id: string, query: { limit?: number; after?: number; since?: number | string }): Promise<TrialPage> =>
  api.get(`/sweeps/${segment(id)}/trials`, query);

export const sweepPath = (id: string): string => `/sweeps/${encodeURIComponent(id)}`;
