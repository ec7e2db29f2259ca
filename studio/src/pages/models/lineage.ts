// Where the boxes of a lineage stand: runs left, the versions they made in the middle, what serves them right.
export interface Serving {
  workspace: string;
  endpoint: string;
  deployment: string;
}
export interface LineageVersion {
  version: number;
  run: string | null;
  /** What serves it; none where the server tells nothing of it. */
  serves?: readonly Serving[] | undefined;
}
export interface Box {
  id: string;
  x: number;
  y: number;
}
export interface LineageLayout {
  width: number;
  height: number;
  runs: (Box & { run: string })[];
  versions: (Box & { version: number })[];
  serving: (Box & Serving)[];
  /** Where it stands that nothing serves them, if nothing does. */
  none: (Box & { height: number }) | null;
  edges: { from: string; to: string; path: string; version: number }[];
}

export const BOX = { width: 230, height: 46, gap: 12, between: 80 } as const;

interface Placed<T> {
  what: T;
  y: number;
}

/** Each beside the middle of its rows, and below the one before it. */
function beside<T>(rows: ReadonlyMap<string, { what: T; at: number[] }>, stride: number): { placed: Placed<T>[]; height: number } {
  const wanted = [...rows.values()].map(({ what, at }) => ({ what, y: (at.reduce((sum, row) => sum + row, 0) / at.length) * stride })).sort((a, b) => a.y - b.y);
  let free = 0;
  const placed = wanted.map(({ what, y }) => {
    const at = Math.max(y, free);
    free = at + stride;
    return { what, y: at };
  });
  return { placed, height: free - BOX.gap };
}

/** Versions from above in the order given; runs and what serves them stand beside them. */
export function layoutLineage(versions: readonly LineageVersion[]): LineageLayout {
  const stride = BOX.height + BOX.gap;
  const columns = [0, BOX.width + BOX.between, 2 * (BOX.width + BOX.between)] as const;
  const placed = versions.map(({ version }, i) => ({ id: `version ${version}`, version, x: columns[1], y: i * stride }));

  const makers = new Map<string, { what: string; at: number[] }>();
  const servers = new Map<string, { what: Serving; at: number[] }>();
  const note = <T>(rows: Map<string, { what: T; at: number[] }>, key: string, what: T, row: number) => rows.set(key, { what, at: [...(rows.get(key)?.at ?? []), row] });
  const servingId = ({ workspace, endpoint, deployment }: Serving) => `serving ${workspace}/${endpoint}/${deployment}`;
  versions.forEach(({ run, serves }, i) => {
    if (run !== null) note(makers, run, run, i);
    for (const one of serves ?? []) note(servers, servingId(one), one, i);
  });
  const made = beside(makers, stride);
  const served = beside(servers, stride);
  const runs = made.placed.map(({ what, y }) => ({ id: `run ${what}`, run: what, x: columns[0], y }));
  const serving = served.placed.map(({ what, y }) => ({ id: servingId(what), ...what, x: columns[2], y }));

  const height = Math.max(placed.length * stride - BOX.gap, made.height, served.height, BOX.height);
  const none = serving.length > 0 ? null : { id: "none", x: columns[2], y: 0, height };
  const middle = (y: number) => y + BOX.height / 2;
  const bend = (x1: number, y1: number, x2: number, y2: number) => `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
  const edge = (from: Box, to: Box, version: number) => ({ from: from.id, to: to.id, version, path: bend(from.x + BOX.width, middle(from.y), to.x, middle(to.y)) });
  const edges = versions.flatMap(({ version, run, serves }, i) => {
    const here = placed[i]!;
    const maker = runs.find((one) => one.run === run);
    const ids = new Set((serves ?? []).map(servingId));
    return [...(maker ? [edge(maker, here, version)] : []), ...serving.filter((one) => ids.has(one.id)).map((one) => edge(here, one, version))];
  });
  return { width: columns[2] + BOX.width, height, runs, versions: placed, serving, none, edges };
}

/** The newest versions, always with the chosen one among them. */
export function versionsToDraw<T extends { version: number }>(newestFirst: readonly T[], chosen: number, most = 10): T[] {
  const first = newestFirst.slice(0, most);
  if (first.some((one) => one.version === chosen)) return first;
  const one = newestFirst.find((each) => each.version === chosen);
  return one ? [...first.slice(0, most - 1), one] : first;
}
