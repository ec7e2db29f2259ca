// Made endpoints: what the server and the endpoints themselves would answer. Changes are kept.
import type { Deployment, DeploymentStatistics, Endpoint, EndpointRevision, Keys, Replica, Shares } from "../src/lib/endpoint";

const BEGIN = Date.UTC(2026, 10, 18, 8, 0, 0);
const at = (seconds: number): string => new Date(BEGIN + seconds * 1000).toISOString();
export const FORMS = { inputs: [{ name: "picture", datatype: "FP32", shape: [-1, 3, 32, 32] }], outputs: [{ name: "scores", datatype: "FP32", shape: [-1, 4] }] };

const replica = (run: string, state: Replica["state"], version: string): Replica => ({ run, revision: 1, version, state, status: "Running", message: "", node: null, created_at: at(0), ready_at: null, load: null });

function deployment(name: string, model: string, replicas: number, more: Partial<Deployment> = {}): Deployment {
  const [modelName = "", version = "1"] = model.split(":");
  return {
    name, models: [{ id: model, name: modelName, version: Number(version) }], runtime: "onnx", code: null, environment: {}, environment_variables: {}, threads: { intra_op: 0 }, properties: {}, restarts: 0,
    replicas: { min: 1, max: 4, target_utilization: 70, idle_seconds: 300 }, workers: 1, max_concurrent_requests: null, queue_limit: 256, queue_wait_ms: 500, scoring_timeout_ms: 60000,
    batching: { max_batch: 32, max_delay_us: 0 }, description: "", tags: {}, state: "Healthy", error: null, revision: 1, ready: replicas, wanted: replicas,
    replicas_now: Array.from({ length: replicas }, (_, i) => ({
      ...replica(`endpoint-birds-${name}_${i + 1}_4f1c`, "ready", model), node: `local-${i}`, ready_at: at(60 * i + 3), load: { in_flight: i, queued: 0, requests: 1200 + 40 * i, errors: 0 },
    })),
    ...more,
  };
}

function endpoint(name: string, deployments: Deployment[], traffic: Shares, more: Partial<Endpoint> = {}): Endpoint {
  const base = `http://127.0.0.1:41230/endpoints/${name}`;
  return {
    name, workspace: "default", slug: name, path: `/endpoints/${name}`, properties: {}, settings: {}, kind: "roost", state: "Healthy", error: null, steps: [{ at: at(0), text: "submitted 1 replica of blue" }, { at: at(9), text: "blue is ready" }],
    description: "", tags: {}, compute: "local", auth: "key", port: null, scoring_uri: `${base}/score`, swagger_uri: `${base}/swagger.json`, base_uri: base,
    traffic, shadow: {}, default: deployments[0]?.name ?? "", revision: 3, created_at: at(0), updated_at: at(3600), created_by: "anna", deployments, ...more,
  };
}

function statistics(name: string, share: number, errors: number): DeploymentStatistics {
  const points = Array.from({ length: 60 }, (_, i) => {
    const wave = 1 + 0.3 * Math.sin(i / 6) + 0.1 * Math.sin(i * 2.3);
    return { at: at(5 * i), requests_per_second: 4.2 * share * wave, errors_per_second: i % 20 === 13 ? errors / 100 : 0, p50_ms: 3.1 * wave, p99_ms: 7.4 * wave + (i % 17 === 3 ? 5 : 0) };
  });
  return { name, version: "bird-net:3", revision: 1, requests: Math.round(1250 * share), errors, by_status: errors ? { 200: Math.round(1250 * share) - errors, 503: errors } : { 200: Math.round(1250 * share) }, requests_per_second: 4.2 * share, p50_ms: 3.1, p99_ms: 8.9, in_flight: 1, waiting: 0, shadow_requests: 0, shadow_errors: 0, points };
}

const TRACEBACK = 'Traceback (most recent call last):\n  File "score.py", line 9, in init\n    model = joblib.load(path)\nFileNotFoundError: [Errno 2] No such file or directory: \'azureml-models/prices/1/model.pkl\'';

const REVISIONS: EndpointRevision[] = [
  { revision: 3, why: "traffic", created_at: at(3600), created_by: "anna", traffic: { blue: 90, green: 10 }, deployments: [{ name: "blue", models: ["bird-net:3"] }, { name: "green", models: ["bird-net:4"] }] },
  { revision: 2, why: "deployment green", created_at: at(1800), created_by: "ben", traffic: { blue: 100 }, deployments: [{ name: "blue", models: ["bird-net:3"] }, { name: "green", models: ["bird-net:4"] }] },
  { revision: 1, why: "created", created_at: at(0), created_by: "anna", traffic: { blue: 100 }, deployments: [{ name: "blue", models: ["bird-net:3"] }] },
];

