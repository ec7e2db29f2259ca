// What the server says of endpoints, and where things about them are.
import { api, segment } from "./api";

export type EndpointState = "Transitioning" | "Healthy" | "Unhealthy" | "Unschedulable" | "Failed";
export type Auth = "none" | "key" | "token";
/** Percent by deployment. */
export type Shares = Record<string, number>;

export interface EndpointError {
  code: string;
  message: string;
  details?: { code: string; message: string }[];
}
export interface Replica {
  run: string;
  state: "starting" | "ready" | "stopping" | "failed";
  node: string | null;
  started_at: string | null;
  restarts: number;
  load: { in_flight?: number; queued?: number; requests?: number; errors?: number };
}
export interface Deployment {
  name: string;
  models: { id: string; name: string; version: number }[];
  runtime: "onnx" | "python" | "sklearn" | null;
  code: null | { snapshot: string; entry_script: string; source_directory: string };
  replicas: { min: number; max: number; target_utilization: number; idle_seconds: number };
  workers: number;
  max_concurrent_requests: number | null;
  queue_limit: number;
  queue_wait_ms: number;
  scoring_timeout_ms: number;
  batching: { max_batch: number; max_delay_us: number };
  description: string;
  tags: Record<string, string | null>;
  state: EndpointState;
  error: EndpointError | null;
  revision: number;
  ready: number;
  wanted: number;
  replicas_now: Replica[];
}
export interface Endpoint {
  name: string;
  workspace: string;
  kind: "roost" | "aci" | "aks" | "local";
  state: EndpointState;
  error: EndpointError | null;
  steps: { at: string; text: string }[];
  description: string;
  tags: Record<string, string | null>;
  compute: string | null;
  auth: Auth;
  port: number | null;
  scoring_uri: string;
  swagger_uri: string;
  base_uri: string;
  traffic: Shares;
  shadow: Shares;
  default: string;
  revision: number;
  created_at: string;
  updated_at: string;
  created_by: string;
  deployments: Deployment[];
}
export interface StatisticsPoint {
  at: string;
  requests_per_second: number;
  errors_per_second: number;
  p50_ms: number | null;
  p99_ms: number | null;
}
export interface DeploymentStatistics {
  name: string;
  version: string;
  revision: number;
  requests: number;
  errors: number;
  by_status: Record<string, number>;
  requests_per_second: number;
  p50_ms: number | null;
  p99_ms: number | null;
  in_flight: number;
  waiting: number;
  points: StatisticsPoint[];
}
export interface Statistics {
  deployments: DeploymentStatistics[];
  front: { up: boolean };
}
export interface Keys {
  primary: string;
  secondary: string;
}
export type WhichKey = keyof Keys;
export interface Serves {
  workspace: string;
  endpoint: string;
  deployment: string;
}
export interface EndpointUpdate {
  traffic?: Shares;
  shadow?: Shares;
  description?: string;
}
export interface NewDeployment {
  models: string[];
  replicas: { min: number; max: number };
}

const all = (workspace: string): string => `/workspaces/${segment(workspace)}/endpoints`;
const one = (workspace: string, name: string): string => `${all(workspace)}/${segment(name)}`;

export const listEndpoints = (workspace: string): Promise<{ endpoints: Endpoint[] }> => api.get(all(workspace));
export const getEndpoint = (workspace: string, name: string): Promise<Endpoint> => api.get(one(workspace, name));
export const getStatistics = (workspace: string, name: string): Promise<Statistics> => api.get(`${one(workspace, name)}/statistics`);
export const getEndpointLogs = (workspace: string, name: string, query: { deployment?: string; replica?: string; lines: number }): Promise<{ text: string }> =>
  api.get(`${one(workspace, name)}/logs`, query);
export const getKeys = (workspace: string, name: string): Promise<Keys> => api.get(`${one(workspace, name)}/keys`);
export const getToken = (workspace: string, name: string): Promise<{ token: string }> => api.post(`${one(workspace, name)}/token`, {});
export const renewKey = (workspace: string, name: string, key: WhichKey): Promise<Keys> => api.post(`${one(workspace, name)}/keys`, { key, value: null });
export const updateEndpoint = (workspace: string, name: string, change: EndpointUpdate): Promise<Endpoint> => api.patch(one(workspace, name), change);
export const rollBack = (workspace: string, name: string): Promise<Endpoint> => api.post(`${one(workspace, name)}/rollback`, {});
export const restart = (workspace: string, name: string, deployment: string | null): Promise<Endpoint> => api.post(`${one(workspace, name)}/restart`, { deployment });
export const deleteEndpoint = (workspace: string, name: string): Promise<unknown> => api.remove(one(workspace, name));
export const createEndpoint = (workspace: string, name: string, auth: Auth, deployment: NewDeployment & { name: string }): Promise<Endpoint> =>
  api.post(all(workspace), { name, auth, traffic: { [deployment.name]: 100 }, deployments: [deployment] });
export const putDeployment = (workspace: string, name: string, deployment: string, what: NewDeployment): Promise<unknown> =>
  api.put(`${one(workspace, name)}/deployments/${segment(deployment)}`, what);

export const endpointPath = (workspace: string, name: string, tab = ""): string => `/w/${segment(workspace)}/endpoints/${segment(name)}${tab && `/${tab}`}`;

/** Where this page reaches the endpoint: at its own origin, since it may call no other. */
export function callPath({ base_uri, name }: Pick<Endpoint, "base_uri" | "name">): string {
  const path = /^https?:\/\/[^/]+(\/endpoints\/[^?#]+?)\/?$/.exec(base_uri)?.[1];
  return path ?? `/endpoints/${segment(name)}`;
}
