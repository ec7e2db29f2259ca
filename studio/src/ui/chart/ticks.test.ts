import { expect, test } from "vitest";
import { tick, xLabels, xText } from "./ticks";

test("as many decimals as the step needs", () => {
  expect([tick(12.5, 2.5), tick(0.05, 0.05), tick(0.30000000000000004, 0.1), tick(100, 50), tick(0, 0.1)]).toEqual(["12.5", "0.05", "0.3", "100", "0"]);
});

test("very large and very small with an exponent", () => {
  expect([tick(2.5e7, 5e6), tick(3e-5, 1e-5), tick(1.25e-4, 2.5e-5)]).toEqual(["2.5e7", "3e-5", "1.25e-4"]);
});

test("time since the start", () => {
  expect(xLabels("relative", [0, 30, 60, 90], 30)).toEqual(["0 s", "30 s", "1:00", "1:30"]);
  expect(xLabels("relative", [0, 600, 4200], 600)).toEqual(["0 min", "10 min", "1:10 h"]);
  expect(xText("step", 1200)).toBe("step 1200");
});

test("exact values keep all digits", async () => {
  const { exact } = await import("./ticks");
  expect(exact(0.1 + 0.2)).toBe("0.30000000000000004");
  expect(exact(null)).toBe("–");
});
