// The settings of a run as its command line has them. The server reads them by the same rules (src/domain/run_params.h).
export interface Argument {
  /** "" for what has no name. */
  name: string;
  value: string;
}

// -0.5 is a value, -n and --name are not.
const isName = (word: string): boolean => /^-[^\d.]/.test(word) && word !== "--";

export function argumentsOf(words: readonly string[]): Argument[] {
  const out: Argument[] = [];
  for (let i = 0; i < words.length; i += 1) {
    const word = words[i]!;
    if (!isName(word)) {
      out.push({ name: "", value: word });
      continue;
    }
    const equals = word.indexOf("=");
    const next = words[i + 1];
    if (equals > 0) out.push({ name: word.slice(0, equals), value: word.slice(equals + 1) });
    else if (next !== undefined && !isName(next)) {
      out.push({ name: word, value: next });
      i += 1;
    } else out.push({ name: word, value: "true" });
  }
  return out;
}

/** The words of a plain command line after its script; none of one with pipes, lists or redirections. */
export function commandWords(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let i = 0; i < command.length; i += 1) {
    const c = command[i]!;
    if (quote) {
      if (c === quote) quote = "";
      else if (c === "\\" && quote === '"' && i + 1 < command.length) word += command[(i += 1)]!;
      else word += c;
    } else if (c === "'" || c === '"') {
      quote = c;
      word ??= "";
    } else if (c === "\\" && i + 1 < command.length) word = (word ?? "") + command[(i += 1)]!;
    else if (c === " " || c === "\t") {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (";|&<>()`\n".includes(c)) return [];
    else word = (word ?? "") + c;
  }
  if (word !== undefined) words.push(word);
  const script = words.findIndex((one, i) => i > 0 && one.endsWith(".py"));
  return words.slice(script > 0 ? script + 1 : 1);
}

/** What a run logged as parameters and its command line does not say. */
export function loggedParams(params: Record<string, string>, settings: readonly Argument[]): [string, string][] {
  const said = new Map(settings.map(({ name, value }) => [name.replace(/^-+/, ""), value]));
  return Object.entries(params).filter(([name, value]) => said.get(name) !== value);
}
