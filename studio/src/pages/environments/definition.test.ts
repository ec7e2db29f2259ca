import { expect, test } from "vitest";
import { definitionText, packagesOf, summaryOf } from "./definition";

const definition = { python: { condaDependencies: { channels: ["conda-forge"], dependencies: ["python=3.11", "git", { pip: ["numpy", "torch==2.3"] }] } } };

test("packages by where they come from", () => {
  expect(packagesOf(definition)).toEqual({ python: "3.11", conda: ["git"], pip: ["numpy", "torch==2.3"], channels: ["conda-forge"] });
  expect(packagesOf({})).toEqual({ python: undefined, conda: [], pip: [], channels: [] });
});
test("a summary fits one line", () => {
  expect(summaryOf(definition)).toBe("Python 3.11, git, numpy, torch==2.3");
  const many = { python: { condaDependencies: { dependencies: [{ pip: Array.from({ length: 9 }, (_, i) => `p${i}`) }] } } };
  expect(summaryOf(many)).toBe("p0, p1, p2, p3, p4, p5 and 3 more");
  expect(summaryOf({ python: { userManagedDependencies: true, interpreterPath: "/usr/bin/python3" } })).toBe("/usr/bin/python3 as it is");
});
test("the order of keys makes no difference", () => {
  expect(definitionText({ b: 1, a: { d: 2, c: [{ f: 1, e: 2 }] } })).toBe(definitionText({ a: { c: [{ e: 2, f: 1 }], d: 2 }, b: 1 }));
});
