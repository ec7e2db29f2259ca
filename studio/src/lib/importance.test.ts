import { expect, test } from "vitest";
import { encoded, importanceOf, randomFrom, type Feature } from "./importance";

const random = randomFrom(5);
const rows = 200;
const lr: Feature = Array.from({ length: rows }, () => random());
const opt: Feature = Array.from({ length: rows }, () => (random() < 0.5 ? "sgd" : "adam"));
const noise: Feature = Array.from({ length: rows }, () => random());

test("what decides has the largest share, what does nothing next to none", () => {
  const target = lr.map((value, i) => 3 * (value as number) + (opt[i] === "sgd" ? 0.8 : 0));
  const found = importanceOf([lr, opt, noise], target)!;
  expect(found.shares[0]).toBeGreaterThan(found.shares[1]!);
  expect(found.shares[1]).toBeGreaterThan(0.05);
  expect(found.shares[2]).toBeLessThan(0.03);
  expect(found.shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  expect(found.explained).toBeGreaterThan(0.8);
  expect(found.used).toBe(rows);
});
test("the same trials have the same answer", () => {
  const target = lr.map((value) => (value as number) ** 2);
  expect(importanceOf([lr, noise], target)).toEqual(importanceOf([lr, noise], target));
});
test("a parameter that only some trials have counts by being there", () => {
  const momentum = opt.map((value) => (value === "sgd" ? 0.9 : undefined));
  const found = importanceOf([momentum, noise], opt.map((value) => (value === "sgd" ? 1 : 0)))!;
  expect(found.shares[0]).toBeGreaterThan(0.9);
});
test("nothing to learn: too few trials, or values that are alike or no numbers", () => {
  expect(importanceOf([[1, 2, 3]], [1, 2, 3])).toBeUndefined();
  expect(importanceOf([lr], lr.map(() => NaN))).toBeUndefined();
  expect(importanceOf([lr, noise], lr.map(() => 1))).toMatchObject({ shares: [0, 0], explained: 0 });
  const chance = importanceOf([lr, opt], noise as number[])!;
  expect(chance.explained).toBeLessThan(0.15);
});
test("categories stand in the order of their means", () => {
  expect([...encoded(["b", "a", "b", "c"], [1, 5, 3, 4])]).toEqual([0, 2, 0, 1]);
  expect([...encoded([1, undefined], [0, 0])]).toEqual([1, -Infinity]);
});
test("ten thousand trials take no longer than a sample of them", () => {
  const many: Feature[] = Array.from({ length: 6 }, () => Array.from({ length: 10_000 }, () => random()));
  const found = importanceOf(many, many[0]!.map((value) => value as number))!;
  expect(found.used).toBe(1500);
  expect(found.shares[0]).toBeGreaterThan(0.9);
});
