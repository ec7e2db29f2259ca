import { expect, test } from "vitest";
import { pointsCsv } from "../../pages/run/metrics/csv";
import { cell, csvOf, fileName } from "./save";

test("cells are quoted when they must be", () => {
  expect(cell('a "b", c')).toBe('"a ""b"", c"');
  expect(cell("x\ny")).toBe('"x\ny"');
  expect([cell(null), cell(undefined), cell(0.1 + 0.2), cell("NaN")]).toEqual(["", "", "0.30000000000000004", "NaN"]);
  expect(cell({ a: 1 })).toBe('"{""a"":1}"');
});

test("rows end as RFC 4180 wants", () => expect(csvOf([["a", "b"], [1, 2]])).toBe("a,b\r\n1,2\r\n"));

test("every point is a row", () => {
  const points = [{ index: 0, step: null, at: "2026-01-01T00:00:00Z", value: 1.5 }, { index: 1, step: 7, at: "2026-01-01T00:00:01Z", value: "NaN" }];
  expect(pointsCsv([{ name: "train/loss", points }])).toBe(
    "metric,index,step,time,value\r\ntrain/loss,0,,2026-01-01T00:00:00Z,1.5\r\ntrain/loss,1,7,2026-01-01T00:00:01Z,NaN\r\n",
  );
});

test("a file name has only plain characters", () => expect(fileName("train/loss ü", "png")).toBe("train_loss_.png"));
