// What the endpoint takes: asked of it as any client would, and made into a first request.
import { useMemo, useState } from "react";
import type { Deployment, Endpoint } from "../../lib/endpoint";
import { useResource } from "../../lib/resource";
import { callEndpoint, complaint, type Credential } from "./call_endpoint";
import { sampleOfSwagger, sampleRequest } from "./sample";
import type { ModelMetadata } from "./tensor";

export interface Sample {
  /** Of the model that answers v2; undefined for a score.py. */
  metadata: ModelMetadata | undefined;
  body: unknown;
  loading: boolean;
  error: Error | undefined;
  /** No replica is up, and a question would start one. */
  asleep: boolean;
  ask: () => void;
}

/** The deployment that is asked if none is chosen: the one with most traffic. */
export function usualDeployment(endpoint: Endpoint): Deployment | undefined {
  const share = (one: Deployment) => endpoint.traffic[one.name] ?? 0;
  return [...endpoint.deployments].sort((a, b) => share(b) - share(a))[0];
}

export const speaksV2 = (deployment: Deployment | undefined): boolean => deployment?.runtime === "onnx" && deployment.models.length > 0;

async function fetchShape(endpoint: Endpoint, deployment: Deployment, model: string | undefined, credential: Credential): Promise<ModelMetadata | { swagger: unknown }> {
  const path = model ? `/v2/models/${encodeURIComponent(model)}` : "/swagger.json";
  const answer = await callEndpoint(endpoint, path, credential, deployment.name);
  if (answer.status !== 200) {
    // A score.py need not have a schema.
    if (!model && answer.status < 500 && answer.status !== 401 && answer.status !== 403) return { swagger: undefined };
    throw new Error(complaint(answer));
  }
  return model ? (answer.json as ModelMetadata) : { swagger: answer.json };
}

export function useSample(endpoint: Endpoint, deployment: Deployment | undefined, model: string | undefined, credential: Credential | undefined): Sample {
  const [asked, setAsked] = useState(false);
  const asleep = deployment !== undefined && deployment.ready === 0 && !asked;
  const key = deployment && credential && !asleep ? `endpoint-shape/${endpoint.workspace}/${endpoint.name}/${deployment.name}/${deployment.revision}/${model ?? ""}` : null;
  const shape = useResource(key, () => fetchShape(endpoint, deployment!, model, credential!));
  const { data } = shape;
  const metadata = data && "inputs" in data ? data : undefined;
  const body = useMemo(() => (metadata ? sampleRequest(metadata) : data && "swagger" in data ? sampleOfSwagger(data.swagger) : undefined), [data]);
  const ask = () => {
    setAsked(true);
    shape.reload();
  };
  return { metadata, body, loading: shape.loading, error: shape.error, asleep, ask };
}
