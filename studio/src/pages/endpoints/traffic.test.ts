import { expect, test } from "vitest";
import { apportion, changesOf, measuredShares, sameShares, sharesOf, sharesText, sumOf, withShare } from "./traffic";

test("what one deployment gains the others lose in proportion, and all make a hundred", () => {
  const before = { blue: 60, green: 30, red: 10 };
  expect(withShare(before, "red", 40)).toEqual({ blue: 40, green: 20, red: 40 });
  for (let percent = 0; percent <= 100; percent += 1) expect(sumOf(withShare(before, "green", percent))).toBe(100);
});

test("those that had nothing share evenly", () => {
  expect(withShare({ blue: 100, green: 0, red: 0 }, "blue", 95)).toEqual({ blue: 95, green: 3, red: 2 });
});

test("a deployment that is alone keeps everything; nonsense is taken as nothing", () => {
  expect(withShare({ blue: 100 }, "blue", 10)).toEqual({ blue: 100 });
  expect(withShare({ blue: 50, green: 50 }, "blue", NaN)).toEqual({ blue: 0, green: 100 });
  expect(withShare({ blue: 50, green: 50 }, "blue", 1000)).toEqual({ blue: 100, green: 0 });
});

test("the largest remainders get what is left over", () => {
  expect(apportion([1, 1, 1], 100)).toEqual([34, 33, 33]);
  expect(apportion([0, 0], 5)).toEqual([3, 2]);
});

test("shares are compared and told without those that get nothing", () => {
  expect(sharesOf(["blue", "green"], { blue: 100 })).toEqual({ blue: 100, green: 0 });
  expect(sameShares({ blue: 100 }, { blue: 100, green: 0 })).toBe(true);
  expect(sameShares({ blue: 90, green: 10 }, { blue: 100 })).toBe(false);
  expect(changesOf({ blue: 100 }, { blue: 90, green: 10 })).toEqual(["blue: 100 % → 90 %", "green: 0 % → 10 %"]);
  expect(sharesText({ green: 10, blue: 90, red: 0 })).toBe("blue 90 %, green 10 %");
});

test("who got what", () => {
  expect(measuredShares({ blue: 3, green: 1 })).toEqual({ blue: 0.75, green: 0.25 });
  expect(measuredShares({ blue: 0 })).toEqual({ blue: 0 });
});
