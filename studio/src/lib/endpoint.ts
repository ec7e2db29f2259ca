// What the server says of endpoints, and where things about them are.
import { api, segment, type Schemas } from "./api";

/** What a replica tells of itself, which may be anything to the server. */
interface Load {
  in_flight?: number;
  queued?: number;
  requests?: number;
  errors?: number;
}
export type Replica = Omit<Schemas["Replica"], "load"> & { load: Load | null };
export type Deployment = Omit<Schemas["Deployment"], "replicas_now"> & { replicas_now: Replica[] };
export type Endpoint = Omit<Schemas["Endpoint"], "deployments"> & { deployments: Deployment[] };
export type EndpointState = Schemas["ServiceState"];
export type EndpointRevision = Schemas["EndpointRevision"];
export type Auth = Endpoint["auth"];
/** Percent by deployment. */
export type Shares = Schemas["TrafficShares"];
export type Statistics = Schemas["EndpointStatistics"];
export type DeploymentStatistics = Schemas["DeploymentStatistics"];
export type StatisticsPoint = DeploymentStatistics["points"][number];
export type Keys = Schemas["EndpointKeys"];
export type WhichKey = keyof Keys;
export type EndpointUpdate = Schemas["UpdateEndpoint"];
export interface NewDeployment {
  models: string[];
  replicas: { min: number; max: number };
}

const all = (workspace: string): string => `/workspaces/${segment(workspace)}/endpoints`;
const one = (workspace: string, name: string): string => `${all(workspace)}/${segment(name)}`;

export const listEndpoints = (workspace: string): Promise<{ endpoints: Endpoint[] }> => api.get(all(workspace));
export const getEndpoint = (workspace: string, name: string): Promise<Endpoint> => api.get(one(workspace, name));
export const getStatistics = (workspace: string, name: string): Promise<Statistics> => api.get(`${one(workspace, name)}/statistics`);
export const getEndpointLogs = (workspace: string, name: string, query: { deployment?: string; replica?: string; lines: number }): Promise<Schemas["EndpointLog"]> =>
  api.get(`${one(workspace, name)}/logs`, query);
export const getKeys = (workspace: string, name: string): Promise<Keys> => api.get(`${one(workspace, name)}/keys`);
export const getToken = (workspace: string, name: string): Promise<Schemas["EndpointToken"]> => api.post(`${one(workspace, name)}/token`);
export const renewKey = (workspace: string, name: string, key: WhichKey): Promise<Keys> => api.post(`${one(workspace, name)}/keys`, { key, value: null });
export const updateEndpoint = (workspace: string, name: string, change: EndpointUpdate): Promise<Endpoint> => api.patch(one(workspace, name), change);
export const listRevisions = (workspace: string, name: string): Promise<Schemas["EndpointRevisionList"]> => api.get(`${one(workspace, name)}/revisions`);
export const rollBack = (workspace: string, name: string, revision: number): Promise<Endpoint> => api.post(`${one(workspace, name)}/rollback`, { revision });
export const restart = (workspace: string, name: string, deployment: string | null): Promise<Endpoint> => api.post(`${one(workspace, name)}/restart`, { deployment });
export const deleteEndpoint = (workspace: string, name: string): Promise<unknown> => api.remove(one(workspace, name));
export const createEndpoint = (workspace: string, name: string, auth: Auth, deployment: NewDeployment & { name: string }): Promise<Endpoint> =>
  api.post(all(workspace), { name, auth, traffic: { [deployment.name]: 100 }, deployments: [deployment] });
export const putDeployment = (workspace: string, name: string, deployment: string, what: NewDeployment): Promise<unknown> =>
  api.put(`${one(workspace, name)}/deployments/${segment(deployment)}`, what);

export const deleteDeployment = (workspace: string, name: string, deployment: string): Promise<Endpoint> => api.remove(`${one(workspace, name)}/deployments/${segment(deployment)}`);

/** Where others call it; by the server, which passes requests on, while the front's own address is not known. */
export function addressesOf({ scoring_uri, base_uri, swagger_uri, path }: Endpoint): { scoring: string; base: string; swagger: string } {
  const base = base_uri || location.origin + path;
  return { base, scoring: scoring_uri || `${base}/score`, swagger: swagger_uri || `${base}/swagger.json` };
}

export const endpointPath = (workspace: string, name: string, tab = ""): string => `/w/${segment(workspace)}/endpoints/${segment(name)}${tab && `/${tab}`}`;
