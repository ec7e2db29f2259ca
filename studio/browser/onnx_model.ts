// A small ONNX model, written byte by byte: a model file is a protobuf message, and few fields are needed. It takes pictures
// of 32 by 32 and says how red, green and blue they are.
function varint(value: number): Buffer {
  const bytes: number[] = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return Buffer.from([...bytes, value]);
}
const number = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)]);
const text = (field: number, content: string | Buffer): Buffer => {
  const bytes = Buffer.from(content);
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
};
const message = (field: number, ...parts: Buffer[]): Buffer => text(field, Buffer.concat(parts));

const FLOAT = 1;
const value = (field: number, name: string, shape: (number | string)[]): Buffer => {
  const dims = shape.map((size) => message(1, typeof size === "number" ? number(1, size) : text(2, size)));
  return message(field, text(1, name), message(2, message(1, number(1, FLOAT), message(2, ...dims))));
};
const node = (operation: string, input: string, output: string): Buffer => message(1, text(1, input), text(2, output), text(4, operation));

export function colourModel(): Buffer {
  const graph = [
    node("GlobalAveragePool", "picture", "means"),
    node("Flatten", "means", "scores"),
    text(2, "colours"),
    value(11, "picture", ["batch", 3, 32, 32]),
    value(12, "scores", ["batch", 3]),
  ];
  return Buffer.concat([number(1, 8), message(7, ...graph), message(8, text(1, ""), number(2, 13))]);
}
