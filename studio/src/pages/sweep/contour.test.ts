import { expect, test } from "vitest";
import { fieldOf, levelsOf, lineAt } from "./contour";

const slope = Array.from({ length: 400 }, (_, i) => ({ x: (i % 20) / 19, y: Math.floor(i / 20) / 19, value: (i % 20) / 19 }));
const fine = (cells: number) => ({ cells, smooth: true });

test("the field follows the trials and is empty where none is near", () => {
  const field = fieldOf(slope, fine(20), fine(20));
  expect(field.cells[5]).toBeLessThan(field.cells[14]!);
  expect(field.low).toBeGreaterThanOrEqual(0);
  expect(field.high).toBeLessThanOrEqual(1);
  const corner = fieldOf([{ x: 0, y: 0, value: 3 }], fine(40), fine(30));
  expect(corner.cells[0]).toBeCloseTo(3);
  expect(corner.cells[40 * 30 - 1]).toBeNaN();
});
test("a line of equal value runs through the middle of a slope", () => {
  const field = fieldOf(slope, fine(20), fine(20));
  const pieces = lineAt(field, 0.5);
  expect(pieces.length).toBe(19);
  for (const [x0, , x1] of pieces) {
    expect(x0).toBeCloseTo(0.5, 1);
    expect(x1).toBeCloseTo(0.5, 1);
  }
  expect(lineAt(field, 2)).toEqual([]);
});
test("categories are means of their own: what is beside them does not matter", () => {
  const points = [{ x: 0, y: 0, value: 1 }, { x: 0, y: 0, value: 3 }, { x: 0.5, y: 0, value: 8 }, { x: 1, y: 1, value: 5 }];
  const { cells } = fieldOf(points, { cells: 3, smooth: false }, { cells: 2, smooth: false });
  expect([...cells]).toEqual([2, 8, NaN, NaN, NaN, 5]);
  const one = fieldOf([{ x: 0.5, y: 0.5, value: 4 }], { cells: 1, smooth: false }, { cells: 1, smooth: false });
  expect([...one.cells]).toEqual([4]);
});
test("a flat field has no lines", () => {
  expect(levelsOf(fieldOf([{ x: 0.2, y: 0.4, value: 0.7 }, { x: 0.8, y: 0.4, value: 0.7 }]), 7)).toEqual([]);
  expect(levelsOf(fieldOf([]), 7)).toEqual([]);
  expect(levelsOf(fieldOf(slope), 3)).toHaveLength(3);
});
test("no trials, no field", () => expect([...fieldOf([], fine(3), fine(3)).cells].every(Number.isNaN)).toBe(true));
