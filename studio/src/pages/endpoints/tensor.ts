// Tensors of the Open Inference Protocol v2: what a model takes, a body in JSON or in binary, a picture as numbers.
export interface TensorSpec {
  name: string;
  datatype: string;
  /** -1 is a size that may vary. */
  shape: number[];
}
export interface ModelMetadata {
  name: string;
  versions?: string[];
  platform?: string;
  inputs: TensorSpec[];
  outputs: TensorSpec[];
}
export interface InferInput {
  name: string;
  shape: number[];
  datatype: string;
  parameters?: Record<string, unknown>;
  data?: unknown;
}

export const elementsOf = (shape: readonly number[]): number => shape.reduce((product, size) => product * size, 1);
/** A shape of which nothing varies: what may vary is 1. */
export const fixedShape = (shape: readonly number[]): number[] => shape.map((size) => (size < 0 ? 1 : size));

export interface PictureInput {
  channels: number;
  /** null where the model takes any. */
  height: number | null;
  width: number | null;
  /** Channels before rows, as PyTorch has them, or last. */
  first: boolean;
  /** With a dimension for the batch. */
  batch: boolean;
  datatype: string;
}

const NUMBERS = ["FP32", "FP64", "FP16", "UINT8", "INT8", "INT16", "UINT16", "INT32", "INT64", "UINT32"];
const isChannels = (size: number | undefined): boolean => size === 1 || size === 3 || size === 4;
const side = (size: number | undefined): number | null => (size === undefined || size < 0 ? null : size);

/** How a picture fits into an input; undefined if the input is no picture's. */
export function pictureInput({ shape, datatype }: TensorSpec): PictureInput | undefined {
  if (!NUMBERS.includes(datatype) || shape.length < 3 || shape.length > 4) return undefined;
  const batch = shape.length === 4;
  if (batch && shape[0]! > 1) return undefined;
  const [a, b, c] = shape.slice(-3);
  // Rows and columns of 1, 3 or 4 pixels are no pictures.
  if (isChannels(a) && !isChannels(b) && !isChannels(c)) return { channels: a!, height: side(b), width: side(c), first: true, batch, datatype };
  if (isChannels(c) && !isChannels(a) && !isChannels(b)) return { channels: c!, height: side(a), width: side(b), first: false, batch, datatype };
  return undefined;
}

export const SCALINGS = [
  { id: "imagenet", title: "ImageNet", hint: "0 to 1, less the mean and over the deviation of ImageNet: what torchvision's models take" },
  { id: "unit", title: "0 to 1", hint: "each value over 255" },
  { id: "symmetric", title: "-1 to 1", hint: "each value over 127.5, less 1" },
  { id: "bytes", title: "0 to 255", hint: "as they are in the picture" },
] as const;
export type Scaling = (typeof SCALINGS)[number]["id"];

const MEAN = [0.485, 0.456, 0.406];
const DEVIATION = [0.229, 0.224, 0.225];

function scaled(value: number, channel: number, scaling: Scaling): number {
  if (scaling === "bytes") return value;
  if (scaling === "symmetric") return value / 127.5 - 1;
  const unit = value / 255;
  // Transparency has no mean.
  return scaling === "unit" || channel > 2 ? unit : (unit - MEAN[channel]!) / DEVIATION[channel]!;
}

/** The scaling that an input most likely wants. */
export const usualScaling = ({ datatype, channels }: PictureInput): Scaling => (!datatype.startsWith("FP") ? "bytes" : channels === 3 ? "imagenet" : "unit");

/** RGBA bytes of width x height pixels (as a canvas has them) in the order the input wants. */
export function pictureValues(rgba: ArrayLike<number>, width: number, height: number, input: Pick<PictureInput, "channels" | "first">, scaling: Scaling): number[] {
  const { channels, first } = input;
  const pixels = width * height;
  const values = new Array<number>(pixels * channels);
  for (let p = 0; p < pixels; p += 1) {
    const at = 4 * p;
    for (let c = 0; c < channels; c += 1) {
      // Grey as the eye sees it (ITU-R 601), as PIL does.
      const raw = channels === 1 ? Math.round(0.299 * rgba[at]! + 0.587 * rgba[at + 1]! + 0.114 * rgba[at + 2]!) : rgba[at + c]!;
      values[first ? c * pixels + p : p * channels + c] = scaled(raw, channels === 1 ? 3 : c, scaling);
    }
  }
  return values;
}

