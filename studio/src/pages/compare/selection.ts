// Which runs are compared, as the address has it: ?run=A&run=B&hide=B.
export const MOST_RUNS = 50;

/** Ids of the address, each once, no more than can be compared. */
export function runsOf(search: URLSearchParams): string[] {
  return [...new Set(search.getAll("run").filter((id) => /^[\w.-]{1,300}$/.test(id)))].slice(0, MOST_RUNS);
}

/** The query of the run table that finds these runs: several queries, since one has at most 2000 characters. */
export function queriesFor(ids: readonly string[], most = 1900): string[] {
  const start = "is:any id=";
  const queries: string[] = [];
  let query = "";
  for (const id of ids) {
    if (query !== "" && query.length + 1 + id.length <= most) query += `,${id}`;
    else {
      if (query !== "") queries.push(query);
      query = start + id;
    }
  }
  if (query !== "") queries.push(query);
  return queries;
}

/** The first eight runs have the theme's colours, those after them colours far apart on the wheel. */
export function colorOf(index: number): string {
  return index < 8 ? `--c${index + 1}` : `hsl(${Math.round((index * 137.5) % 360)} 62% 48%)`;
}
/** A colour for CSS; the theme's are names of variables. */
export const cssColor = (color: string): string => (color.startsWith("--") ? `var(${color})` : color);
/** Every second round of colours is dashed, so that colour is not all there is to go by. */
export const isDashed = (index: number): boolean => Math.floor(index / 8) % 2 === 1;
