// Thrift's compact protocol, in which Parquet keeps what it says of itself: structures as numbers of fields to values.

export type Value = number | bigint | boolean | Uint8Array | Value[] | Struct;
export type Struct = Map<number, Value>;

const DEEPEST = 40;
const MOST_ITEMS = 1_000_000;

export class CompactReader {
  constructor(
    private readonly bytes: Uint8Array,
    public at = 0,
  ) {}

  private byte(): number {
    const value = this.bytes[this.at];
    if (value === undefined) throw new Error("it ends in the middle of what it says of itself");
    this.at += 1;
    return value;
  }

  /** Of numbers beyond 2^53 not every digit is needed here. */
  varint(): number {
    let [value, power] = [0, 1];
    for (let i = 0; i < 10; i += 1) {
      const byte = this.byte();
      value += (byte & 127) * power;
      if (byte < 128) return value;
      power *= 128;
    }
    throw new Error("it has a number of more than ten bytes");
  }

  private zigzag(): number {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  private binary(): Uint8Array {
    const length = this.varint();
    if (this.at + length > this.bytes.length) throw new Error("it ends in the middle of a text");
    this.at += length;
    return this.bytes.subarray(this.at - length, this.at);
  }

  struct(depth = 0): Struct {
    if (depth > DEEPEST) throw new Error("what it says of itself is nested too deeply");
    const fields: Struct = new Map();
    let field = 0;
    for (;;) {
      const head = this.byte();
      const type = head & 15;
      if (type === 0) return fields;
      field = head >> 4 ? field + (head >> 4) : this.zigzag();
      fields.set(field, type === 1 ? true : type === 2 ? false : this.value(type, depth));
    }
  }

  private value(type: number, depth: number): Value {
    switch (type) {
      case 1:
      case 2:
        return this.byte() === 1;
      case 3:
        return (this.byte() << 24) >> 24;
      case 4:
      case 5:
      case 6:
        return this.zigzag();
      case 7: {
        const view = new DataView(this.bytes.buffer, this.bytes.byteOffset + this.at, 8);
        this.at += 8;
        return view.getFloat64(0, true);
      }
      case 8:
        return this.binary();
      case 9:
      case 10:
        return this.list(depth);
      case 12:
        return this.struct(depth + 1);
      default:
        throw new Error(`it has a field of type ${type}, which Parquet does not use`);
    }
  }

  private list(depth: number): Value[] {
    if (depth > DEEPEST) throw new Error("what it says of itself is nested too deeply");
    const head = this.byte();
    const count = head >> 4 === 15 ? this.varint() : head >> 4;
    if (count > MOST_ITEMS || count > this.bytes.length) throw new Error(`it has a list of ${count} values`);
    return Array.from({ length: count }, () => this.value(head & 15, depth + 1));
  }
}
