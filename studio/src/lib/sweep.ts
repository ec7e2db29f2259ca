// What the server says of sweeps: the types of api/openapi.yaml, with more said of parameters, which may be anything there.
import { api, segment, type Schemas } from "./api";

export type Expression = Schemas["SearchDimension"]["expression"];
export type Parameter = string | number | boolean | null | unknown[] | { [key: string]: unknown };
export type Parameters = Record<string, Parameter>;
/** NaN and the infinities come as strings. */
export type Value = Schemas["OptionalNumber"];

export type SweepDimension = Omit<Schemas["SearchDimension"], "values" | "when"> & {
  values: Parameter[];
  when?: { name: string; values: Parameter[] } | null;
};
export type SweepSpec = Omit<Schemas["SweepSpec"], "run" | "space" | "sampling" | "policy"> & {
  space: SweepDimension[];
  sampling: { type: string; seed?: number | null };
  policy?: { type: string; [setting: string]: unknown } | null;
};
export type SweepCounts = Schemas["Sweep"]["counts"];
export type Sweep = Omit<Schemas["Sweep"], "spec" | "best"> & {
  spec: SweepSpec;
  best: null | (Omit<NonNullable<Schemas["Sweep"]["best"]>, "parameters"> & { parameters: Parameters });
};
export type Trial = Omit<Schemas["Trial"], "parameters"> & { parameters: Parameters };
export type TrialPage = Omit<Schemas["TrialList"], "trials"> & { trials: Trial[] };
export type SweepUpdate = Schemas["UpdateSweep"];

/** The most trials that the server gives in one answer. */
export const MOST_TRIALS = 10_000;
export const sweepUrl = (id: string): string => `/sweeps/${segment(id)}`;
export const trialsUrl = (id: string): string => `${sweepUrl(id)}/trials`;

export const listSweeps = (workspace: string): Promise<{ sweeps: Sweep[] }> => api.get(`/workspaces/${segment(workspace)}/sweeps`, { limit: 500 });
export const getSweep = (id: string): Promise<Sweep> => api.get(sweepUrl(id));
export const updateSweep = (id: string, change: SweepUpdate): Promise<Sweep> => api.patch(sweepUrl(id), change);
export const listTrials = (id: string, query: { limit: number; after?: number }): Promise<TrialPage> => api.get(trialsUrl(id), query);
export const addTrial = (id: string, parameters: Parameters): Promise<Trial> => api.post(trialsUrl(id), { parameters });

export const sweepPath = (id: string): string => `/sweeps/${encodeURIComponent(id)}`;

/** The type of a sweep's own run. */
export const SWEEP_TYPE = "hyperdrive";

/** The sweep that a run is a trial of: the server names trials by their sweep and number. */
export function sweepOf({ id, parent }: { id: string; parent: string | null }): { id: string; trial: number } | undefined {
  if (!parent?.startsWith("HD_") || !id.startsWith(`${parent}_`)) return undefined;
  const number = id.slice(parent.length + 1);
  return /^\d+$/.test(number) ? { id: parent, trial: Number(number) } : undefined;
}
