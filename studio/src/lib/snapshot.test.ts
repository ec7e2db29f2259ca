import { expect, test } from "vitest";
import { compareFiles, filesOf, type Snapshot, type SnapshotFile } from "./snapshot";

const file = (path: string, digest: string, executable = false): SnapshotFile => ({ path, digest, size: 1, executable });

test("files are added, removed and changed", () => {
  const changes = compareFiles([file("a", "1"), file("b", "2"), file("c", "3")], [file("d", "4"), file("b", "2"), file("a", "9")]);
  expect(changes.map((change) => [change.path, change.kind])).toEqual([["a", "changed"], ["c", "removed"], ["d", "added"]]);
});
test("a changed mode is a change", () => {
  expect(compareFiles([file("a", "1")], [file("a", "1", true)])[0]?.kind).toBe("changed");
});
test("folders and links are no files", () => {
  const entries = [{ path: "d", mode: "040000" }, { path: "l", mode: "120000", link: "x" }, { path: "f", mode: "100755", size: 3, digest: "9" }];
  expect(filesOf({ entries } as unknown as Snapshot)).toEqual([{ path: "f", size: 3, digest: "9", executable: true }]);
});
