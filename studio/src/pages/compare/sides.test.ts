import { expect, test } from "vitest";
import { number } from "../../lib/format";
import { linesOf, usualValue, type Side } from "./sides";
import { colorOf, queriesFor, runsOf } from "./selection";

const metric = (name: string, last: unknown, min = 0, max = 1) =>
  ({ name, kind: "scalar", count: 1, last, min, max, last_step: 0, last_at: "2026-01-01T00:00:00Z" }) as const;
const side = (id: string, params: Record<string, string>, metrics: Side["metrics"] = [], tags: Side["tags"] = {}): Side => ({ id, facts: { status: "Completed" }, params, tags, metrics });

test("what all have alike is not marked", () => {
  const [status, lr] = linesOf([side("a", { lr: "0.1" }), side("b", { lr: "0.1" })], ["last"], number);
  expect(status).toMatchObject({ group: "Run", name: "status", differs: false });
  expect(lr?.cells.map((cell) => cell.odd)).toEqual([false, false]);
});
test("of three the one that differs is marked, of two both", () => {
  const three = linesOf([side("a", { lr: "0.1" }), side("b", { lr: "0.2" }), side("c", { lr: "0.1" })], ["last"], number)[1];
  expect(three?.cells.map((cell) => cell.odd)).toEqual([false, true, false]);
  const two = linesOf([side("a", { lr: "0.1" }), side("b", {})], ["last"], number)[1];
  expect(two).toMatchObject({ differs: true });
  expect(two?.cells.map((cell) => [cell.text, cell.odd])).toEqual([["0.1", true], [undefined, true]]);
});
test("of two values that are had equally often neither is the usual one", () => {
  expect(usualValue(["x", "x", "y", "y"])).toBeNull();
  expect(usualValue(["x", "x", "y", "z"])).toBeNull();
  expect(usualValue(["x", "x", "y"])).toBe("x");
  expect(usualValue([undefined, undefined, "y"])).toBeUndefined();
});
test("the smallest and largest of a metric are named, the whole value is kept", () => {
  const lines = linesOf([side("a", {}, [metric("loss", 0.123456789)]), side("b", {}, [metric("loss", 0.5)]), side("c", {}, [metric("loss", "NaN")])], ["last"], number);
  const loss = lines.find((line) => line.name === "loss");
  expect(loss?.cells[0]).toMatchObject({ text: "0.12346", full: "0.123456789" });
  expect(loss?.cells[2]?.text).toBe("NaN");
  const finite = linesOf([side("a", {}, [metric("loss", 0.1)]), side("b", {}, [metric("loss", 0.5)])], ["last"], number).find((line) => line.name === "loss");
  expect(finite?.cells.map((cell) => cell.best)).toEqual(["smallest", "largest"]);
});
test("last, min and max are lines of their own", () => {
  const lines = linesOf([side("a", {}, [metric("loss", 1)]), side("b", {}, [metric("loss", 1)])], ["last", "min", "max"], number);
  expect(lines.filter((line) => line.group === "Metrics").map((line) => line.name)).toEqual(["loss (last)", "loss (min)", "loss (max)"]);
});
test("a tag without a value is there", () => {
  const lines = linesOf([side("a", {}, [], { best: null }), side("b", {})], ["last"], number);
  expect(lines.at(-1)?.cells.map((cell) => cell.text)).toEqual(["set, no value", undefined]);
});
test("ids of the address: each once, at most fifty, nothing strange", () => {
  expect(runsOf(new URLSearchParams("run=a&run=b&run=a&run=c%20or%20d"))).toEqual(["a", "b"]);
  expect(runsOf(new URLSearchParams(Array.from({ length: 80 }, (_, i) => ["run", `r${i}`])))).toHaveLength(50);
});
test("a query is never longer than the server takes", () => {
  const ids = Array.from({ length: 50 }, (_, i) => `experiment-with-a-long-name_1794824496_${1000 + i}`);
  const queries = queriesFor(ids);
  expect(queries.every((query) => query.length <= 1900)).toBe(true);
  expect(queries.flatMap((query) => query.replace("is:any id=", "").split(","))).toEqual(ids);
});
test("fifty runs have fifty colours", () => expect(new Set(Array.from({ length: 50 }, (_, i) => colorOf(i))).size).toBe(50));
