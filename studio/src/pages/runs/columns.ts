// The columns that a table can have, and how wide they are.
import type { RunRow } from "../../lib/api";

export interface Column {
  id: string;
  title: string;
  /** What the server sorts by; null if it cannot. */
  sort: string | null;
  /** Width in rem: the least, and how much of what is left it takes. */
  least: number;
  share: number;
  numeric: boolean;
}

const make = (id: string, title: string, least: number, share = 0, sort: string | null = id, numeric = false): Column => ({ id, title, sort, least, share, numeric });

export const NAME = make("name", "Name", 16, 3);
export const BUILT_IN: Column[] = [
  make("status", "Status", 10),
  make("experiment", "Experiment", 8, 1.2),
  make("created", "Created", 7.2),
  make("duration", "Duration", 8, 0, "duration", true),
  make("user", "User", 6, 0.6),
  make("compute", "Compute", 7, 0.8),
  make("tags", "Tags", 13, 2, null),
  make("started", "Started", 7.2),
  make("ended", "Ended", 7.2),
  make("number", "Number", 5.5, 0, "number", true),
  make("type", "Type", 6, 0, null),
  make("id", "Run ID", 12, 0, null),
  make("error", "Error", 14, 2, null),
];

export function columnOf(id: string): Column {
  const known = BUILT_IN.find((column) => column.id === id);
  if (known) return known;
  const kind = id.slice(0, id.indexOf("."));
  const title = id.slice(kind.length + 1);
  return make(id, title, Math.max(7.5, Math.min(14, 2 + 0.62 * title.length)), 0.4, id, kind === "metrics" || kind === "params");
}

export const kindOf = (id: string): string => ({ metrics: "metric", params: "parameter", tags: "tag" })[id.slice(0, id.indexOf("."))] ?? "";
export const requested = (columns: readonly string[]): string[] => columns.filter((id) => /^(metrics|params)\./.test(id)).sort();

/** grid-template-columns: the checkbox, the name, the rest. */
export function gridOf(columns: readonly Column[]): { template: string; least: number } {
  const all = [NAME, ...columns];
  const tracks = all.map(({ least, share }) => (share > 0 ? `minmax(${least}rem, ${share}fr)` : `${least}rem`));
  return { template: ["2.4rem", ...tracks].join(" "), least: all.reduce((sum, { least }) => sum + least, 2.4) };
}

export function labelled(row: RunRow, id: string): number | string | undefined {
  const dot = id.indexOf(".");
  const name = id.slice(dot + 1);
  switch (id.slice(0, dot)) {
    case "metrics":
      return row.metrics[name];
    case "params":
      return row.params[name];
    case "tags":
      return name in row.tags ? (row.tags[name] ?? "✓") : undefined;
  }
  return undefined;
}
