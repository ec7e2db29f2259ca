import { expect, test, vi } from "vitest";

vi.stubGlobal("window", { addEventListener: () => {} });
const { inOrder, movedTo, panelsOf, panelText } = await import("./panels");

test("what is written is read again", () => {
  const settings = { min: -1.5, max: 2, cut: 5, log: true, kind: "box", w: 2, h: 3 } as const;
  const text = panelText("train/loss~x, y", settings)!;
  expect(panelsOf([text]).get("train/loss~x, y")).toEqual(settings);
  expect(panelText("loss", {})).toBeNull();
});
test("what is no setting is left out", () => {
  expect(panelsOf(["min:abc,max:,cut:200,kind:pie,w:99,h:0,other:1~loss", "nothing"])).toEqual(new Map([["loss", { w: 4 }]]));
});
test("charts that were put in order come first", () => {
  expect(inOrder(["a", "b", "c"], ["c", "gone", "c"])).toEqual(["c", "a", "b"]);
});
test("a chart is moved to the place of another", () => {
  expect(movedTo(["a", "b", "c"], "a", "c")).toEqual(["b", "c", "a"]);
  expect(movedTo(["a", "b", "c"], "c", "a")).toEqual(["c", "a", "b"]);
  expect(movedTo(["a"], "a", "x")).toEqual(["a"]);
});
