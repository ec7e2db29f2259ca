import { expect, test } from "vitest";
import { binaryBody, halfBits, pictureInput, pictureShape, pictureValues, rawBytes, usualScaling } from "./tensor";

const spec = (shape: number[], datatype = "FP32") => ({ name: "x", shape, datatype });

test("which inputs take a picture, and how", () => {
  expect(pictureInput(spec([-1, 3, 224, 200]))).toEqual({ channels: 3, height: 224, width: 200, first: true, batch: true, datatype: "FP32" });
  expect(pictureInput(spec([1, 28, 28, 1], "UINT8"))).toMatchObject({ channels: 1, height: 28, width: 28, first: false });
  expect(pictureInput(spec([-1, 3, -1, -1]))).toMatchObject({ height: null, width: null, first: true });
  expect(pictureInput(spec([64, 64, 3]))).toMatchObject({ first: false, batch: false });
  for (const shape of [[-1, 10], [8, 3, 224, 224], [-1, 5, 224, 224], [-1, 3, 3, 3], [1, 1, 1, 1], [1, 2, 3, 4, 5]]) expect(pictureInput(spec(shape))).toBeUndefined();
  expect(pictureInput(spec([1, 3, 8, 8], "BYTES"))).toBeUndefined();
});

// Two pixels beside each other: red and half-transparent white.
const TWO = [255, 0, 0, 255, 255, 255, 255, 128];

test("channels come first or last", () => {
  expect(pictureValues(TWO, 2, 1, { channels: 3, first: true }, "bytes")).toEqual([255, 255, 0, 255, 0, 255]);
  expect(pictureValues(TWO, 2, 1, { channels: 3, first: false }, "bytes")).toEqual([255, 0, 0, 255, 255, 255]);
  expect(pictureValues(TWO, 2, 1, { channels: 4, first: false }, "bytes")).toEqual(TWO);
  expect(pictureShape({ channels: 3, first: true, batch: true }, 2, 1)).toEqual([1, 3, 1, 2]);
  expect(pictureShape({ channels: 3, first: false, batch: false }, 2, 1)).toEqual([1, 2, 3]);
});

test("scalings", () => {
  expect(pictureValues(TWO, 2, 1, { channels: 1, first: true }, "unit")).toEqual([76 / 255, 1]);
  expect(pictureValues(TWO, 2, 1, { channels: 3, first: false }, "symmetric")).toEqual([1, -1, -1, 1, 1, 1]);
  const [red, green] = pictureValues(TWO, 1, 1, { channels: 3, first: true }, "imagenet");
  expect(red).toBeCloseTo((1 - 0.485) / 0.229, 10);
  expect(green).toBeCloseTo(-0.456 / 0.224, 10);
  expect(usualScaling(pictureInput(spec([1, 3, 9, 9]))!)).toBe("imagenet");
  expect(usualScaling(pictureInput(spec([1, 3, 9, 9], "UINT8"))!)).toBe("bytes");
  expect(usualScaling(pictureInput(spec([1, 1, 9, 9]))!)).toBe("unit");
});

test("a binary body is JSON, then the values", async () => {
  const { body, headers, size } = binaryBody("x", [1, 2], "FP32", [1, -2.5]);
  const bytes = new Uint8Array(await new Response(body).arrayBuffer());
  const head = Number(headers["Inference-Header-Content-Length"]);
  expect(size).toBe(bytes.byteLength);
  expect(JSON.parse(new TextDecoder().decode(bytes.slice(0, head)))).toEqual({ inputs: [{ name: "x", shape: [1, 2], datatype: "FP32", parameters: { binary_data_size: 8 } }] });
  expect([...new Float32Array(bytes.slice(head).buffer)]).toEqual([1, -2.5]);
});

test("raw values of each type", () => {
  expect([...rawBytes([258], "INT32")]).toEqual([2, 1, 0, 0]);
  expect([...rawBytes([-1], "INT64")]).toEqual(new Array(8).fill(255));
  expect([...rawBytes([7, 255], "UINT8")]).toEqual([7, 255]);
  expect(() => rawBytes([1], "BF16")).toThrow("send JSON");
});

test("half precision", () => {
  for (const [value, bits] of [[0, 0], [1, 0x3c00], [-2, 0xc000], [65504, 0x7bff], [65520, 0x7c00], [1e-8, 0], [2 ** -24, 1], [2 ** -14, 0x400], [0.1, 0x2e66], [Infinity, 0x7c00], [1 + 2 ** -11, 0x3c00], [1 + 3 * 2 ** -11, 0x3c02]] as const) expect(halfBits(value), String(value)).toBe(bits);
  expect(halfBits(NaN) & 0x7fff).toBeGreaterThan(0x7c00);
});
