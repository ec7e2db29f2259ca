// What a Parquet file says of itself at its end: its columns, and where the values of the first of its row groups lie.
import { CompactReader, type Struct, type Value } from "./thrift";

export type Physical = "BOOLEAN" | "INT32" | "INT64" | "INT96" | "FLOAT" | "DOUBLE" | "BYTE_ARRAY" | "FIXED_LEN_BYTE_ARRAY";
const PHYSICAL: Physical[] = ["BOOLEAN", "INT32", "INT64", "INT96", "FLOAT", "DOUBLE", "BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY"];
const CONVERTED: Record<number, string> = { 0: "UTF8", 1: "MAP", 3: "LIST", 4: "ENUM", 5: "DECIMAL", 6: "DATE", 7: "TIME_MILLIS", 8: "TIME_MICROS", 9: "TIMESTAMP_MILLIS", 10: "TIMESTAMP_MICROS", 11: "UINT_8", 12: "UINT_16", 13: "UINT_32", 14: "UINT_64", 15: "INT_8", 16: "INT_16", 17: "INT_32", 18: "INT_64", 19: "JSON", 20: "BSON" };
export const CODECS = ["uncompressed", "snappy", "gzip", "lzo", "brotli", "lz4", "zstd", "lz4_raw"] as const;

export interface ParquetColumn {
  /** With the names of what it lies in, by dots. */
  name: string;
  type: Physical;
  /** What its values mean: UTF8, TIMESTAMP_MICROS, nanoseconds. */
  meaning: string;
  length: number;
  optional: boolean;
  /** Lies in a list or another structure: its values are not one a row. */
  nested: boolean;
}
export interface ParquetChunk {
  column: ParquetColumn;
  codec: (typeof CODECS)[number] | "unknown";
  /** Where its pages begin, and how many bytes they take. */
  offset: number;
  size: number;
}
export interface ParquetFooter {
  rows: number;
  groups: number;
  createdBy: string;
  columns: ParquetColumn[];
  /** Of the first row group; empty if there is none. */
  chunks: ParquetChunk[];
}

const text = (value: Value | undefined): string => (value instanceof Uint8Array ? new TextDecoder().decode(value) : "");
const number = (value: Value | undefined): number => (typeof value === "number" ? value : 0);
const struct = (value: Value | undefined): Struct => (value instanceof Map ? value : new Map());
const list = (value: Value | undefined): Value[] => (Array.isArray(value) ? value : []);

/** How many bytes the footer has, from the last eight of the file. */
export function footerLength(end: Uint8Array): number {
  const mark = new TextDecoder("latin1").decode(end.subarray(-4));
  if (mark === "PARE") throw new Error("what it says of itself is encrypted");
  if (end.length < 8 || mark !== "PAR1") throw new Error("it does not end as a Parquet file does");
  return new DataView(end.buffer, end.byteOffset + end.length - 8).getUint32(0, true);
}

function meaningOf(element: Struct): string {
  const logical = struct(element.get(10));
  if (logical.has(1)) return "UTF8";
  const stamp = struct(logical.get(8));
  if (logical.has(8)) return `TIMESTAMP_${struct(stamp.get(2)).has(1) ? "MILLIS" : struct(stamp.get(2)).has(2) ? "MICROS" : "NANOS"}`;
  if (logical.has(6)) return "DATE";
  if (logical.has(15)) return "FLOAT16";
  return CONVERTED[number(element.get(6))] !== undefined && element.has(6) ? CONVERTED[number(element.get(6))]! : "";
}

/** The leaves of the schema, which is a tree told in the order in which it is walked. */
function columnsOf(schema: readonly Value[]): ParquetColumn[] {
  const columns: ParquetColumn[] = [];
  let at = 1;
  const walk = (path: string[], children: number, nested: boolean): void => {
    for (let i = 0; i < children && at < schema.length; i += 1) {
      const element = struct(schema[at]);
      at += 1;
      const [name, repetition] = [[...path, text(element.get(4))], number(element.get(3))];
      if (number(element.get(5)) > 0) {
        if (name.length > 40) throw new Error("its columns are nested too deeply");
        walk(name, number(element.get(5)), true);
      } else {
        columns.push({
          name: name.join("."),
          type: PHYSICAL[number(element.get(1))] ?? "BYTE_ARRAY",
          meaning: meaningOf(element),
          length: number(element.get(2)),
          optional: repetition === 1,
          nested: nested || repetition === 2,
        });
      }
    }
  };
  walk([], number(struct(schema[0]).get(5)), false);
  return columns;
}

/** Throws with what is wrong. */
export function parquetFooter(bytes: Uint8Array): ParquetFooter {
  const file = new CompactReader(bytes).struct();
  const columns = columnsOf(list(file.get(2)));
  const groups = list(file.get(4));
  const chunks = list(struct(groups[0]).get(1)).flatMap((chunk, i): ParquetChunk[] => {
    const meta = struct(struct(chunk).get(3));
    const column = columns[i];
    if (!column || meta.size === 0) return [];
    const [data, dictionary] = [number(meta.get(9)), number(meta.get(11))];
    return [{ column, codec: CODECS[number(meta.get(4))] ?? "unknown", offset: dictionary > 0 ? Math.min(data, dictionary) : data, size: number(meta.get(7)) }];
  });
  return { rows: number(file.get(3)), groups: groups.length, createdBy: text(file.get(6)), columns, chunks };
}
