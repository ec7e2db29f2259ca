// Arguments as a line that a person can edit, and back: words in quotes where they need them, as a shell takes them.

const PLAIN = /^[\w@%+=:,./$-]+$/;

export const joinWords = (words: readonly string[]): string => words.map((word) => (PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");

/** Undefined while a quote is open. */
export function splitWords(line: string): string[] | undefined {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!;
    if (!quote && /\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word ??= "";
    if (c === quote) quote = "";
    else if (!quote && (c === "'" || c === '"')) quote = c;
    else if (c === "\\" && quote !== "'" && i + 1 < line.length) word += line[++i];
    else word += c;
  }
  if (quote) return undefined;
  if (word !== undefined) words.push(word);
  return words;
}
