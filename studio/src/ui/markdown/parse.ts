// Markdown as a tree: headings, paragraphs, lists, tables, quotes, code, rules; bold, italic, struck, code and links in a
// line. There is no HTML in it: what looks like a tag is text.

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "em" | "del"; children: Inline[] }
  | { kind: "link"; href: string; children: Inline[] }
  | { kind: "image"; href: string; alt: string }
  | { kind: "break" };

export interface Item {
  /** Of a task list: whether it is done. */
  done?: boolean;
  blocks: Block[];
}
export type Block =
  | { kind: "heading"; level: number; children: Inline[] }
  | { kind: "paragraph"; children: Inline[] }
  | { kind: "code"; language: string; text: string }
  | { kind: "quote"; blocks: Block[] }
  | { kind: "list"; ordered: boolean; start: number; items: Item[] }
  | { kind: "table"; head: Inline[][]; align: ("left" | "right" | "center")[]; rows: Inline[][][] }
  | { kind: "rule" };

/** Lists and quotes in one another. */
const DEEPEST = 12;

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`]*)$/;
const RULE = /^ {0,3}([-*_])[ \t]*(?:\1[ \t]*){2,}$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])(?:[ \t]+(.*)|)$/;
const TASK = /^\[([ xX])\][ \t]+/;
const DASHES = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;

export const parseMarkdown = (text: string): Block[] => blocksOf(text.replace(/\r\n?/g, "\n").replace(/\t/g, "    ").split("\n"), 0);

const blank = (line: string): boolean => line.trim() === "";
const begins = (line: string): boolean => HEADING.test(line) || FENCE.test(line) || RULE.test(line) || QUOTE.test(line) || ITEM.test(line);

function blocksOf(lines: readonly string[], depth: number): Block[] {
  const blocks: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const line = lines[at]!;
    if (blank(line)) {
      at += 1;
      continue;
    }
    const found = depth < DEEPEST ? (fence(lines, at) ?? heading(line, at) ?? rule(line, at) ?? quote(lines, at, depth) ?? list(lines, at, depth) ?? table(lines, at)) : undefined;
    const [block, next] = found ?? paragraph(lines, at, depth);
    blocks.push(block);
    at = next;
  }
  return blocks;
}

type Found = [Block, number] | undefined;

function fence(lines: readonly string[], from: number): Found {
  const open = FENCE.exec(lines[from]!);
  if (!open) return undefined;
  const mark = open[1]!;
  let to = from + 1;
  while (to < lines.length && !(lines[to]!.trim().startsWith(mark) && /^[`~]+$/.test(lines[to]!.trim()))) to += 1;
  return [{ kind: "code", language: open[2]!.trim().split(/\s/)[0] ?? "", text: lines.slice(from + 1, to).join("\n") }, to + 1];
}

function heading(line: string, at: number): Found {
  const found = HEADING.exec(line);
  return found ? [{ kind: "heading", level: found[1]!.length, children: inlineOf(found[2] ?? "") }, at + 1] : undefined;
}

const rule = (line: string, at: number): Found => (RULE.test(line) ? [{ kind: "rule" }, at + 1] : undefined);

function quote(lines: readonly string[], from: number, depth: number): Found {
  if (!QUOTE.test(lines[from]!)) return undefined;
  let to = from;
  while (to < lines.length && QUOTE.test(lines[to]!)) to += 1;
  return [{ kind: "quote", blocks: blocksOf(lines.slice(from, to).map((line) => line.replace(QUOTE, "")), depth + 1) }, to];
}

function list(lines: readonly string[], from: number, depth: number): Found {
  const first = ITEM.exec(lines[from]!);
  if (!first) return undefined;
  const ordered = /\d/.test(first[2]!);
  const items: Item[] = [];
  let at = from;
  while (at < lines.length) {
    const found = ITEM.exec(lines[at]!);
    if (!found || /\d/.test(found[2]!) !== ordered || RULE.test(lines[at]!)) break;
    const indent = found[1]!.length + found[2]!.length + 1;
    const own = [found[3] ?? ""];
    at += 1;
    // What is indented as far belongs to it, and lines that merely go on.
    while (at < lines.length) {
      const line = lines[at]!;
      if (blank(line)) {
        const next = lines.slice(at).find((one) => !blank(one));
        if (next === undefined || spaces(next) < Math.min(indent, 2)) break;
        own.push("");
      } else if (spaces(line) >= Math.min(indent, 2)) own.push(line.slice(Math.min(indent, spaces(line))));
      else if (begins(line) || own[own.length - 1] === "") break;
      else own.push(line);
      at += 1;
    }
    const task = TASK.exec(own[0]!);
    if (task) own[0] = own[0]!.slice(task[0].length);
    items.push({ blocks: blocksOf(own, depth + 1), ...(task ? { done: task[1] !== " " } : {}) });
    while (at < lines.length && blank(lines[at]!) && at + 1 < lines.length && ITEM.test(lines[at + 1]!)) at += 1;
  }
  return [{ kind: "list", ordered, start: ordered ? parseInt(first[2]!, 10) : 1, items }, at];
}

const spaces = (line: string): number => line.length - line.trimStart().length;

/** Cells between bars; `\|` is a bar in one. */
const cells = (line: string): string[] =>
  line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "").split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));

function table(lines: readonly string[], from: number): Found {
  const dashes = lines[from + 1];
  if (!lines[from]!.includes("|") || dashes === undefined || !DASHES.test(dashes)) return undefined;
  const head = cells(lines[from]!);
  const align = cells(dashes).map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "right") : "left"));
  if (align.length !== head.length) return undefined;
  let to = from + 2;
  while (to < lines.length && !blank(lines[to]!) && lines[to]!.includes("|")) to += 1;
  const rows = lines.slice(from + 2, to).map((line) => {
    const row = cells(line);
    return head.map((_, i) => inlineOf(row[i] ?? ""));
  });
  return [{ kind: "table", head: head.map(inlineOf), align, rows }, to];
}

