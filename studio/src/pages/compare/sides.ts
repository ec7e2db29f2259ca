// Runs side by side: one line a fact, with what differs marked.

export interface Side {
  id: string;
  facts: Record<string, string | null>;
  params: Record<string, string>;
  tags: Record<string, string | null>;
  metrics: readonly { name: string; last: unknown; min?: unknown; max?: unknown; kind?: string; count?: number }[];
}
export interface Cell {
  /** What is shown; undefined if the run lacks it. */
  text: string | undefined;
  /** The whole value, where the text is short. */
  full?: string;
  /** Not what most of the others have; of two runs that differ, both. Metrics nearly always differ, so there it says nothing. */
  odd: boolean;
  best?: "smallest" | "largest";
}
export interface Line {
  group: string;
  name: string;
  cells: Cell[];
  differs: boolean;
  numeric: boolean;
}

export type Shown = "last" | "min" | "max";

/** The value that more than half of the runs have; null if there is no such value. */
export function usualValue(values: readonly (string | undefined)[]): string | undefined | null {
  const counts = new Map<string | undefined, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  for (const [value, count] of counts) if (2 * count > values.length) return value;
  return null;
}

function lineOf(group: string, name: string, values: (string | undefined)[], texts?: (string | undefined)[]): Line {
  const differs = values.some((value) => value !== values[0]);
  const usual = differs ? usualValue(values) : null;
  const isOdd = (value: string | undefined) => differs && group !== "Metrics" && (usual === null ? values.length === 2 : value !== usual);
  const present = values.filter((value) => value !== undefined);
  return {
    group,
    name,
    differs,
    numeric: present.length > 0 && present.every((value) => value.trim() !== "" && Number.isFinite(Number(value))),
    cells: values.map((value, i) => {
      const text = texts ? texts[i] : value;
      const cell: Cell = { text, odd: isOdd(value) };
      if (value !== undefined && value !== text) cell.full = value;
      return cell;
    }),
  };
}

/** What it is; the view of tables and images draws it. */
function summaryOf(value: object, kind: string | undefined, count: number | undefined): string {
  const data = ((value as { data?: unknown }).data ?? value) as Record<string, unknown>;
  const many = count !== undefined && count > 1 ? `${count} ` : "";
  if (kind === "image") return many ? `${many}images` : "an image";
  if (Array.isArray(data.matrix)) return `matrix, ${data.matrix.length} classes`;
  const columns = Object.keys(data).length;
  return `${many}${(kind ?? "value").replace("_", " ")}${kind === "row" ? (many ? "s" : "") : ""}, ${columns} ${columns === 1 ? "column" : "columns"}`;
}

function markExtremes(line: Line): Line {
  if (!line.differs || !line.numeric) return line;
  const numbers = line.cells.map((cell) => Number(cell.full ?? cell.text ?? NaN));
  const finite = numbers.filter(Number.isFinite);
  const [least, most] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length < 2 || least === most) return line;
  line.cells.forEach((cell, i) => {
    if (numbers[i] === least) cell.best = "smallest";
    else if (numbers[i] === most) cell.best = "largest";
  });
  return line;
}

const names = (records: Record<string, unknown>[]): string[] =>
  [...new Set(records.flatMap((record) => Object.keys(record)))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));

export function linesOf(sides: readonly Side[], shown: readonly Shown[], format: (value: unknown) => string): Line[] {
  const lines: Line[] = [];
  const facts = sides[0] ? Object.keys(sides[0].facts) : [];
  for (const name of facts) lines.push(lineOf("Run", name, sides.map((side) => side.facts[name] ?? undefined)));
  for (const name of names(sides.map((side) => side.params))) lines.push(lineOf("Parameters", name, sides.map((side) => side.params[name])));
  const metrics = sides.map((side) => new Map(side.metrics.map((one) => [one.name, one])));
  const all = [...new Set(metrics.flatMap((map) => [...map.keys()]))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  for (const name of all) {
    for (const which of shown) {
      const raw = metrics.map((map) => map.get(name)?.[which]);
      const values = raw.map((value) => (value === undefined || value === null ? undefined : typeof value === "object" ? JSON.stringify(value) : String(value)));
      if (values.every((value) => value === undefined)) continue;
      const texts = raw.map((value, i) => {
        const one = metrics[i]!.get(name);
        return values[i] === undefined ? undefined : typeof value === "object" && value !== null ? summaryOf(value, one?.kind, one?.count) : format(value);
      });
      lines.push(markExtremes(lineOf("Metrics", shown.length > 1 ? `${name} (${which})` : name, values, texts)));
    }
  }
  for (const name of names(sides.map((side) => side.tags))) {
    lines.push(lineOf("Tags", name, sides.map((side) => (name in side.tags ? (side.tags[name] ?? "set, no value") : undefined))));
  }
  return lines;
}
