import { expect, test } from "vitest";
import { fieldOf, lineAt } from "./contour";

const slope = Array.from({ length: 400 }, (_, i) => ({ x: (i % 20) / 19, y: Math.floor(i / 20) / 19, value: (i % 20) / 19 }));

test("the field follows the trials and is empty where none is near", () => {
  const field = fieldOf(slope, 20);
  expect(field.cells[5]).toBeLessThan(field.cells[14]!);
  expect(field.low).toBeGreaterThanOrEqual(0);
  expect(field.high).toBeLessThanOrEqual(1);
  const corner = fieldOf([{ x: 0, y: 0, value: 3 }], 40);
  expect(corner.cells[0]).toBeCloseTo(3);
  expect(corner.cells[40 * 40 - 1]).toBeNaN();
});
test("a line of equal value runs through the middle of a slope", () => {
  const pieces = lineAt(fieldOf(slope, 20), 0.5);
  expect(pieces.length).toBe(19);
  for (const [x0, , x1] of pieces) {
    expect(x0).toBeCloseTo(0.5, 1);
    expect(x1).toBeCloseTo(0.5, 1);
  }
  expect(lineAt(fieldOf(slope, 20), 2)).toEqual([]);
});
test("no trials, no field", () => expect([...fieldOf([], 3).cells].every(Number.isNaN)).toBe(true));