function paragraph(lines: readonly string[], from: number, depth: number): [Block, number] {
  let to = from + 1;
  while (to < lines.length && !blank(lines[to]!) && (depth >= DEEPEST || !begins(lines[to]!))) to += 1;
  return [{ kind: "paragraph", children: inlineOf(lines.slice(from, to).map((line) => line.trimStart()).join("\n")) }, to];
}

const INLINE: [RegExp, (found: RegExpExecArray, depth: number) => Inline][] = [
  [/^\\([!-/:-@[-`{-~])/, (found) => ({ kind: "text", text: found[1]! })],
  [/^(`+)([^`]|[^`][\s\S]*?[^`])\1(?!`)/, (found) => ({ kind: "code", text: found[2]!.replace(/\n/g, " ").replace(/^ (.*\S.*) $/, "$1") })],
  [/^!\[([^\]\n]{0,500})\]\(\s*<?([^\s<>()]{1,2000})>?(?:\s+"[^"\n]{0,500}")?\s*\)/, (found) => ({ kind: "image", alt: found[1]!, href: found[2]! })],
  [/^\[((?:[^[\]\\\n]|\\.){1,1000})\]\(\s*<?((?:[^\s<>()]|\([^\s<>()]{0,500}\)){1,2000})>?(?:\s+"[^"\n]{0,500}")?\s*\)/, (found, depth) => ({ kind: "link", href: found[2]!, children: inlineOf(found[1]!, depth + 1) })],
  [/^<(https?:\/\/[^\s<>]{1,2000})>/, (found) => ({ kind: "link", href: found[1]!, children: [{ kind: "text", text: found[1]! }] })],
  [/^https?:\/\/[^\s<>"'`]{0,2000}[^\s<>"'`.,;:!?)\]*_~]/, (found) => ({ kind: "link", href: found[0], children: [{ kind: "text", text: found[0] }] })],
  [/^\*\*(?=\S)((?:(?!\*\*)[\s\S]){0,5000}?\S)\*\*/, (found, depth) => ({ kind: "strong", children: inlineOf(found[1]!, depth + 1) })],
  [/^__(?=\S)((?:(?!__)[\s\S]){0,5000}?\S)__(?![A-Za-z0-9_])/, (found, depth) => ({ kind: "strong", children: inlineOf(found[1]!, depth + 1) })],
  [/^~~(?=\S)((?:(?!~~)[\s\S]){0,5000}?\S)~~/, (found, depth) => ({ kind: "del", children: inlineOf(found[1]!, depth + 1) })],
  [/^\*(?=\S)((?:[^*]|\*\*){0,5000}?[^\s*])\*(?!\*)/, (found, depth) => ({ kind: "em", children: inlineOf(found[1]!, depth + 1) })],
  [/^_(?=\S)([^_]{0,5000}?[^\s_])_(?![A-Za-z0-9_])/, (found, depth) => ({ kind: "em", children: inlineOf(found[1]!, depth + 1) })],
  [/^(?: {2,}|\\)\n/, () => ({ kind: "break" })],
];
/** A mark can only be where one of these is; between them is text. */
const SPECIAL = /[\\`![<*_~]| {2,}\n|https?:\/\//g;
/** Marks that open and never close make the rest of a line be looked through again and again. */
const MOST_MISSES = 2000;

export function inlineOf(text: string, depth = 0): Inline[] {
  if (depth > DEEPEST) return [{ kind: "text", text }];
  const out: Inline[] = [];
  let plain = "";
  let at = 0;
  let misses = 0;
  const flush = () => {
    if (plain !== "") out.push({ kind: "text", text: plain });
    plain = "";
  };
  while (at < text.length) {
    SPECIAL.lastIndex = at;
    const place = misses > MOST_MISSES ? -1 : (SPECIAL.exec(text)?.index ?? -1);
    if (place < 0) {
      plain += text.slice(at);
      break;
    }
    plain += text.slice(at, place);
    const rest = text.slice(place);
    // An underline within a word is part of its name.
    const inWord = rest[0] === "_" && /[A-Za-z0-9]$/.test(plain);
    const found = inWord ? undefined : firstMatch(rest, depth);
    if (!found) {
      misses += 1;
      plain += rest[0];
      at = place + 1;
      continue;
    }
    if (found[0].kind === "text") plain += found[0].text;
    else {
      flush();
      out.push(found[0]);
    }
    at = place + found[1];
  }
  flush();
  return out;
}

function firstMatch(rest: string, depth: number): [Inline, number] | undefined {
  for (const [pattern, make] of INLINE) {
    const found = pattern.exec(rest);
    if (found) return [make(found, depth), found[0].length];
  }
  return undefined;
}

/** Where a link may lead: to a page on the web or a mail, or to a place of this address; never to a script or a file. */
export function safeHref(href: string): string | undefined {
  // Browsers leave out such characters, so that java\nscript: would be javascript:.
  const text = href.replace(/[\u0000-\u0020\u007f-\u009f\u200b-\u200f\u2028-\u202f\ufeff]/g, "");
  if (/^(https?:\/\/|mailto:)/i.test(text)) return text;
  if (/^[a-z][a-z0-9+.-]*:/i.test(text) || text.startsWith("//") || text.includes("\\")) return undefined;
  return /^[/#?]/.test(text) ? text : undefined;
}
