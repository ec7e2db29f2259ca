// Where the boxes of a lineage stand: runs left, the versions they made in the middle, what serves them right.
export interface LineageVersion {
  version: number;
  run: string | null;
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
  serving: Box & { height: number };
  edges: { from: string; to: string; path: string; version: number }[];
}

export const BOX = { width: 230, height: 46, gap: 12, between: 80 } as const;

/** Versions from above in the order given. A run stands at the middle of its versions, and below the run before it. */
export function layoutLineage(versions: readonly LineageVersion[]): LineageLayout {
  const stride = BOX.height + BOX.gap;
  const columns = [0, BOX.width + BOX.between, 2 * (BOX.width + BOX.between)] as const;
  const placed = versions.map(({ version }, i) => ({ id: `version ${version}`, version, x: columns[1], y: i * stride }));

  const rows = new Map<string, number[]>();
  versions.forEach(({ run }, i) => run !== null && rows.set(run, [...(rows.get(run) ?? []), i]));
  const wanted = [...rows].map(([run, at]) => ({ run, y: (at.reduce((sum, row) => sum + row, 0) / at.length) * stride })).sort((a, b) => a.y - b.y);
  let free = 0;
  const runs = wanted.map(({ run, y }) => {
    const at = Math.max(y, free);
    free = at + stride;
    return { id: `run ${run}`, run, x: columns[0], y: at };
  });

  const height = Math.max(placed.length * stride - BOX.gap, free - BOX.gap, BOX.height);
  const serving = { id: "serving", x: columns[2], y: 0, height };
  const middle = (y: number) => y + BOX.height / 2;
  const bend = (x1: number, y1: number, x2: number, y2: number) => `M${x1} ${y1}C${(x1 + x2) / 2} ${y1} ${(x1 + x2) / 2} ${y2} ${x2} ${y2}`;
  const edges = versions.flatMap(({ version, run }, i) => {
    const to = placed[i]!;
    const from = runs.find((one) => one.run === run);
    return from ? [{ from: from.id, to: to.id, version, path: bend(from.x + BOX.width, middle(from.y), to.x, middle(to.y)) }] : [];
  });
  return { width: columns[2] + BOX.width, height, runs, versions: placed, serving, edges };
}

/** The newest versions, always with the chosen one among them. */
export function versionsToDraw<T extends { version: number }>(newestFirst: readonly T[], chosen: number, most = 10): T[] {
  const first = newestFirst.slice(0, most);
  if (first.some((one) => one.version === chosen)) return first;
  const one = newestFirst.find((each) => each.version === chosen);
  return one ? [...first.slice(0, most - 1), one] : first;
}
