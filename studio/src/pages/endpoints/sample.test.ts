import { expect, test } from "vitest";
import { expandedRequest, readableJson, sampleOfSwagger, sampleRequest } from "./sample";

test("a sample has a value for each place, and 1 where a size may vary", () => {
  const made = sampleRequest({ inputs: [
    { name: "ids", datatype: "INT64", shape: [-1, 3] },
    { name: "text", datatype: "BYTES", shape: [-1] },
    { name: "mask", datatype: "BOOL", shape: [2] },
    { name: "x", datatype: "FP32", shape: [] },
  ] });
  expect(made.inputs).toEqual([
    { name: "ids", datatype: "INT64", shape: [1, 3], data: [1, 1, 1] },
    { name: "text", datatype: "BYTES", shape: [1], data: ["text"] },
    { name: "mask", datatype: "BOOL", shape: [2], data: [true, false] },
    { name: "x", datatype: "FP32", shape: [], data: [0.5] },
  ]);
});

test("a large input stands as one word and is filled when it is sent", () => {
  const made = sampleRequest({ inputs: [{ name: "x", datatype: "FP32", shape: [-1, 3, 8, 8] }] });
  expect(made.inputs[0]!.data).toBe("zeros");
  expect(expandedRequest(readableJson(made))).toEqual({ inputs: [{ name: "x", datatype: "FP32", shape: [1, 3, 8, 8], data: new Array(192).fill(0) }] });
  const random = { inputs: [{ name: "x", datatype: "INT64", shape: [2], data: "random" }], id: "a" };
  expect(expandedRequest(JSON.stringify(random), () => 0.7)).toEqual({ id: "a", inputs: [{ ...random.inputs[0], data: [1, 1] }] });
});

test("what is wrong with a body is told", () => {
  expect(() => expandedRequest("{")).toThrow("no JSON");
  expect(() => expandedRequest(JSON.stringify({ inputs: [{ name: "x", shape: [-1], datatype: "FP32", data: "ones" }] }))).toThrow("shape of x");
  expect(() => expandedRequest(JSON.stringify({ inputs: [{ name: "x", shape: [1e9], datatype: "FP32", data: "ones" }] }))).toThrow("more than this page sends");
  expect(expandedRequest("[1]")).toEqual([1]);
});

test("JSON reads by members, short lists on a line", () => {
  expect(readableJson({ inputs: [{ name: "x", shape: [1, 3], data: new Array(40).fill(0.5) }], id: "" })).toMatch(/^\{\n {2}"inputs": \[\n {4}\{\n {6}"name": "x",\n {6}"shape": \[1,3\],/);
  expect(JSON.parse(readableJson({ a: [{}, []], b: null }))).toEqual({ a: [{}, []], b: null });
});

test("the example of a score.py", () => {
  expect(sampleOfSwagger({ definitions: { ServiceInput: { example: { rows: [1] } } } })).toEqual({ rows: [1] });
  expect(sampleOfSwagger({ components: { schemas: { ServiceInput: { example: 3 } } } })).toBe(3);
  expect(sampleOfSwagger(undefined)).toEqual({ data: [[1, 2, 3, 4]] });
});
