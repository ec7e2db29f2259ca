// The run table: every run of a workspace, searched, sorted and grouped by the server, live.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { RunRow } from "../lib/api";
import { count } from "../lib/format";
import { navigate, runPath, useSearch } from "../lib/route";
import { Button, Loading, Problem } from "../ui/base";
import { lazily } from "../ui/lazily";
import { SelectionBar } from "./runs/bar";
import { useCharted } from "./runs/charted";
import { ColumnsDialog } from "./runs/columns_dialog";
import { GroupSelect } from "./runs/group_select";
import { Shortcuts, useKeys } from "./runs/keys";
import { useLiveRows } from "./runs/live_rows";
import { NoRuns, NothingFound } from "./runs/nothing";
import { SearchBox, useRunColumns } from "./runs/search_box";
import { useSelection } from "./runs/selection";
import { changeOf, openGroup, openRun, stateOf, type TableState } from "./runs/state";
import { rowAt, RunTable, type TableHandle } from "./runs/table";
import { TagEditingContext } from "./runs/tags_cell";
import { useLines, useMinute } from "./runs/use_lines";
import { useRowActions } from "./runs/use_row_actions";
import { openRows, useRows } from "./runs/use_rows";
import { rememberMetrics, usualColumns } from "./runs/usual_columns";
import { ViewsMenu } from "./runs/views_menu";
import { spanAt } from "./runs/window";
import { sourcesOf } from "./runs/sources";
import "./runs/runs.css";

const opened = /^\/w\/([^/]+)\/runs\/?$/.exec(location.pathname);
if (opened) {
  const workspace = decodeURIComponent(opened[1]!);
  openRows(workspace, stateOf(new URLSearchParams(location.search), usualColumns(workspace)));
}

/** Milliseconds after which a page that was opened has drawn its rows. */
const AFTER_ROWS = 1200;

/** The columns where the address names none; which metrics are among them may have changed since one was here last. */
function useUsualColumns(workspace: string): string[] {
  const [usual, setUsual] = useState(() => usualColumns(workspace));
  const [late, setLate] = useState(false);
  useEffect(() => {
    setUsual(usualColumns(workspace));
    const timer = setTimeout(() => setLate(true), AFTER_ROWS);
    return () => clearTimeout(timer);
  }, [workspace]);
  const known = useRunColumns(workspace, late).data;
  useEffect(() => {
    if (!known) return;
    rememberMetrics(workspace, known.metrics);
    setUsual((old) => {
      const next = usualColumns(workspace);
      return next.join("\n") === old.join("\n") ? old : next;
    });
  }, [known, workspace]);
  return usual;
}

const { Part: RunCharts } = lazily("charts", () => import("./runs/charts"));

