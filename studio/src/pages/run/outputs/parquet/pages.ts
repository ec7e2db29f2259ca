// The first values of a column, from the pages in which they lie.
import type { ParquetChunk, ParquetColumn } from "./footer";
import { unsnappy } from "./snappy";
import { CompactReader, type Struct } from "./thrift";

export type Cell = string | number | boolean | bigint | null;

/** A page that has more bytes unpacked is not looked at. */
const MOST_PAGE = 32 * 1024 * 1024;
const [PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY] = [0, 2, 3, 8];
const [DATA, DICTIONARY, DATA_2] = [0, 2, 3];

const field = (struct: Struct, key: number): number => {
  const value = struct.get(key);
  return typeof value === "number" ? value : 0;
};
const inner = (struct: Struct, key: number): Struct => {
  const value = struct.get(key);
  return value instanceof Map ? value : new Map();
};

async function unpacked(bytes: Uint8Array, codec: ParquetChunk["codec"]): Promise<Uint8Array> {
  if (codec === "uncompressed") return bytes;
  if (codec === "snappy") return unsnappy(bytes, MOST_PAGE);
  if (codec === "gzip") {
    const stream = new Blob([bytes.slice()]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }
  throw new Error(`it is compressed by ${codec}, which this page cannot unpack`);
}

/** Runs and packed bits, as levels and places in a dictionary are written. */
export function hybrid(bytes: Uint8Array, width: number, count: number): number[] {
  const out: number[] = [];
  const reader = new CompactReader(bytes);
  const wide = Math.ceil(width / 8);
  while (out.length < count && (reader.at < bytes.length || width === 0)) {
    if (width === 0) return Array.from({ length: count }, () => 0);
    const head = reader.varint();
    if (head % 2 === 0) {
      let value = 0;
      for (let i = 0; i < wide; i += 1) value += (bytes[reader.at + i] ?? 0) * 2 ** (8 * i);
      reader.at += wide;
      for (let i = Math.min(head / 2, count - out.length); i > 0; i -= 1) out.push(value);
      continue;
    }
    const bits = ((head - 1) / 2) * 8;
    const begin = reader.at;
    for (let i = 0; i < bits && out.length < count; i += 1) {
      let value = 0;
      for (let bit = 0; bit < width; bit += 1) {
        const place = i * width + bit;
        if (((bytes[begin + (place >> 3)] ?? 0) >> (place & 7)) & 1) value += 2 ** bit;
      }
      out.push(value);
    }
    reader.at = begin + (bits * width) / 8;
  }
  return out;
}

/** At most `most` values one behind the other; fewer where the bytes end. */
export function plain(bytes: Uint8Array, column: ParquetColumn, most: number): Cell[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fixed = (size: number, read: (at: number) => Cell): Cell[] => Array.from({ length: Math.min(most, Math.floor(bytes.length / size)) }, (_, i) => read(i * size));
  switch (column.type) {
    case "BOOLEAN":
      return Array.from({ length: Math.min(most, bytes.length * 8) }, (_, i) => ((bytes[i >> 3]! >> (i & 7)) & 1) === 1);
    case "INT32":
      return fixed(4, (at) => meant(column.meaning === "UINT_32" ? view.getUint32(at, true) : view.getInt32(at, true), column));
    case "INT64":
      return fixed(8, (at) => meant(column.meaning === "UINT_64" ? view.getBigUint64(at, true) : view.getBigInt64(at, true), column));
    case "INT96":
      // A time as Spark wrote it: nanoseconds of the day, and the day of the Julian calendar.
      return fixed(12, (at) => moment((view.getUint32(at + 8, true) - 2440588) * 86_400_000 + Number(view.getBigUint64(at, true)) / 1e6));
    case "FLOAT":
      return fixed(4, (at) => Number(view.getFloat32(at, true).toPrecision(7)));
    case "DOUBLE":
      return fixed(8, (at) => view.getFloat64(at, true));
    case "FIXED_LEN_BYTE_ARRAY":
      return column.length > 0 ? fixed(column.length, (at) => hex(bytes.subarray(at, at + column.length))) : [];
    case "BYTE_ARRAY": {
      const out: Cell[] = [];
      for (let at = 0; out.length < most && at + 4 <= bytes.length; ) {
        const length = view.getUint32(at, true);
        if (at + 4 + length > bytes.length) break;
        const value = bytes.subarray(at + 4, at + 4 + length);
        out.push(["UTF8", "JSON", "ENUM"].includes(column.meaning) ? new TextDecoder().decode(value) : hex(value));
        at += 4 + length;
      }
      return out;
    }
  }
}

const hex = (bytes: Uint8Array): string => Array.from(bytes.subarray(0, 32), (byte) => byte.toString(16).padStart(2, "0")).join("") + (bytes.length > 32 ? "…" : "");
const moment = (milliseconds: number): string => (Math.abs(milliseconds) <= 8.64e15 ? new Date(milliseconds).toISOString().replace("T", " ").replace(/\.?0*Z$/, "") : String(milliseconds));

function meant(value: number | bigint, { meaning }: ParquetColumn): Cell {
  const number = Number(value);
  if (meaning === "DATE") return moment(number * 86_400_000).slice(0, 10);
  if (meaning === "TIMESTAMP_MILLIS") return moment(number);
  if (meaning === "TIMESTAMP_MICROS") return moment(number / 1e3);
  if (meaning === "TIMESTAMP_NANOS") return moment(number / 1e6);
  return Number.isSafeInteger(number) ? number : value;
}

/** The first `most` cells of a column; fewer where `bytes` does not have all of a page. Throws if a page cannot be read. */
export async function firstCells(bytes: Uint8Array, chunk: ParquetChunk, most: number): Promise<Cell[]> {
  const { column, codec } = chunk;
  const cells: Cell[] = [];
  let dictionary: Cell[] = [];
  let at = 0;
  while (cells.length < most && at < bytes.length) {
    const reader = new CompactReader(bytes, at);
    const head = reader.struct();
    const [type, size] = [field(head, 1), field(head, 3)];
    if (field(head, 2) > MOST_PAGE) throw new Error(`a page has ${field(head, 2)} bytes, more than are looked at`);
    const body = bytes.subarray(reader.at, reader.at + size);
    if (body.length < size) break;
    at = reader.at + size;
    if (type === DICTIONARY) dictionary = plain(await unpacked(body, codec), column, field(inner(head, 7), 1));
    else if (type === DATA) cells.push(...dataPage(await unpacked(body, codec), inner(head, 5), column, dictionary, most - cells.length));
    else if (type === DATA_2) cells.push(...(await dataPage2(body, inner(head, 8), chunk, dictionary, most - cells.length)));
  }
  return cells;
}

function dataPage(bytes: Uint8Array, head: Struct, column: ParquetColumn, dictionary: readonly Cell[], most: number): Cell[] {
  const count = Math.min(field(head, 1), most);
  if (!column.optional) return valuesOf(bytes, field(head, 2), column, dictionary, count);
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const levels = hybrid(bytes.subarray(4, 4 + length), 1, count);
  return withNulls(levels, valuesOf(bytes.subarray(4 + length), field(head, 2), column, dictionary, count));
}

async function dataPage2(body: Uint8Array, head: Struct, { column, codec }: ParquetChunk, dictionary: readonly Cell[], most: number): Promise<Cell[]> {
  const count = Math.min(field(head, 1), most);
  const [levelBytes, before] = [field(head, 5), field(head, 6)];
  const rest = body.subarray(levelBytes + before);
  const values = valuesOf(head.get(7) === false ? rest : await unpacked(rest, codec), field(head, 4), column, dictionary, count);
  return column.optional ? withNulls(hybrid(body.subarray(before, before + levelBytes), 1, count), values) : values;
}

function valuesOf(bytes: Uint8Array, encoding: number, column: ParquetColumn, dictionary: readonly Cell[], most: number): Cell[] {
  if (encoding === PLAIN) return plain(bytes, column, most);
  if (encoding === RLE && column.type === "BOOLEAN") return hybrid(bytes.subarray(4), 1, most).map((bit) => bit === 1);
  if (encoding !== PLAIN_DICTIONARY && encoding !== RLE_DICTIONARY) throw new Error(`its values are written in a way (${encoding}) that this page cannot read`);
  return hybrid(bytes.subarray(1), bytes[0] ?? 0, most).map((place) => dictionary[place] ?? null);
}

function withNulls(levels: readonly number[], values: readonly Cell[]): Cell[] {
  let next = 0;
  return levels.map((level) => (level > 0 ? (values[next++] ?? null) : null));
}
