// Tables as text: fields between separators, quoted with "" for a quote (RFC 4180), line ends of any kind.
export interface Table {
  rows: string[][];
  /** The text was read to its end. */
  complete: boolean;
}

/** At most so many rows. Of a text that goes on (`cut`), a last row without its end is left out. */
export function parseCsv(text: string, separator: string, most: number, cut = false): Table {
  const rows: string[][] = [];
  let row: string[] = [];
  let i = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (i < text.length && rows.length < most) {
    let field = "";
    if (text[i] === '"') {
      for (i += 1; ; ) {
        const quote = text.indexOf('"', i);
        if (quote < 0) {
          field += text.slice(i);
          i = text.length;
          if (cut) return { rows, complete: false };
          break;
        }
        field += text.slice(i, quote);
        i = quote + 1;
        if (text[i] !== '"') break;
        field += '"';
        i += 1;
      }
    }
    // What follows a closing quote belongs to the field as it is.
    const start = i;
    while (i < text.length && text[i] !== separator && text[i] !== "\n" && text[i] !== "\r") i += 1;
    row.push(field + text.slice(start, i));
    if (i >= text.length) {
      if (cut) return { rows, complete: false };
      rows.push(row);
      row = [];
      break;
    }
    if (text[i] === separator) {
      i += 1;
      if (i === text.length && !cut) row.push("");
      else continue;
    } else {
      i += text[i] === "\r" && text[i + 1] === "\n" ? 2 : 1;
    }
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  }
  return { rows, complete: !cut && i >= text.length };
}

export type ColumnType = "empty" | "integer" | "number" | "yes/no" | "time" | "text";

const TESTS: [ColumnType, RegExp][] = [
  ["integer", /^[+-]?\d+$/],
  ["number", /^[+-]?(?:\d+\.?\d*(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?|nan|inf(?:inity)?)$/i],
  ["yes/no", /^(?:true|false)$/i],
  ["time", /^\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d.*)?$/],
];

/** The narrowest type that all values of the column have; empty fields are of any. */
export function columnType(values: Iterable<string>): ColumnType {
  let open = TESTS;
  let any = false;
  for (const value of values) {
    if (value === "") continue;
    any = true;
    open = open.filter(([, test]) => test.test(value));
    if (open.length === 0) return "text";
  }
  return any ? open[0]![0] : "empty";
}
