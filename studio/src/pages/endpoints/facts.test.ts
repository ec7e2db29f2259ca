import { expect, test } from "vitest";
import type { DeploymentStatistics, Endpoint } from "../../lib/endpoint";
import { chartsOf, deploymentNameProblem, endpointNameProblem, errorsText, milliseconds, problemsOf, rate, totalsOf } from "./facts";

const one = (name: string, rest: Partial<DeploymentStatistics> = {}): DeploymentStatistics => ({
  name, version: "birds:1", revision: 1, requests: 10, errors: 1, by_status: {}, requests_per_second: 2, p50_ms: 1, p99_ms: 5, in_flight: 0, waiting: 0, shadow_requests: 0, shadow_errors: 0,
  points: [{ at: "1970-01-01T00:01:40Z", requests_per_second: 2, errors_per_second: 0, p50_ms: 1, p99_ms: 5 }, { at: "1970-01-01T00:01:45Z", requests_per_second: 0, errors_per_second: 0, p50_ms: 0, p99_ms: 0 }], ...rest,
});

test("totals add up, the slowest counts", () => {
  expect(totalsOf({ front: { up: true }, deployments: [one("blue"), one("green", { p99_ms: 9 })] })).toEqual({ requestsPerSecond: 4, p50: 1, p99: 9, requests: 20, errors: 2 });
  expect(totalsOf({ front: { up: true }, deployments: [] }).p99).toBeNull();
});

test("three charts with a colour for each deployment", () => {
  const [requests, latency] = chartsOf({ front: { up: true }, deployments: [one("blue"), one("green")] }, ["blue", "green"]);
  expect(requests!.curves.map((curve) => [curve.label, curve.color, curve.x[0], curve.y[0]])).toEqual([["blue", "--c1", 100, 2], ["green", "--c2", 100, 2]]);
  expect(latency!.curves.map((curve) => [curve.label, curve.y[0], curve.dashed])).toEqual([["blue p50", 1, true], ["blue p99", 5, false], ["green p50", 1, true], ["green p99", 5, false]]);
  expect(latency!.curves[0]!.y).toEqual([1, null]);
});

test("numbers in words", () => {
  expect([0.123, 4.25, 40, 1500, null].map(milliseconds)).toEqual(["0.12 ms", "4.3 ms", "40 ms", "1.5 s", "–"]);
  expect([0, 0.05, 2.345, 1234].map(rate)).toEqual(["0", "0.05", "2.3", "1,234"]);
  expect(errorsText({ requests: 1000, errors: 5 })).toBe("5 (0.5 %)");
  expect(errorsText({ requests: 0, errors: 0 })).toBe("0");
});

test("an error that the endpoint has from its deployment is told once", () => {
  const error = { code: "ModelFailed", message: "no such file", details: [{ code: "x", message: "traceback" }] };
  const endpoint = { error, deployments: [{ name: "blue", error }, { name: "green", error: null }] } as unknown as Endpoint;
  expect(problemsOf(endpoint)).toEqual([{ where: "", code: "ModelFailed", message: "no such file", details: ["traceback"] }]);
});

test("names", () => {
  expect(endpointNameProblem("birds-2")).toBeUndefined();
  expect(deploymentNameProblem("b")).toBeUndefined();
  for (const bad of ["", "Birds", "2birds", "ab", "a_b", "a".repeat(33)]) expect(endpointNameProblem(bad)).toBeTruthy();
});
