import { expect, test } from "vitest";
import { LineJoiner } from "./merged_feed";

test("lines of ranks that come in pieces are put together, each rank for itself", () => {
  const joiner = new LineJoiner(new Set());
  expect(joiner.add(0, "a\nb").map(({ rank, text }) => [rank, text])).toEqual([[0, "a"]]);
  expect(joiner.add(1, "x\r\n").map(({ rank, text }) => [rank, text])).toEqual([[1, "x"]]);
  expect(joiner.add(0, "c\n").map(({ text }) => text)).toEqual(["bc"]);
  joiner.add(1, "no end");
  expect(joiner.rest().map(({ rank, text }) => [rank, text])).toEqual([[1, "no end"]]);
});
test("the first line of a log that is read from its middle is left out", () => {
  const joiner = new LineJoiner(new Set([2]));
  expect(joiner.add(2, "alf a line\nwhole\n").map(({ text }) => text)).toEqual(["whole"]);
});
