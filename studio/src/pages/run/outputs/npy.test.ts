import { expect, test } from "vitest";
import { npyHead, npyPicture, npyValues, pictureSides } from "./npy";

function npy(header: string, values: Uint8Array): Uint8Array {
  const text = header.padEnd(117) + "\n";
  const head = new Uint8Array([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, text.length & 255, text.length >> 8, ...new TextEncoder().encode(text)]);
  return new Uint8Array([...head, ...values]);
}

test("shape, type and first values", () => {
  const file = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }", new Uint8Array(new Float32Array([1, 2.5, -3, 4, 5, 6]).buffer));
  const head = npyHead(file);
  expect(head).toMatchObject({ dtype: "<f4", shape: [2, 3], count: 6, size: 4, fortran: false });
  expect(npyValues(file, head, 3)).toEqual([1, 2.5, -3]);
});
test("half floats, large integers, the other order of bytes", () => {
  const half = npy("{'descr': '<f2', 'fortran_order': False, 'shape': (4,), }", new Uint8Array(new Uint16Array([0x3c00, 0xc000, 0x7c00, 1]).buffer));
  expect(npyValues(half, npyHead(half), 9)).toEqual([1, -2, Infinity, 2 ** -24]);
  const big = npy("{'descr': '>i2', 'fortran_order': False, 'shape': (), }", new Uint8Array([1, 2]));
  expect(npyValues(big, npyHead(big), 9)).toEqual([258]);
  const long = npy("{'descr': '<i8', 'fortran_order': False, 'shape': (1,), }", new Uint8Array([255, 255, 255, 255, 255, 255, 255, 127]));
  expect(npyValues(long, npyHead(long), 9)).toEqual([9223372036854775807n]);
});
test("what looks like a picture is one", () => {
  const file = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (8, 8, 3), }", new Uint8Array(192).fill(7));
  expect(npyPicture(file, npyHead(file))).toMatchObject({ width: 8, height: 8 });
  expect(Array.from(npyPicture(file, npyHead(file))!.pixels.slice(0, 4))).toEqual([7, 7, 7, 255]);
  expect(pictureSides({ shape: [3, 32, 40] })).toEqual({ height: 32, width: 40, channels: 3, first: true });
  for (const shape of [[], [100], [4, 4], [8, 8, 5], [2, 3, 32, 32]]) expect(pictureSides({ shape })).toBeNull();
});
test("what is cut off or none says so", () => {
  expect(() => npyHead(new Uint8Array(20))).toThrow("does not begin");
  expect(() => npyHead(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", new Uint8Array()).subarray(0, 40))).toThrow("longer than what was read");
  expect(() => npyHead(npy("{'descr': '<f4'}", new Uint8Array()))).toThrow("no shape");
  const objects = npy("{'descr': '|O', 'fortran_order': False, 'shape': (3,), }", new Uint8Array(9));
  expect(npyValues(objects, npyHead(objects), 9)).toEqual([]);
  const cut = npy("{'descr': '|u1', 'fortran_order': False, 'shape': (9, 9), }", new Uint8Array(9));
  expect(npyPicture(cut, npyHead(cut))).toBeNull();
});
