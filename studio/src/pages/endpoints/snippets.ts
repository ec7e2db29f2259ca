// Commands that call an endpoint, to copy. A key is never in them: they read it from a variable.
import type { Auth } from "../../lib/endpoint";
import { readableJson } from "./sample";
import { elementsOf, type InferInput, type ModelMetadata } from "./tensor";

export const LANGUAGES = [
  { id: "curl", title: "curl" },
  { id: "python", title: "Python" },
  { id: "tritonclient", title: "tritonclient" },
  { id: "azureml", title: "azureml SDK" },
] as const;
export type Language = (typeof LANGUAGES)[number]["id"];

export interface Called {
  name: string;
  workspace: string;
  auth: Auth;
  base_uri: string;
  scoring_uri: string;
  /** What answers v2; none for a score.py. */
  model?: Pick<ModelMetadata, "name" | "inputs"> | undefined;
  /** What the request form begins with. */
  sample: unknown;
}

export const KEY_VARIABLE = "ENDPOINT_KEY";
const MOST_INLINE = 600;

/** Within single quotes of a shell. */
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const python = (text: string): string => JSON.stringify(text);

export const inferUri = (baseUri: string, model: string): string => `${baseUri.replace(/\/$/, "")}/v2/models/${encodeURIComponent(model)}/infer`;
const uriOf = ({ base_uri, scoring_uri, model }: Called): string => (model ? inferUri(base_uri, model.name) : scoring_uri);

const fillsIn = (sample: unknown): boolean => ((sample as { inputs?: InferInput[] } | null)?.inputs ?? []).some((input) => typeof input?.data === "string");

function curl(called: Called): string {
  const body = JSON.stringify(called.sample);
  const long = body.length > MOST_INLINE || fillsIn(called.sample);
  const lines = [`curl ${shellQuoted(uriOf(called))}`];
  if (called.auth !== "none") lines.push(`  -H "Authorization: Bearer $${KEY_VARIABLE}"`);
  lines.push("  -H 'Content-Type: application/json'", long ? "  --data-binary @request.json" : `  -d ${shellQuoted(body)}`);
  const command = lines.join(" \\\n");
  return long ? `${command}\n# request.json: ${shortened(called.sample)}` : command;
}

/** A body of which long lists are only counted. */
function shortened(sample: unknown): string {
  const { inputs } = (sample ?? {}) as { inputs?: InferInput[] };
  if (!inputs) return "what \"Try it\" sends";
  return `{"inputs": [${inputs.map(({ name, shape, datatype }) => `{"name": ${python(name)}, "shape": ${JSON.stringify(shape)}, "datatype": ${python(datatype)}, "data": [${elementsOf(shape)} values]}`).join(", ")}]}`;
}

/** A JSON value as Python writes it. */
export function pythonLiteral(value: unknown, indent = ""): string {
  const names: Record<string, string> = { true: "True", false: "False", null: "None" };
  // Strings stay as they are: in JSON a word outside of one is true, false or null.
  return readableJson(value, indent).replace(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (found) => names[found] ?? found);
}

function pythonBody(called: Called): string {
  if (!fillsIn(called.sample)) return `body = ${pythonLiteral(called.sample)}`;
  const inputs = (called.sample as { inputs: InferInput[] }).inputs.map(({ data, ...rest }) => {
    const count = rest.shape.join(" * ") || "1";
    return typeof data === "string" ? `{${Object.entries(rest).map(([key, value]) => `${python(key)}: ${JSON.stringify(value)}`).join(", ")}, "data": [0] * (${count})}` : pythonLiteral({ ...rest, data }, "  ");
  });
  return `body = {"inputs": [\n  ${inputs.join(",\n  ")},\n]}`;
}

function plainPython(called: Called): string {
  const key = called.auth !== "none";
  const headers = `{"Content-Type": "application/json"${key ? `, "Authorization": "Bearer " + os.environ[${python(KEY_VARIABLE)}]` : ""}}`;
  return `import json${key ? ", os" : ""}, urllib.request

${pythonBody(called)}
request = urllib.request.Request(
    ${python(uriOf(called))},
    data=json.dumps(body).encode(),
    headers=${headers})
print(json.load(urllib.request.urlopen(request)))`;
}

const NUMPY: Record<string, string> = { BOOL: "bool", FP16: "float16", FP32: "float32", FP64: "float64", BYTES: "object" };
const numpyOf = (datatype: string): string => NUMPY[datatype] ?? datatype.toLowerCase();

function tritonclient(called: Called): string | undefined {
  const { model, base_uri, auth } = called;
  if (!model) return undefined;
  const secure = base_uri.startsWith("https:");
  const inputs = (called.sample as { inputs?: InferInput[] }).inputs ?? [];
  const each = inputs.map((input, i) => {
    const shape = JSON.stringify(input.shape);
    const value = input.datatype === "BYTES" ? `np.full(${shape}, b"text", dtype=object)` : `np.zeros(${shape}, dtype=np.${numpyOf(input.datatype).replace(/^bool$/, "bool_")})`;
    return `inputs.append(http.InferInput(${python(input.name)}, ${shape}, ${python(input.datatype)}))\ninputs[${i}].set_data_from_numpy(${value})`;
  });
  const headers = auth === "none" ? "" : `, headers={"Authorization": "Bearer " + os.environ[${python(KEY_VARIABLE)}]}`;
  return `# pip install tritonclient[http]
${auth === "none" ? "" : "import os\n"}import numpy as np
import tritonclient.http as http

client = http.InferenceServerClient(${python(base_uri.replace(/^https?:\/\//, "").replace(/\/$/, ""))}${secure ? ", ssl=True" : ""})
inputs = []
${each.join("\n")}
answer = client.infer(${python(model.name)}, inputs${headers})
print(answer.get_response())`;
}

const azureml = (called: Called): string => `import json
from azureml.core import Webservice, Workspace

service = Webservice(Workspace.from_config(), ${python(called.name)})
print(service.run(json.dumps(${called.model || fillsIn(called.sample) ? '{"data": [...]}' : pythonLiteral(called.sample)})))`;

/** undefined where the endpoint cannot be called so. */
export function snippet(language: Language, called: Called): string | undefined {
  return { curl, python: plainPython, tritonclient, azureml }[language](called);
}
