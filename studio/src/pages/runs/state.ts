// What the run table shows, as it stands in the address.
export interface TableState {
  q: string;
  sort: string;
  /** Beside the name, which is always there: built-in fields, metrics.NAME, params.NAME, tags.NAME. */
  columns: string[];
  /** Empty: no groups. */
  group: string;
  /** Children stand in the list of their own accord, not only under their parent. */
  children: boolean;
  /** What is opened: runs and groups, see `openRun` and `openGroup`. */
  open: string[];
}

export const DEFAULT_SORT = "-created";
export const DEFAULT_COLUMNS = ["status", "experiment", "created", "duration", "user", "compute", "tags"];
const NONE = "none";

export const openRun = (id: string): string => `r:${id}`;
export const openGroup = (value: string | null): string => (value === null ? "n:" : `g:${value}`);

/** `usual` are the columns where the address names none. */
export function stateOf(search: URLSearchParams, usual: string[] = DEFAULT_COLUMNS): TableState {
  const columns = search.getAll("column");
  return {
    q: search.get("q") ?? "",
    sort: search.get("sort") ?? DEFAULT_SORT,
    columns: columns.length === 0 ? usual : [...new Set(columns)].filter((column) => column !== NONE && column !== "name"),
    group: search.get("group") ?? "",
    children: search.get("children") === "1",
    open: search.getAll("open"),
  };
}

const same = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && a.every((one, i) => one === b[i]);

/** For useSearch: what is as usual is left out of the address. */
export function changeOf(change: Partial<TableState>, usual: readonly string[] = DEFAULT_COLUMNS): Record<string, string | null | string[]> {
  const out: Record<string, string | null | string[]> = {};
  if (change.q !== undefined) out.q = change.q || null;
  if (change.sort !== undefined) out.sort = change.sort === DEFAULT_SORT ? null : change.sort;
  if (change.columns) out.column = same(change.columns, usual) ? null : change.columns.length === 0 ? [NONE] : change.columns;
  if (change.group !== undefined) out.group = change.group || null;
  if (change.children !== undefined) out.children = change.children ? "1" : null;
  if (change.open) out.open = change.open;
  return out;
}

const TABLE = ["q", "sort", "column", "group", "children"];
const CHARTS = ["charts", "show", "hide", "metrics", "band", "x", "smooth", "log", "panel", "order"];
const KEPT = new Set([...TABLE, ...CHARTS]);

/** The part of a query string that a saved view keeps. */
export function viewOf(search: URLSearchParams): string {
  const kept = new URLSearchParams();
  for (const [name, value] of search) if (KEPT.has(name)) kept.append(name, value);
  return kept.toString();
}

/** A click on a header: first the useful direction, then the other. */
export function nextSort(current: string, field: string): string {
  const first = /^(created|started|ended|duration|number)$/.test(field) ? `-${field}` : field;
  if (current === first) return first.startsWith("-") ? field : `-${field}`;
  return first;
}
