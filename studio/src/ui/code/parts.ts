// Which part of a line changed: what its counterpart does not begin or end with.
import type { Row } from "../../lib/diff";

/** By index of the row: from where to where it differs. Only where as many lines came as went, and they are much alike. */
export function changedParts(rows: readonly Row[]): Map<number, [number, number]> {
  const parts = new Map<number, [number, number]>();
  for (let i = 0; i < rows.length; ) {
    let removed = i;
    while (rows[removed]?.kind === "removed") removed += 1;
    let added = removed;
    while (rows[added]?.kind === "added") added += 1;
    if (removed - i === added - removed) {
      for (let k = 0; k < removed - i; k += 1) {
        const pair = differing(rows[i + k]!.text, rows[removed + k]!.text);
        if (!pair) continue;
        parts.set(i + k, pair[0]);
        parts.set(removed + k, pair[1]);
      }
    }
    i = Math.max(added, i + 1);
  }
  return parts;
}

function differing(a: string, b: string): [[number, number], [number, number]] | undefined {
  const most = Math.min(a.length, b.length);
  let head = 0;
  while (head < most && a[head] === b[head]) head += 1;
  let tail = 0;
  while (tail < most - head && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  if ((head + tail) * 3 < most) return undefined;
  return [
    [head, a.length - tail],
    [head, b.length - tail],
  ];
}
