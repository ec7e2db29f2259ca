// Opening and ticking rows. The functions stay the same, so that rows which did not change are not drawn again.
import { useMemo, useRef } from "react";
import type { RunRow } from "../../lib/api";
import type { RowActions } from "./row";
import type { Selection } from "./selection";
import { openRun, type TableState } from "./state";
import type { Rows } from "./use_rows";

const MOST_AT_ONCE = 1000;

/** The rows from one line to another, fetched where they have not been seen. */
async function rowsBetween(rows: Rows, from: number, to: number): Promise<RunRow[]> {
  const [first, last] = from < to ? [from, to + 1] : [to, from + 1];
  const found: RunRow[] = [];
  for (const span of rows.spans) {
    if (span.kind !== "rows") continue;
    const start = Math.max(first, span.start);
    const end = Math.min(last, span.start + span.length);
    if (start < end) found.push(...(await span.source.load(span.from + start - span.start, span.from + end - span.start)));
  }
  return found;
}

export function useRowActions(state: TableState, change: (change: Partial<TableState>) => void, rows: Rows, selection: Selection): RowActions {
  const latest = useRef({ state, rows });
  latest.current = { state, rows };
  const anchor = useRef<number | null>(null);
  return useMemo(
    () => ({
      toggle: (id) => {
        const { open } = latest.current.state;
        const mark = openRun(id);
        change({ open: open.includes(mark) ? open.filter((one) => one !== mark) : [...open, mark] });
      },
      select: (line, row, on, range) => {
        const from = anchor.current;
        anchor.current = line;
        if (!range || from === null || Math.abs(from - line) >= MOST_AT_ONCE) return selection.set([row], on);
        void rowsBetween(latest.current.rows, from, line).then((between) => selection.set(between, on));
      },
    }),
    [change, selection.set],
  );
}