export function RunsPage({ workspace }: { workspace: string }) {
  const [search, setSearch] = useSearch();
  const text = search.toString();
  const usual = useUsualColumns(workspace);
  const state = useMemo(() => stateOf(new URLSearchParams(text), usual), [text, usual]);
  const rows = useRows(workspace, state);
  const selection = useSelection();
  const table = useRef<TableHandle>(null);
  const input = useRef<HTMLInputElement>(null);
  const [dialog, setDialog] = useState<"columns" | "keys" | null>(null);
  const [cursor, setCursor] = useState(-1);
  const [editing, setEditing] = useState<string | null>(null);
  const charted = useCharted(workspace, state, search, rows);
  const { compact, lineHeight } = useLines(charted.on);
  const now = useMinute();

  const change = useCallback((values: Partial<TableState>) => setSearch(changeOf(values, usual), !("group" in values || "sort" in values)), [setSearch, usual]);
  const setQ = useCallback((q: string) => setSearch(changeOf({ q }), true), [setSearch]);
  const actions = useRowActions(state, change, rows, selection);
  useLiveRows(workspace, state, rows, table);
  useEffect(() => setCursor(-1), [rows.listKey]);

  const toLine = (line: number) => {
    if (rows.lines === 0) return;
    const next = Math.max(0, Math.min(rows.lines - 1, line));
    setCursor(next);
    table.current?.focus(next);
  };
  const toggleLine = (wish?: boolean) => {
    const span = spanAt(rows.spans, cursor);
    const row = rowAt(rows.spans, cursor);
    const mark = span?.kind === "group" ? openGroup(span.group.value) : row && row.children > 0 ? openRun(row.id) : null;
    if (mark === null) return;
    const open = state.open.includes(mark);
    if (wish === undefined || wish !== open) change({ open: open ? state.open.filter((one) => one !== mark) : [...state.open, mark] });
  };
  useKeys({
    search: () => {
      input.current?.focus();
      input.current?.select();
    },
    help: () => setDialog("keys"),
    move: (by) => toLine(cursor < 0 ? table.current?.onScreen().first ?? 0 : cursor + by),
    edge: (end) => toLine(end ? rows.lines - 1 : 0),
    open: () => {
      const row = rowAt(rows.spans, cursor);
      if (row) navigate(runPath(row.id));
      else toggleLine();
    },
    expand: toggleLine,
    select: (range) => {
      const row = rowAt(rows.spans, cursor);
      if (row) actions.select(cursor, row, !selection.has(row.id) || range, range);
    },
    clear: selection.clear,
  });
  const tagEditing = useMemo(
    () => ({ id: editing, start: setEditing, show: (id: string, tags: RunRow["tags"]) => sourcesOf(workspace).edit(id, { tags }) }),
    [editing, workspace],
  );

  const badQuery = rows.error?.status === 400 ? rows.error : undefined;
  const problem = badQuery ? undefined : rows.error;
  const none = rows.total === 0 && !rows.pending && !rows.error;
  return (
    <div className={charted.on ? "runs beside" : "runs"}>
      <div className="head runs-head">
        <h1>Runs</h1>
        <span className="runs-total" role="status">
          {rows.total === undefined ? "" : `${count(rows.total)} ${rows.total === 1 ? "run" : "runs"}`}
          {rows.groupCount === undefined ? "" : ` in ${count(rows.groupCount)} ${rows.groupCount === 1 ? "group" : "groups"}`}
        </span>
        <div className="row spring">
          <GroupSelect workspace={workspace} group={state.group} onChange={(group) => change({ group, open: state.open.filter((mark) => mark.startsWith("r:")) })} />
          <label className="runs-check">
            <input type="checkbox" checked={state.children} onChange={(event) => change({ children: event.target.checked })} /> Children
          </label>
          <Button aria-pressed={charted.on} title={charted.on ? "The table alone" : "Curves beside the table"} onClick={() => setSearch({ charts: charted.on ? null : "1" }, false)}>
            Charts
          </Button>
          <Button onClick={() => setDialog("columns")}>Columns</Button>
          <ViewsMenu workspace={workspace} search={search} />
          <Button className="runs-wide" aria-label="Keyboard shortcuts" title="Keyboard shortcuts" onClick={() => setDialog("keys")}>
            ?
          </Button>
        </div>
      </div>
      <SearchBox workspace={workspace} q={state.q} onChange={setQ} error={badQuery} input={input} />
      <SelectionBar workspace={workspace} selection={selection} onDone={() => rows.refresh(false)} />
      {problem && <Problem error={problem} retry={rows.retry} />}
      {rows.total === undefined && !rows.error && <Loading what="runs" />}
      {none && (state.q === "" ? <NoRuns /> : <NothingFound q={state.q} children={state.children} onClear={() => setQ("")} onChildren={() => change({ children: true })} />)}
      {rows.total !== undefined && !none && (
        <TagEditingContext.Provider value={tagEditing}>
          <div className="runs-body">
            <RunTable {...{ rows, state, change, selection, actions, cursor, compact, lineHeight, now }} handle={table} eyes={charted.eyes} />
            {charted.on && (
              <section className="runs-charts" aria-label="Charts">
                <RunCharts workspace={workspace} ids={charted.ids} />
              </section>
            )}
          </div>
        </TagEditingContext.Provider>
      )}
      {dialog === "columns" && <ColumnsDialog workspace={workspace} columns={state.columns} usual={usual} onChange={(columns) => change({ columns })} onClose={() => setDialog(null)} />}
      {dialog === "keys" && <Shortcuts onClose={() => setDialog(null)} />}
    </div>
  );
}
