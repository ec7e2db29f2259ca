// Which lines of a long list are on screen, and what stands on a line once runs and groups are opened.

/** The lines to draw: those in view and a few around them. `last` is not included. */
export function windowOf(scrollTop: number, viewHeight: number, lineHeight: number, total: number, around: number): { first: number; last: number } {
  const top = Math.floor(Math.max(0, scrollTop) / lineHeight);
  const seen = Math.ceil(viewHeight / lineHeight) + 1;
  const last = Math.min(total, top + seen + around);
  return { first: Math.max(0, Math.min(top - around, last - seen)), last };
}

/** The pages that hold rows first..last (not included). */
export function pagesOf(first: number, last: number, size: number): number[] {
  const pages: number[] = [];
  if (first >= last) return pages;
  for (let page = Math.floor(first / size); page * size < last; page += 1) pages.push(page);
  return pages;
}

/** Where to scroll so that a line is wholly in view; the same place if it is. */
export function scrollFor(line: number, scrollTop: number, viewHeight: number, lineHeight: number): number {
  const top = line * lineHeight;
  if (top < scrollTop) return top;
  if (top + lineHeight > scrollTop + viewHeight) return top + lineHeight - viewHeight;
  return scrollTop;
}

/** A list whose rows can be followed by lists of their own. */
export interface Level<S> {
  source: S;
  total: number;
  inserts: { after: number; level: Level<S> }[];
}
export type Span<S, G> =
  | { kind: "rows"; start: number; length: number; source: S; from: number; depth: number }
  | { kind: "group"; start: number; length: 1; group: G };

function addLevel<S, G>(spans: Span<S, G>[], level: Level<S>, start: number, depth: number): number {
  let from = 0;
  const rows = (to: number) => {
    if (to <= from) return;
    spans.push({ kind: "rows", start, length: to - from, source: level.source, from, depth });
    start += to - from;
    from = to;
  };
  for (const insert of [...level.inserts].sort((a, b) => a.after - b.after)) {
    if (insert.after >= level.total) continue;
    rows(insert.after + 1);
    start = addLevel(spans, insert.level, start, depth + 1);
  }
  rows(level.total);
  return start;
}

export function spansOfRows<S, G>(level: Level<S>): Span<S, G>[] {
  const spans: Span<S, G>[] = [];
  addLevel(spans, level, 0, 0);
  return spans;
}

export function spansOfGroups<S, G>(groups: { group: G; level: Level<S> | undefined }[]): Span<S, G>[] {
  const spans: Span<S, G>[] = [];
  let start = 0;
  for (const { group, level } of groups) {
    spans.push({ kind: "group", start, length: 1, group });
    start = level ? addLevel(spans, level, start + 1, 1) : start + 1;
  }
  return spans;
}

export function lineCount(spans: readonly { start: number; length: number }[]): number {
  const last = spans[spans.length - 1];
  return last ? last.start + last.length : 0;
}

export function spanAt<T extends { start: number; length: number }>(spans: readonly T[], line: number): T | undefined {
  let low = 0;
  let high = spans.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const span = spans[middle]!;
    if (line < span.start) high = middle - 1;
    else if (line >= span.start + span.length) low = middle + 1;
    else return span;
  }
  return undefined;
}
