// What the request form begins with, made from what the model says of itself.
import { elementsOf, fixedShape, type InferInput, type ModelMetadata, type TensorSpec } from "./tensor";

/** Inputs with more values than this stand in the editor as one word. */
const MOST_VALUES = 64;
const FILLS = ["zeros", "ones", "random"] as const;
type Fill = (typeof FILLS)[number];
const isFill = (data: unknown): data is Fill => FILLS.some((fill) => fill === data);

function valueOf(datatype: string, i: number): unknown {
  if (datatype === "BYTES") return "text";
  if (datatype === "BOOL") return i % 2 === 0;
  return datatype.startsWith("FP") || datatype === "BF16" ? 0.5 : 1;
}

function sampleInput({ name, datatype, shape }: TensorSpec): InferInput {
  const fixed = fixedShape(shape);
  const count = elementsOf(fixed);
  const data = count > MOST_VALUES && datatype !== "BYTES" ? "zeros" : Array.from({ length: count }, (_, i) => valueOf(datatype, i));
  return { name, shape: fixed, datatype, data };
}

export const sampleRequest = ({ inputs }: Pick<ModelMetadata, "inputs">): { inputs: InferInput[] } => ({ inputs: inputs.map(sampleInput) });

/** JSON with a line for each member, but short lists on one line, so that a shape reads as one. */
export function readableJson(value: unknown, indent = ""): string {
  const flat = JSON.stringify(value);
  if (value === null || typeof value !== "object" || (Array.isArray(value) && flat.length <= 100 && !flat.includes("{"))) return flat ?? "null";
  const inner = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((one) => inner + readableJson(one, inner))
    : Object.entries(value).map(([key, one]) => `${inner}${JSON.stringify(key)}: ${readableJson(one, inner)}`);
  if (lines.length === 0) return flat;
  return Array.isArray(value) ? `[\n${lines.join(",\n")}\n${indent}]` : `{\n${lines.join(",\n")}\n${indent}}`;
}

function filled(fill: Fill, { shape, datatype }: InferInput, random: () => number): unknown[] {
  const whole = !(datatype.startsWith("FP") || datatype === "BF16");
  const value = { zeros: () => 0, ones: () => 1, random: () => (whole ? Math.floor(random() * 2) : Number(random().toPrecision(6))) }[fill];
  return Array.from({ length: elementsOf(shape) }, () => (datatype === "BOOL" ? value() >= 0.5 : value()));
}

/** The body as it is sent: where `data` of an input is "zeros", "ones" or "random", so many values. Throws what is wrong with it. */
export function expandedRequest(text: string, random: () => number = Math.random): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    throw new Error(`this is no JSON: ${(error as Error).message}`);
  }
  const inputs = (body as { inputs?: unknown } | null)?.inputs;
  if (!Array.isArray(inputs)) return body;
  const expanded = (inputs as InferInput[]).map((input) => {
    if (!isFill(input?.data)) return input;
    const shape = Array.isArray(input.shape) ? input.shape : [];
    if (shape.some((size) => !Number.isInteger(size) || size < 0)) throw new Error(`the shape of ${input.name} has to be whole numbers, to be filled with ${input.data}`);
    if (elementsOf(shape) > 50_000_000) throw new Error(`${input.name} would have ${elementsOf(shape)} values: more than this page sends`);
    return { ...input, data: filled(input.data, { ...input, shape }, random) };
  });
  return { ...(body as object), inputs: expanded };
}

interface Swagger {
  definitions?: Record<string, { example?: unknown }>;
  components?: { schemas?: Record<string, { example?: unknown }> };
}

/** The example of a score.py's schema, or what most of them take. */
export function sampleOfSwagger(swagger: unknown): unknown {
  const { definitions, components } = (swagger ?? {}) as Swagger;
  const example = (definitions ?? components?.schemas)?.ServiceInput?.example;
  return example ?? { data: [[1, 2, 3, 4]] };
}
