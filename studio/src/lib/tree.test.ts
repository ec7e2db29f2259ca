import { expect, it } from "vitest";
import { rowsOf, treeOf } from "./tree";

const files = ["b.txt", "a/10.txt", "a/9.txt", "a/deep/x", "__proto__/y"].map((path, i) => ({ path, size: i + 1 }));

it("folders come first, have the size of what is in them, and numbers are in order", () => {
  const root = treeOf(files);
  const rows = rowsOf(root, () => true).map((row) => `${row.depth} ${row.node.name} ${row.node.size}`);
  expect(rows).toEqual(["0 __proto__ 5", "1 y 5", "0 a 9", "1 deep 4", "2 x 4", "1 9.txt 3", "1 10.txt 2", "0 b.txt 1"]);
  expect([root.size, root.files]).toEqual([15, 5]);
});
it("closed folders hide, a filter opens", () => {
  expect(rowsOf(treeOf(files), () => false).map((row) => row.node.path)).toEqual(["__proto__", "a", "b.txt"]);
  expect(rowsOf(treeOf(files), () => false, "DEEP").map((row) => row.node.path)).toEqual(["a", "a/deep", "a/deep/x"]);
});
