import { expect, test } from "vitest";
import { argumentsOf, commandWords, loggedParams } from "./params";

test("names with values, with =, without, and negative numbers", () => {
  expect(argumentsOf(["--lr", "-0.5", "--width=32", "--nesterov", "-n", "3", "data/"])).toEqual([
    { name: "--lr", value: "-0.5" },
    { name: "--width", value: "32" },
    { name: "--nesterov", value: "true" },
    { name: "-n", value: "3" },
    { name: "", value: "data/" },
  ]);
});

test("a command line is cut into words as a shell does", () => {
  expect(commandWords(`python -u train.py --name 'two words' --quote "a \\"b\\"" c\\ d`)).toEqual(["--name", "two words", "--quote", 'a "b"', "c d"]);
  expect(commandWords("./run --fast")).toEqual(["--fast"]);
  expect(commandWords("python a.py && python b.py")).toEqual([]);
});

test("what a run logged itself is what its command line does not say", () => {
  const settings = argumentsOf(["--lr", "0.1", "--epochs=3"]);
  expect(loggedParams({ lr: "0.1", epochs: "5", "opt.name": "adam" }, settings)).toEqual([
    ["epochs", "5"],
    ["opt.name", "adam"],
  ]);
  expect(loggedParams({}, settings)).toEqual([]);
});
