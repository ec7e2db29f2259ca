// From the state of the page to the lines of the table.
import { useEffect, useRef, useSyncExternalStore } from "react";
import { api, segment, type ApiError, type Schemas } from "../../lib/api";
import { useResource } from "../../lib/resource";
import { both, childQuery, groupQuery, listQuery } from "./query";
import type { Group } from "./row";
import { PAGE, rowQuery } from "./request";
import type { RowSource } from "./source";
import { sourcesOf } from "./sources";
import { openGroup, openRun, type TableState } from "./state";
import { lineCount, spansOfGroups, spansOfRows, type Level, type Span } from "./window";

export type RunSpan = Span<RowSource, Group>;
export interface Rows {
  spans: RunSpan[];
  lines: number;
  /** Undefined until it is known. */
  total: number | undefined;
  groupCount: number | undefined;
  /** What is shown is of an older filter. */
  pending: boolean;
  error: ApiError | undefined;
  /** Changes when another list is shown, so that it starts at its top. */
  listKey: string;
  retry: () => void;
  /** Asks again for what is on screen, which is `below` the top of the list or not. */
  refresh: (below: boolean) => void;
}

const DEEPEST = 5;

/** Asks for the first rows before the page is drawn: mostly they are there already (src/early.ts). */
export function openRows(workspace: string, state: TableState): void {
  if (state.group === "") sourcesOf(workspace).get(rowQuery(state, listQuery(state), state.q)).want(0, PAGE);
}

export function useRows(workspace: string, state: TableState): Rows {
  const sources = sourcesOf(workspace);
  useSyncExternalStore(sources.subscribe, () => sources.version);
  const q = listQuery(state);
  const query = (text: string, typed?: string) => rowQuery(state, text, typed);

  const levelOf = (source: RowSource, depth: number): Level<RowSource> => {
    const level: Level<RowSource> = { source, total: source.total ?? (depth > 0 ? 1 : 0), inserts: [] };
    if (depth > DEEPEST) return level;
    for (const mark of state.open) {
      const id = mark.slice(2);
      const after = mark === openRun(id) ? source.indexOf(id) : undefined;
      if (after !== undefined && (source.row(after)?.children ?? 0) > 0) {
        level.inserts.push({ after, level: levelOf(sources.get(query(childQuery(id))), depth + 1) });
      }
    }
    return level;
  };

  // A plain list.
  const grouped = state.group !== "";
  const wanted = grouped ? undefined : sources.get(query(q, state.q));
  const shown = useRef<{ source: RowSource; key: string } | undefined>(undefined);
  const listKey = JSON.stringify([workspace, q, state.sort, state.group]);
  if (!wanted) shown.current = undefined;
  else if (wanted.total !== undefined && shown.current?.source !== wanted) shown.current = { source: wanted, key: listKey };
  useEffect(() => {
    if (!wanted) return;
    if (wanted.error) wanted.retry();
    if (wanted.total !== undefined && Date.now() - wanted.freshAt > 1000) void wanted.refresh(false);
    return () => wanted.stop();
  }, [wanted]);
  // A table asks for its rows itself; while there is none to ask, this does.
  useEffect(() => {
    if (wanted && !wanted.total) wanted.want(0, PAGE);
  });

  // Groups.
  const path = `/workspaces/${segment(workspace)}/run-groups`;
  const groupKey = grouped ? `run-groups ${listKey}` : null;
  const groups = useResource(groupKey, () => api.get<Schemas["RunGroups"]>(path, { q, by: state.group }));
  const answered = useRef<{ items: Group[]; by: string; key: string } | undefined>(undefined);
  if (groups.data) answered.current = { items: groups.data.items.filter((group) => group.count > 0), by: state.group, key: listKey };
  const kept = grouped && answered.current?.by === state.group ? answered.current : undefined;

  const root = shown.current;
  let spans: RunSpan[] = [];
  if (kept) {
    const values = kept.items.map((group) => group.value);
    spans = spansOfGroups(
      kept.items.map((group) => {
        const open = state.open.includes(openGroup(group.value));
        return { group, level: open ? levelOf(sources.get(query(both(q, groupQuery(state.group, group.value, values)))), 1) : undefined };
      }),
    );
  } else if (root) spans = spansOfRows(levelOf(root.source, 0));

  const seen = new Set(spans.flatMap((span) => (span.kind === "rows" ? [span.source] : [])));
  const error = (grouped ? groups.error : wanted?.error) ?? [...seen].find((source) => source.error)?.error;
  return {
    spans,
    lines: lineCount(spans),
    total: grouped ? kept?.items.reduce((sum, { count }) => sum + count, 0) : root?.source.total,
    groupCount: grouped ? kept?.items.length : undefined,
    pending: !error && (grouped ? groups.data === undefined : root?.source !== wanted),
    error,
    listKey: grouped ? (kept?.key ?? listKey) : (root?.key ?? listKey),
    retry: () => {
      if (grouped) groups.reload();
      wanted?.retry();
      seen.forEach((source) => source.retry());
    },
    refresh: (below) => {
      if (grouped) groups.reload();
      for (const source of seen) void source.refresh(below && source === root?.source);
      if (seen.size === 0) void wanted?.refresh(false);
    },
  };
}
