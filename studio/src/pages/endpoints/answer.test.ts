import { expect, test } from "vitest";
import { areProbabilities, labelsOf, scoresIn, softmax, topOf } from "./answer";

test("a vector is found in what v2 and score.py answer", () => {
  expect(scoresIn({ outputs: [{ name: "y", shape: [1, 3], data: [1, 2, 3] }, { name: "rows", shape: [2, 2], data: [1, 2, 3, 4] }] })).toEqual([{ name: "y", values: [1, 2, 3] }]);
  expect(scoresIn([[0.1, 0.9]])).toEqual([{ name: "", values: [0.1, 0.9] }]);
  expect(scoresIn({ result: [[1, 2]], time: 3, words: ["a", "b"] })).toEqual([{ name: "result", values: [1, 2] }]);
  for (const none of [null, 3, "text", [1], [[1, 2], [3, 4]], {}, { outputs: [{ name: "y", shape: [1], data: [1] }] }]) expect(scoresIn(none)).toEqual([]);
});

test("the five greatest, as shares", () => {
  expect(topOf([0.1, 0.7, 0.2])).toEqual([{ index: 1, value: 0.7, share: 0.7 }, { index: 2, value: 0.2, share: 0.2 }, { index: 0, value: 0.1, share: 0.1 }]);
  const logits = topOf([0, 10, -3, 1, 2, 3, 4]);
  expect(logits.map((one) => one.index)).toEqual([1, 6, 5, 4, 3]);
  expect(logits[0]!.share).toBeGreaterThan(0.99);
  expect(softmax([1000, 1000])).toEqual([0.5, 0.5]);
  expect(areProbabilities([0.5, 0.6])).toBe(false);
});

test("the names of classes", () => {
  expect(labelsOf({ properties: { classes: '["chicken", "turkey"]' } })).toEqual(["chicken", "turkey"]);
  expect(labelsOf({ tags: { labels: "chicken, turkey" } })).toEqual(["chicken", "turkey"]);
  expect(labelsOf({ tags: {} })).toEqual([]);
});
