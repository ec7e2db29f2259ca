// What the server tells of runs while the table is open.
import { useEffect, useRef } from "react";
import { useLive } from "../../lib/live";
import { sourcesOf } from "./sources";
import { DEFAULT_SORT, type TableState } from "./state";
import { rowAt, type TableHandle } from "./table";
import type { Rows } from "./use_rows";
import type { RefObject } from "react";

const PAUSE = 1000;

export function useLiveRows(workspace: string, state: TableState, rows: Rows, table: RefObject<TableHandle | null>): void {
  const latest = useRef({ state, rows });
  latest.current = { state, rows };
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const last = useRef(0);

  // At most once a second, however many runs change.
  const refreshSoon = () => {
    timer.current ??= setTimeout(
      () => {
        timer.current = undefined;
        last.current = Date.now();
        latest.current.rows.refresh(table.current ? !table.current.atTop() : false);
      },
      Math.max(0, last.current + PAUSE - Date.now()),
    );
  };
  useEffect(() => () => clearTimeout(timer.current), []);

  useLive(`runs/${workspace}`, (event) => {
    if (event.type === "reset") return refreshSoon();
    if (event.type !== "runs") return;
    sourcesOf(workspace).patch(event.rows);
    const { state: now, rows: shown } = latest.current;
    const root = shown.spans.find((span) => span.kind === "rows")?.source;
    // A change of status can bring a run into a filtered list or out of it, or to another place.
    const plain = now.q === "" && now.group === "" && now.sort === DEFAULT_SORT;
    const known = root !== undefined && event.rows.every((row) => row.parent !== null || (root.indexOf(row.id) !== undefined && !row.archived && row.deleted_at === null));
    const parents = event.rows.some((row) => row.parent !== null);
    if (!plain || !known || parents) refreshSoon();
  });

  // Metrics of runs that go on are not told one by one.
  const measured = state.columns.some((id) => id.startsWith("metrics."));
  useEffect(() => {
    if (!measured) return;
    const every = setInterval(() => {
      const { first, last: end } = table.current?.onScreen() ?? { first: 0, last: 0 };
      for (let line = first; line < end; line += 1) {
        const row = rowAt(latest.current.rows.spans, line);
        if (row?.status === "Running") return refreshSoon();
      }
    }, 5000);
    return () => clearInterval(every);
  }, [measured]);
}
