// What the numbers of an endpoint say: totals for the list, curves for its page.
import type { DeploymentStatistics, Endpoint, EndpointState, Statistics, StatisticsPoint } from "../../lib/endpoint";
import type { Curve } from "../../ui/chart";
import type { Unit } from "../../ui/chart/ticks";

/** The look of the run state that means the same. */
export const LOOKS: Record<EndpointState, string> = {
  Healthy: "status-Completed", Transitioning: "status-Queued", Unhealthy: "status-Failed", Unschedulable: "status-Failed", Failed: "status-Failed",
};
export const REPLICA_LOOKS: Record<string, string> = { ready: "status-Completed", starting: "status-Queued", stopping: "", failed: "status-Failed" };

export interface Totals {
  requestsPerSecond: number;
  /** Of the slowest deployment; null before the first request. */
  p50: number | null;
  p99: number | null;
  requests: number;
  errors: number;
}

export function totalsOf(statistics: Statistics): Totals {
  const all = statistics.deployments;
  const sum = (value: (one: DeploymentStatistics) => number) => all.reduce((total, one) => total + value(one), 0);
  const asked = all.filter((one) => one.requests > 0);
  const slowest = (value: (one: DeploymentStatistics) => number) => (asked.length > 0 ? Math.max(...asked.map(value)) : null);
  return { requestsPerSecond: sum((one) => one.requests_per_second), p50: slowest((one) => one.p50_ms), p99: slowest((one) => one.p99_ms), requests: sum((one) => one.requests), errors: sum((one) => one.errors) };
}

export function milliseconds(value: number | null | undefined): string {
  if (value === null || value === undefined) return "–";
  if (value < 1) return `${value.toFixed(2)} ms`;
  return value < 1000 ? `${value.toFixed(value < 10 ? 1 : 0)} ms` : `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)} s`;
}

export function rate(value: number): string {
  return value === 0 ? "0" : value < 0.1 ? value.toFixed(2) : value < 10 ? value.toFixed(1) : Math.round(value).toLocaleString("en-US");
}

export function errorsText({ requests, errors }: Pick<Totals, "requests" | "errors">): string {
  if (errors === 0) return "0";
  const percent = (100 * errors) / Math.max(1, requests);
  return `${errors.toLocaleString("en-US")} (${percent < 0.1 ? "<0.1" : percent.toFixed(percent < 10 ? 1 : 0)} %)`;
}

const COLORS = ["--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7", "--c8"];
/** Each deployment has the same colour everywhere on the page. */
export const colorOf = (names: readonly string[], name: string): string => COLORS[Math.max(0, names.indexOf(name)) % COLORS.length]!;

export interface EndpointChart {
  title: string;
  unit: Unit;
  curves: Curve[];
}

/** While nobody asks there is none. */
const latency = (point: StatisticsPoint, value: number): number | null => (point.requests_per_second > 0 ? value : null);

export function chartsOf({ deployments }: Statistics, names: readonly string[]): EndpointChart[] {
  const curve = (one: DeploymentStatistics, id: string, label: string, value: (point: StatisticsPoint) => number | null, dashed = false): Curve => ({
    id: `${one.name} ${id}`,
    label,
    color: colorOf(names, one.name),
    x: one.points.map((point) => Date.parse(point.at) / 1000),
    y: one.points.map((point) => value(point)),
    dashed,
  });
  const several = deployments.length > 1;
  return [
    { title: "Requests/s", unit: "1/s", curves: deployments.map((one) => curve(one, "requests", one.name, (point) => point.requests_per_second)) },
    {
      title: "Latency",
      unit: "ms",
      curves: deployments.flatMap((one) => [
        curve(one, "p50", several ? `${one.name} p50` : "p50", (point) => latency(point, point.p50_ms), true),
        curve(one, "p99", several ? `${one.name} p99` : "p99", (point) => latency(point, point.p99_ms)),
      ]),
    },
    { title: "Errors/s", unit: "1/s", curves: deployments.map((one) => curve(one, "errors", one.name, (point) => point.errors_per_second)) },
  ];
}

/** What to look at first: an endpoint's own error, or that of a deployment. */
export function problemsOf(endpoint: Endpoint): { where: string; code: string; message: string; details: string[] }[] {
  const told = [{ where: "", error: endpoint.error }, ...endpoint.deployments.map((one) => ({ where: one.name, error: one.error }))];
  return told.flatMap(({ where, error }) =>
    error ? [{ where, code: error.code, message: error.message, details: error.details.map((one) => one.message).filter((text) => text !== error.message) }] : [],
  ).filter((one, i, all) => all.findIndex((other) => other.message === one.message) === i);
}

/** The name of an endpoint or deployment is part of an address. */
export function nameProblem(name: string, least: number): string | undefined {
  if (name === "") return "It needs a name.";
  if (!/^[a-z][a-z0-9-]*$/.test(name) || name.length < least || name.length > 32) return `Lower-case letters, digits and dashes, ${least} to 32, a letter first.`;
  return undefined;
}
export const endpointNameProblem = (name: string): string | undefined => nameProblem(name, 3);
export const deploymentNameProblem = (name: string): string | undefined => nameProblem(name, 1);
