import { describe, expect, it } from "vitest";
import { columnType, parseCsv } from "./csv";

const rows = (text: string, separator = ",") => parseCsv(text, separator, 1000).rows;

describe("parseCsv", () => {
  it("reads fields, quotes and all line ends", () => {
    expect(rows('a,b\r\n1,"x, ""y""\nz"\n3,\n')).toEqual([["a", "b"], ["1", 'x, "y"\nz'], ["3", ""]]);
    expect(rows("a\rb\r")).toEqual([["a"], ["b"]]);
    expect(rows("a\tb,c", "\t")).toEqual([["a", "b,c"]]);
    expect(rows("a,")).toEqual([["a", ""]]);
    expect(rows("\ufeffa,b")).toEqual([["a", "b"]]);
    expect(rows("")).toEqual([]);
    expect(rows('""\n')).toEqual([]);
    expect(rows('a"b,"c"d\n')).toEqual([['a"b', "cd"]]);
  });
  it("keeps what is not ended as text", () => {
    expect(rows('a,"b\nc')).toEqual([["a", "b\nc"]]);
  });
  it("leaves out a last row that is cut off", () => {
    expect(parseCsv("a,b\n1,2\n3,", ",", 100, true)).toEqual({ rows: [["a", "b"], ["1", "2"]], complete: false });
    expect(parseCsv('a\n"x', ",", 100, true).rows).toEqual([["a"]]);
  });
  it("stops at so many rows", () => {
    expect(parseCsv("1\n2\n3\n", ",", 2)).toEqual({ rows: [["1"], ["2"]], complete: false });
  });
  it("gives back what was written", () => {
    let seed = 3;
    const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
    const alphabet = ['"', ",", "\n", "\r", "a", "é", "<", " "];
    for (let round = 0; round < 1000; round += 1) {
      const table = Array.from({ length: 1 + random(4) }, () => Array.from({ length: 2 + random(3) }, () => Array.from({ length: random(5) }, () => alphabet[random(8)]).join("")));
      const text = table.map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(",") + "\n").join("");
      expect(rows(text)).toEqual(table);
    }
  });
});

it("columns have the narrowest type that fits", () => {
  expect(columnType(["1", "-2", ""])).toBe("integer");
  expect(columnType(["1", "2.5e-3", "nan", ".5"])).toBe("number");
  expect(columnType(["true", "False"])).toBe("yes/no");
  expect(columnType(["2026-01-02", "2026-01-02T10:00:00Z"])).toBe("time");
  expect(columnType(["1", "x"])).toBe("text");
  expect(columnType(["", ""])).toBe("empty");
});
