import { expect, test } from "vitest";
import { histogramOf } from "./histogram";

test("the forms that scripts log", () => {
  expect(histogramOf({ bin_edges: [0, 1, 2], bin_counts: [3, 4] })).toEqual({ edges: [0, 1, 2], counts: [3, 4] });
  expect(histogramOf({ bins: [0, 1], values: [3] })).toEqual({ edges: [0, 1], counts: [3] });
});
test("what does not fit together is none", () => {
  for (const value of [null, 1, {}, { edges: [0, 1], counts: [1, 2] }, { edges: [1, 0], counts: [1] }, { edges: [0, 1], counts: [-1] }, { edges: [0, "1"], counts: [1] }, { edges: [0], counts: [] }]) {
    expect(histogramOf(value)).toBeNull();
  }
});
