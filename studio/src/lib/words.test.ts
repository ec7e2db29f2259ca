import { expect, test } from "vitest";
import { joinWords, splitWords } from "./words";

test("words become a line and the same words again", () => {
  for (const words of [[], ["--lr", "0.1"], ["two words", "it's", '"', "a\\b", "", "$HOME/x", "größe"]]) {
    expect(splitWords(joinWords(words))).toEqual(words);
  }
  expect(joinWords(["--lr", "0.1", "a b"])).toBe("--lr 0.1 'a b'");
});

test("quotes as a shell takes them", () => {
  expect(splitWords(`--name "a 'b' c"  'd "e"' f\\ g`)).toEqual(["--name", "a 'b' c", 'd "e"', "f g"]);
  expect(splitWords("--name 'open")).toBeUndefined();
});