export interface MadeEndpoints {
  endpoints: Endpoint[];
  keys: Keys;
  statistics: Record<string, DeploymentStatistics[]>;
  log: string;
}

export function madeEndpoints(): MadeEndpoints {
  const failed = deployment("default", "prices:1", 0, { runtime: "python", code: { snapshot: "a", entry_script: "score.py", source_directory: "src" }, state: "Failed", wanted: 1, restarts: 5,
    replicas_now: [{ ...replica("endpoint-prices-default_1_9a7c", "failed", "prices:1"), node: "local-0", message: "FileNotFoundError: model.pkl" }] });
  return {
    endpoints: [
      endpoint("birds", [deployment("blue", "bird-net:3", 2), deployment("green", "bird-net:4", 1)], { blue: 90, green: 10 }, { description: "Tells chickens from turkeys." }),
      endpoint("prices", [failed], { default: 100 }, { state: "Failed", error: { code: "CrashLoopBackOff", statusCode: 400, message: "the replica ended 5 times while it was starting: FileNotFoundError: model.pkl", details: [{ code: "Exception", message: TRACEBACK }] }, steps: [{ at: at(0), text: "submitted 1 replica of default" }, { at: at(30), text: "the replica ended while it was starting; the next try is in 16 s" }] }),
      endpoint("sleepy", [deployment("default", "bird-net:2", 0, { replicas: { min: 0, max: 2, target_utilization: 70, idle_seconds: 120 } })], { default: 100 }, { auth: "none", revision: 1 }),
      endpoint("words", [deployment("default", "words:7", 0, { state: "Transitioning", wanted: 1, replicas_now: [replica("endpoint-words-default_1_77aa", "starting", "words:7")] })], { default: 100 }, { state: "Transitioning", revision: 1 }),
    ],
    keys: { primary: "pk-111111111111111111111111", secondary: "sk-222222222222222222222222" },
    statistics: { birds: [statistics("blue", 0.9, 0), statistics("green", 0.1, 3)] },
    log: "\x1b[32mready\x1b[0m: bird-net 3, 1 session, 2 threads\n" + Array.from({ length: 80 }, (_, i) => `08:0${Math.floor(i / 10) % 10}:${10 + (i % 50)} POST /v2/models/bird-net/infer 200 ${(3 + (i % 7) / 3).toFixed(1)} ms`).join("\n"),
  };
}

export interface Made {
  status?: number;
  json: unknown;
}

/** What the server would say to a request for /api/v1/workspaces/default/endpoints...; undefined if it is about something else. */
export function answerOf(made: MadeEndpoints, method: string, url: URL, body: any): Made | undefined {
  const path = url.pathname.replace("/api/v1/workspaces/default/endpoints", "");
  const [, name, what] = path.split("/");
  if (!name) {
    if (method !== "POST") return { json: { endpoints: made.endpoints } };
    const first = deployment(body.deployments[0].name, body.deployments[0].models[0], 0, { wanted: 1, state: "Transitioning" });
    made.endpoints.push(endpoint(body.name, [first], body.traffic, { state: "Transitioning", revision: 1, auth: body.auth }));
    return { status: 201, json: made.endpoints.at(-1) };
  }
  const found = made.endpoints.find((one) => one.name === name);
  if (!found) return { status: 404, json: { error: { code: "not_found", message: `there is no endpoint ${name} in workspace default` } } };
  if (what === "statistics") return { json: { deployments: made.statistics[name] ?? [], front: { up: true } } };
  if (what === "keys") {
    if (method === "POST") made.keys = { ...made.keys, [body.key]: "new-333333333333333333333333" };
    return { json: made.keys };
  }
  if (what === "logs") return { json: { text: made.log, replica: "endpoint-birds-blue_1_4f1c" } };
  if (what === "revisions") return { json: { revisions: REVISIONS } };
  if (what === "rollback") {
    Object.assign(found, { traffic: REVISIONS.find((one) => one.revision === body.revision)!.traffic, revision: found.revision + 1 });
    return { json: found };
  }
  if (what) return { json: found };
  if (method === "DELETE") made.endpoints = made.endpoints.filter((one) => one !== found);
  if (method === "PATCH") Object.assign(found, body, { revision: found.revision + 1 });
  return { json: found };
}

/** What an endpoint would answer: the form of the model, and scores that say turkey. */
export function scored(url: URL, headers: Record<string, string>, made: MadeEndpoints): Made {
  if (headers.authorization !== `Bearer ${made.keys.primary}`) return { status: 401, json: { error: "this endpoint needs a key" } };
  if (url.pathname.endsWith("/infer")) return { json: { model_name: "bird-net", model_version: "3", outputs: [{ name: "scores", datatype: "FP32", shape: [1, 4], data: [0.5, 4.1, -1.25, 1] }] } };
  return { json: { name: "bird-net", versions: ["3"], platform: "onnxruntime_onnx", ...FORMS } };
}
