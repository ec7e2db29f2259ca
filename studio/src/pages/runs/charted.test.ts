import { expect, test, vi } from "vitest";

vi.stubGlobal("window", { addEventListener: () => {} });
vi.stubGlobal("location", { search: "", pathname: "/" });
const { afterToggle, chartedIds } = await import("./charted");

const usual = ["a", "b", "c"];
test("the first of the list have curves, but for those that were taken out", () => {
  expect(chartedIds(usual, [], [])).toEqual(usual);
  expect(chartedIds(usual, ["x"], ["b"])).toEqual(["a", "c", "x"]);
  expect(chartedIds(usual, ["a"], [])).toEqual(usual);
});
test("an eye takes a run out, and brings it back", () => {
  const out = afterToggle("b", usual, [], []);
  expect(out).toEqual({ show: [], hide: ["b"] });
  expect(afterToggle("b", usual, out.show, out.hide)).toEqual({ show: [], hide: [] });
});
test("a run from further down is put in, and leaves no trace when it is taken out", () => {
  const put = afterToggle("x", usual, [], []);
  expect(put).toEqual({ show: ["x"], hide: [] });
  expect(afterToggle("x", usual, put.show, put.hide)).toEqual({ show: [], hide: [] });
});
test("no more than can be compared", () => {
  expect(chartedIds([], Array.from({ length: 80 }, (_, i) => `r${i}`), []).length).toBe(50);
});
