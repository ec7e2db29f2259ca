import { expect, test } from "vitest";
import { pythonLiteral, shellQuoted, snippet, type Called } from "./snippets";

const model = { name: "bird net", inputs: [{ name: "x", datatype: "FP32", shape: [-1, 2] }] };
const sample = { inputs: [{ name: "x", datatype: "FP32", shape: [1, 2], data: [0.5, 0.5] }] };
const called: Called = { name: "birds", workspace: "default", auth: "key", base_uri: "http://here:1/endpoints/birds", scoring_uri: "http://here:1/endpoints/birds/score", model, sample };

test("curl calls v2 with the key from a variable", () => {
  expect(snippet("curl", called)).toBe(
    `curl 'http://here:1/endpoints/birds/v2/models/bird%20net/infer' \\\n  -H "Authorization: Bearer $ENDPOINT_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(sample)}'`,
  );
  expect(snippet("curl", { ...called, auth: "none" })).not.toContain("Authorization");
});

test("a score.py is called at its scoring URI, what is long from a file", () => {
  const script = snippet("curl", { ...called, model: undefined, sample: { text: "it's" } })!;
  expect(script).toContain("'http://here:1/endpoints/birds/score'");
  expect(script).toContain(`-d '{"text":"it'\\''s"}'`);
  expect(snippet("curl", { ...called, sample: { inputs: [{ ...sample.inputs[0], data: "zeros" }] } })).toContain('@request.json\n# request.json: {"inputs": [{"name": "x", "shape": [1,2], "datatype": "FP32", "data": [2 values]}]}');
  expect(shellQuoted("a'b")).toBe(`'a'\\''b'`);
});

test("Python writes its own words, but not in strings", () => {
  expect(pythonLiteral({ a: [true, false, null], b: "true or null" })).toBe('{\n  "a": [True,False,None],\n  "b": "true or null"\n}');
  expect(snippet("python", called)).toContain('"Authorization": "Bearer " + os.environ["ENDPOINT_KEY"]');
  expect(snippet("python", { ...called, sample: { inputs: [{ name: "x", datatype: "FP32", shape: [1, 3, 8, 8], data: "zeros" }] } })).toContain('"data": [0] * (1 * 3 * 8 * 8)}');
});

test("tritonclient takes the address without its scheme, and only v2", () => {
  const text = snippet("tritonclient", called)!;
  expect(text).toContain('InferenceServerClient("here:1/endpoints/birds")');
  expect(text).toContain("np.zeros([1,2], dtype=np.float32)");
  expect(snippet("tritonclient", { ...called, base_uri: "https://here/endpoints/birds" })).toContain('("here/endpoints/birds", ssl=True)');
  expect(snippet("tritonclient", { ...called, model: undefined })).toBeUndefined();
});

test("no snippet has a key in it", () => {
  for (const language of ["curl", "python", "tritonclient", "azureml"] as const) expect(snippet(language, called)).toBeTruthy();
  expect(snippet("azureml", called)).toContain('Webservice(Workspace.from_config(), "birds")');
});
