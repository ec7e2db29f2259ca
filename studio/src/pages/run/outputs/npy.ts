// The head of a NumPy file and its first values: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

export interface NpyHead {
  /** As NumPy writes it: "<f4". */
  dtype: string;
  fortran: boolean;
  shape: number[];
  /** Where the values begin, and how many bytes one has; 0 where they are no plain numbers. */
  offset: number;
  size: number;
  count: number;
}

const MAGIC = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];
/** The head and what is shown of the values fit into this many bytes. */
export const NPY_PIECE = 256 * 1024;
export const MOST_PIXELS = 4096 * 4096;

/** Throws with what is wrong with it. */
export function npyHead(bytes: Uint8Array): NpyHead {
  if (bytes.length < 12 || MAGIC.some((byte, i) => bytes[i] !== byte)) throw new Error("it does not begin as a NumPy file does");
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const long = bytes[6]! > 1;
  const length = long ? view.getUint32(8, true) : view.getUint16(8, true);
  const begin = long ? 12 : 10;
  if (begin + length > bytes.length) throw new Error("its head is longer than what was read of it");
  const text = new TextDecoder("latin1").decode(bytes.subarray(begin, begin + length));
  const dtype = /'descr':\s*'([^']{1,40})'/.exec(text)?.[1];
  const shape = /'shape':\s*\(([\d,\sL]*)\)/.exec(text)?.[1];
  if (shape === undefined) throw new Error("its head names no shape");
  const sides = shape.split(",").map((side) => side.replace("L", "").trim()).filter(Boolean).map(Number);
  if (sides.some((side) => !Number.isSafeInteger(side))) throw new Error("its shape is too large");
  return {
    dtype: dtype ?? "a structure",
    fortran: /'fortran_order':\s*True/.test(text),
    shape: sides,
    offset: begin + length,
    size: dtype && READERS[dtype.slice(1)] ? Number(dtype.slice(2)) : 0,
    count: sides.reduce((product, side) => product * side, 1),
  };
}

type Reader = (view: DataView, at: number, little: boolean) => number | bigint | boolean;
const READERS: Record<string, Reader> = {
  b1: (view, at) => view.getUint8(at) !== 0,
  u1: (view, at) => view.getUint8(at),
  i1: (view, at) => view.getInt8(at),
  u2: (view, at, little) => view.getUint16(at, little),
  i2: (view, at, little) => view.getInt16(at, little),
  u4: (view, at, little) => view.getUint32(at, little),
  i4: (view, at, little) => view.getInt32(at, little),
  u8: (view, at, little) => view.getBigUint64(at, little),
  i8: (view, at, little) => view.getBigInt64(at, little),
  f2: (view, at, little) => half(view.getUint16(at, little)),
  f4: (view, at, little) => view.getFloat32(at, little),
  f8: (view, at, little) => view.getFloat64(at, little),
};

function half(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}

/** The first values as they lie in the file, as far as `bytes` has them. */
export function npyValues(bytes: Uint8Array, head: NpyHead, most: number): (number | bigint | boolean)[] {
  const read = READERS[head.dtype.slice(1)];
  if (!read || head.size === 0) return [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = Math.max(0, Math.min(most, head.count, Math.floor((bytes.length - head.offset) / head.size)));
  return Array.from({ length: count }, (_, i) => read(view, head.offset + i * head.size, head.dtype[0] !== ">"));
}

export interface Picture {
  width: number;
  height: number;
  /** Red, green, blue and alpha of each pixel. */
  pixels: Uint8ClampedArray<ArrayBuffer>;
}

/** Rows, columns and channels where a shape looks like a picture: H×W, H×W×1, 3 or 4, and 1 or 3×H×W. */
export function pictureSides({ shape }: Pick<NpyHead, "shape">): { height: number; width: number; channels: number; first: boolean } | null {
  const large = (side: number | undefined) => side !== undefined && side >= 8;
  const [a, b, c] = shape;
  if (shape.length === 2 && large(a) && large(b)) return { height: a!, width: b!, channels: 1, first: false };
  if (shape.length !== 3) return null;
  if (large(a) && large(b) && (c === 1 || c === 3 || c === 4)) return { height: a!, width: b!, channels: c, first: false };
  if ((a === 1 || a === 3) && large(b) && large(c)) return { height: b!, width: c!, channels: a, first: true };
  return null;
}

/** From the least value to the greatest; of bytes as they are. Null where it is no picture, or not whole in `bytes`. */
export function npyPicture(bytes: Uint8Array, head: NpyHead): Picture | null {
  const sides = pictureSides(head);
  if (!sides || head.size === 0 || head.fortran || head.count > MOST_PIXELS) return null;
  const values = npyValues(bytes, head, head.count).map(Number);
  if (values.length < head.count) return null;
  let [low, high] = head.dtype.endsWith("u1") ? [0, 255] : [Infinity, -Infinity];
  if (low === Infinity) {
    for (const value of values) {
      if (!Number.isFinite(value)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  const scale = high > low ? 255 / (high - low) : 0;
  const { width, height, channels, first } = sides;
  const pixels = new Uint8ClampedArray(width * height * 4);
  const at = (pixel: number, channel: number) => (values[first ? channel * width * height + pixel : pixel * channels + channel]! - low) * scale;
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) pixels[4 * pixel + channel] = at(pixel, channels < 3 ? 0 : channel);
    pixels[4 * pixel + 3] = channels === 4 ? at(pixel, 3) : 255;
  }
  return { width, height, pixels };
}
