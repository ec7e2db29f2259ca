// Requests to the endpoint itself, at the studio's own address, which passes them on.
import type { Endpoint } from "../../lib/endpoint";
import type { Encoded } from "./tensor";

export interface Answered {
  status: number;
  /** From sending to the last byte, as this browser saw it. */
  milliseconds: number;
  text: string;
  /** undefined if the answer is no JSON. */
  json: unknown;
  deployment: string | null;
  version: string | null;
  requestId: string | null;
}
export type Credential = Record<string, string>;

export async function callEndpoint(endpoint: Endpoint, path: string, credential: Credential, deployment: string, sent?: Encoded): Promise<Answered> {
  const headers: Record<string, string> = { ...credential, ...sent?.headers };
  if (deployment) headers["azureml-model-deployment"] = deployment;
  const start = performance.now();
  let response: Response;
  let text: string;
  try {
    // Without the cookie: who calls an endpoint is told by its key alone.
    response = await fetch(endpoint.path + path, { credentials: "omit", headers, ...(sent && { method: "POST", body: sent.body }) });
    text = await response.text();
  } catch {
    throw new Error("the endpoint does not answer: the connection was refused or cut; look at its state and its logs");
  }
  const milliseconds = performance.now() - start;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    json = undefined;
  }
  const { headers: told, status } = response;
  return { status, milliseconds, text, json, deployment: told.get("x-roost-deployment"), version: told.get("x-roost-version"), requestId: told.get("x-request-id") };
}

/** What an endpoint says is wrong: {"error": text} on v2, {"message": text} elsewhere. */
export function complaint({ status, json, text }: Pick<Answered, "status" | "json" | "text">): string {
  const said = (json ?? {}) as { error?: unknown; message?: unknown };
  const words = typeof said.error === "string" ? said.error : typeof said.message === "string" ? said.message : text.slice(0, 300);
  return `the endpoint answered ${status}${words ? `: ${words}` : ""}`;
}