export function pictureShape({ channels, first, batch }: Pick<PictureInput, "channels" | "first" | "batch">, width: number, height: number): number[] {
  const shape = first ? [channels, height, width] : [height, width, channels];
  return batch ? [1, ...shape] : shape;
}

/** IEEE 754 half precision, rounded to the nearest and from the middle to even. */
export function halfBits(value: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  const bits = view.getUint32(0);
  const sign = (bits >>> 16) & 0x8000;
  const exponent = (bits >>> 23) & 0xff;
  const fraction = bits & 0x7fffff;
  if (exponent === 0xff) return sign | 0x7c00 | (fraction ? 0x200 : 0);
  const power = exponent - 127 + 15;
  if (power >= 31) return sign | 0x7c00;
  if (power < -10) return sign;
  const shift = power > 0 ? 13 : 14 - power;
  const whole = power > 0 ? fraction : fraction | 0x800000;
  const half = (power > 0 ? power << 10 : 0) + (whole >>> shift);
  const rest = whole & ((1 << shift) - 1);
  const middle = 1 << (shift - 1);
  return sign | (half + (rest > middle || (rest === middle && (half & 1) === 1) ? 1 : 0));
}

type Writer = [size: number, write: (view: DataView, at: number, value: number) => void];
const WRITERS: Record<string, Writer> = {
  BOOL: [1, (view, at, value) => view.setUint8(at, value ? 1 : 0)],
  UINT8: [1, (view, at, value) => view.setUint8(at, value)],
  INT8: [1, (view, at, value) => view.setInt8(at, value)],
  UINT16: [2, (view, at, value) => view.setUint16(at, value, true)],
  INT16: [2, (view, at, value) => view.setInt16(at, value, true)],
  UINT32: [4, (view, at, value) => view.setUint32(at, value, true)],
  INT32: [4, (view, at, value) => view.setInt32(at, value, true)],
  UINT64: [8, (view, at, value) => view.setBigUint64(at, BigInt(Math.trunc(value)), true)],
  INT64: [8, (view, at, value) => view.setBigInt64(at, BigInt(Math.trunc(value)), true)],
  FP16: [2, (view, at, value) => view.setUint16(at, halfBits(value), true)],
  FP32: [4, (view, at, value) => view.setFloat32(at, value, true)],
  FP64: [8, (view, at, value) => view.setFloat64(at, value, true)],
};

/** Little-endian, one after another. */
export function rawBytes(values: readonly number[], datatype: string): Uint8Array<ArrayBuffer> {
  const writer = WRITERS[datatype];
  if (!writer) throw new Error(`values of type ${datatype} cannot be sent as binary from here; send JSON instead`);
  const [size, write] = writer;
  const view = new DataView(new ArrayBuffer(values.length * size));
  values.forEach((value, i) => write(view, i * size, value));
  return new Uint8Array(view.buffer);
}

export interface Encoded {
  body: BodyInit;
  headers: Record<string, string>;
  size: number;
}

/** One input with its values after the JSON, as the binary extension of v2 has it. */
export function binaryBody(name: string, shape: number[], datatype: string, values: readonly number[]): Encoded {
  const raw = rawBytes(values, datatype);
  const input: InferInput = { name, shape, datatype, parameters: { binary_data_size: raw.byteLength } };
  const head = new TextEncoder().encode(JSON.stringify({ inputs: [input] }));
  const body = new Uint8Array(head.byteLength + raw.byteLength);
  body.set(head);
  body.set(raw, head.byteLength);
  return { body, size: body.byteLength, headers: { "Content-Type": "application/octet-stream", "Inference-Header-Content-Length": String(head.byteLength) } };
}

export function jsonBody(value: unknown): Encoded {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  return { body, size: new TextEncoder().encode(body).byteLength, headers: { "Content-Type": "application/json" } };
}
