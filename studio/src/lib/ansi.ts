// A line of a log as a terminal would show it: colours, and what carriage returns overwrote. The text is hostile: it comes from
// any program. What is no colour is left out, what cannot be seen is made visible, and nothing grows beyond the line.
import { readable, rgbOf, type Rgb } from "./ansi_colors";

export interface Pen {
  /** 0..255, or a true colour. */
  fg?: number | Rgb;
  bg?: number | Rgb;
  bold?: true;
  dim?: true;
  italic?: true;
  underline?: true;
  strike?: true;
  inverse?: true;
}
export interface Span {
  text: string;
  className: string;
  style?: Record<string, string>;
}
export const PLAIN: Pen = Object.freeze({});

export const samePen = (a: Pen, b: Pen): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** Moving the cursor cannot make a line longer than this. */
const MOST_COLUMNS = 4096;
// Colours and the like; other sequences with parameters; strings (titles, links), ended by BEL or ESC \; two-byte sequences.
// eslint-disable-next-line no-control-regex
const ESCAPE = /\x1b(?:\[([0-9;:<=>?]{0,256})([ -/]{0,8})([@-~])|[\]PX^_][^\x07\x1b]{0,4096}(?:\x07|\x1b\\)|[ -/]{0,8}[0-Zc-~\\`ab])/y;

/** The line without its end, from the pen that the line before it left behind. */
export function parseLine(line: string, pen: Pen = PLAIN): { spans: Span[]; pen: Pen } {
  // eslint-disable-next-line no-control-regex
  if (!/[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(line)) return { spans: line === "" ? [] : [spanOf(line, pen)], pen };
  const cells: string[] = [];
  const pens: Pen[] = [];
  let column = 0;
  const put = (text: string) => {
    for (let filled = cells.length; filled < column; filled += 1) {
      cells.push(" ");
      pens.push(PLAIN);
    }
    cells[column] = text;
    pens[column] = pen;
    column += 1;
  };
  for (let i = 0; i < line.length; ) {
    const code = line.charCodeAt(i);
    if (code === 0x1b) {
      ESCAPE.lastIndex = i;
      const found = ESCAPE.exec(line);
      if (!found) {
        put("␛");
        i += 1;
        continue;
      }
      i = ESCAPE.lastIndex;
      const [, parameters, between, final] = found;
      if (final === undefined || between) continue;
      if (final === "m") pen = apply(pen, parameters!);
      else column = move(column, final, parameters!, cells, pens);
      continue;
    }
    if (code === 0x0d) column = 0;
    else if (code === 0x08) column = Math.max(0, column - 1);
    else if (code === 0x07) {
      // A bell is heard, not seen.
    } else if (code < 0x20 && code !== 0x09) put(String.fromCharCode(0x2400 + code));
    else if (code === 0x7f) put("␡");
    else if (code >= 0x80 && code < 0xa0) put("�");
    else if (isDirection(code)) put(`⟨${code.toString(16).toUpperCase()}⟩`);
    else {
      const text = String.fromCodePoint(line.codePointAt(i)!);
      put(text);
      i += text.length;
      continue;
    }
    i += 1;
  }
  return { spans: join(cells, pens), pen };
}

/** The pen after a line, when the line itself is not shown. */
export function penAfter(line: string, pen: Pen): Pen {
  if (!line.includes("\x1b[")) return pen;
  // eslint-disable-next-line no-control-regex
  for (const found of line.matchAll(/\x1b\[([0-9;:]{0,256})m/g)) pen = apply(pen, found[1]!);
  return pen;
}

/** Marks that turn the direction of writing could make a line read otherwise than it is. */
const isDirection = (code: number) =>
  code === 0x200e || code === 0x200f || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);

function move(column: number, final: string, parameters: string, cells: string[], pens: Pen[]): number {
  const n = Math.min(Number.parseInt(parameters, 10) || 0, MOST_COLUMNS);
  switch (final) {
    case "K":
      if (n === 0) cells.length = pens.length = Math.min(cells.length, column);
      else if (n === 2) cells.length = pens.length = 0;
      else for (let i = 0; i < Math.min(column, cells.length); i += 1) cells[i] = " ";
      return column;
    case "G":
      return Math.max(0, n - 1);
    case "C":
      return Math.max(column, Math.min(column + Math.max(1, n), MOST_COLUMNS));
    case "D":
      return Math.max(0, column - Math.max(1, n));
  }
  return column;
}

function apply(pen: Pen, parameters: string): Pen {
  const codes = parameters.split(/[;:]/).map((text) => Number.parseInt(text, 10) || 0);
  const next: Pen = { ...pen };
  for (let i = 0; i < codes.length; i += 1) {
    const code = codes[i]!;
    if (code === 0) for (const name of Object.keys(next)) delete next[name as keyof Pen];
    else if (code === 1) next.bold = true;
    else if (code === 2) next.dim = true;
    else if (code === 3) next.italic = true;
    else if (code === 4 || code === 21) next.underline = true;
    else if (code === 7) next.inverse = true;
    else if (code === 9) next.strike = true;
    else if (code === 22) {
      delete next.bold;
      delete next.dim;
    } else if (code === 23) delete next.italic;
    else if (code === 24) delete next.underline;
    else if (code === 27) delete next.inverse;
    else if (code === 29) delete next.strike;
    else if (code >= 30 && code <= 37) next.fg = code - 30;
    else if (code === 39) delete next.fg;
    else if (code >= 40 && code <= 47) next.bg = code - 40;
    else if (code === 49) delete next.bg;
    else if (code >= 90 && code <= 97) next.fg = code - 90 + 8;
    else if (code >= 100 && code <= 107) next.bg = code - 100 + 8;
    else if (code === 38 || code === 48) {
      const [color, used] = extended(codes, i + 1);
      if (color !== undefined) next[code === 38 ? "fg" : "bg"] = color;
      i += used;
    }
  }
  return next;
}

/** 5;N or 2;R;G;B, and how many codes that took. */
function extended(codes: number[], at: number): [number | Rgb | undefined, number] {
  const valid = (value: number | undefined): value is number => value !== undefined && value <= 255;
  if (codes[at] === 5) return [valid(codes[at + 1]) ? codes[at + 1]! : undefined, 2];
  if (codes[at] !== 2) return [undefined, 1];
  const [r, g, b] = codes.slice(at + 1, at + 4);
  return [valid(r) && valid(g) && valid(b) ? [r, g, b] : undefined, 4];
}

function join(cells: string[], pens: Pen[]): Span[] {
  const spans: Span[] = [];
  for (let i = 0; i < cells.length; ) {
    let end = i + 1;
    while (end < cells.length && pens[end] === pens[i]) end += 1;
    spans.push(spanOf(cells.slice(i, end).join(""), pens[i]!));
    i = end;
  }
  return spans;
}

function spanOf(text: string, pen: Pen): Span {
  const names = (["bold", "dim", "italic", "underline", "strike"] as const).filter((name) => pen[name]).map((name) => `ansi-${name}`);
  const [fg, bg] = pen.inverse ? [pen.bg, pen.fg] : [pen.fg, pen.bg];
  if (bg !== undefined) {
    const ground = rgbOf(bg);
    const style = { color: css(readable(fg === undefined ? undefined : rgbOf(fg), ground)), backgroundColor: css(ground) };
    return { text, className: names.join(" "), style };
  }
  if (pen.inverse) names.push("ansi-inverse");
  else if (typeof fg === "number" && fg < 16) names.push(`ansi-fg-${fg}`);
  else if (fg !== undefined) return { text, className: [...names, "ansi-rgb"].join(" "), style: { "--ansi": css(rgbOf(fg)) } };
  return { text, className: names.join(" ") };
}

const css = ([r, g, b]: Rgb) => `rgb(${r}, ${g}, ${b})`;
