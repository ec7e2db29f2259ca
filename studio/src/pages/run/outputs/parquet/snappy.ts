// Snappy's raw format: https://github.com/google/snappy/blob/main/format_description.txt

/** Throws if the bytes do not make what they promise. */
export function unsnappy(bytes: Uint8Array, most: number): Uint8Array {
  let [at, size, shift] = [0, 0, 0];
  const next = (): number => {
    const byte = bytes[at];
    if (byte === undefined) throw new Error("a page ends too early");
    at += 1;
    return byte;
  };
  for (;;) {
    const byte = next();
    size += (byte & 127) * 2 ** shift;
    if (byte < 128) break;
    shift += 7;
    if (shift > 28) throw new Error("a page has a wrong length");
  }
  if (size > most) throw new Error(`a page has ${size} bytes, more than are looked at`);
  const out = new Uint8Array(size);
  let to = 0;
  const little = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i += 1) value += next() * 2 ** (8 * i);
    return value;
  };
  while (at < bytes.length) {
    const tag = next();
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >> 2;
      const length = (short < 60 ? short : little(short - 59)) + 1;
      if (at + length > bytes.length || to + length > size) throw new Error("a page is longer than it says");
      out.set(bytes.subarray(at, at + length), to);
      at += length;
      to += length;
      continue;
    }
    const length = kind === 1 ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1;
    const back = kind === 1 ? ((tag >> 5) << 8) + next() : little(kind === 2 ? 2 : 4);
    if (back === 0 || back > to || to + length > size) throw new Error("a page refers to what it does not have");
    for (let i = 0; i < length; i += 1) out[to + i] = out[to - back + i]!;
    to += length;
  }
  if (to !== size) throw new Error("a page is shorter than it says");
  return out;
}
