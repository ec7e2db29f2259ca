// The table itself: only the lines on screen are in the page.
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from "react";
import type { RunRow } from "../../lib/api";
import { columnOf, gridOf, kindOf, NAME, type Column } from "./columns";
import { EmptyLine, GroupLine, RunLine, type Eyes, type RowActions } from "./row";
import type { Selection } from "./selection";
import { nextSort, openGroup, openRun, type TableState } from "./state";
import { WIDE_LINE } from "./use_lines";
import type { RowSource } from "./source";
import type { Rows, RunSpan } from "./use_rows";
import { scrollFor, spanAt, windowOf } from "./window";

export interface TableHandle {
  /** Scrolls to a line and focuses it, as soon as its row is there. */
  focus: (line: number) => void;
  atTop: () => boolean;
  onScreen: () => { first: number; last: number };
}

/** Lines are drawn anew when so many have gone by. */
const STEP = 3;
/** Pixels above the list, roughly: how many lines are drawn before it is measured. */
const ABOVE = 200;
/** Lines that are drawn above and below those in view. */
const AROUND = 6;
/** Metrics, parameters and tags that fit into a line of two rows. */
const MOST_COMPACT = 3;
const isNamed = (id: string): boolean => /^(metrics|params|tags)\./.test(id);
const places = new Map<string, number>();

export function rowAt(spans: readonly RunSpan[], line: number): RunRow | undefined {
  const span = spanAt(spans, line);
  return span?.kind === "rows" ? span.source.row(span.from + line - span.start) : undefined;
}

/** Each list that is on screen, with the part of it that is. */
function partsOf(spans: readonly RunSpan[], first: number, last: number): Map<RowSource, [number, number]> {
  const parts = new Map<RowSource, [number, number]>();
  for (const span of spans) {
    if (span.kind !== "rows" || span.start >= last || span.start + span.length <= first) continue;
    const from = span.from + Math.max(0, first - span.start);
    const to = span.from + Math.min(span.length, last - span.start);
    const old = parts.get(span.source);
    parts.set(span.source, old ? [Math.min(old[0], from), Math.max(old[1], to)] : [from, to]);
  }
  return parts;
}

/** None in the first frame, which is to come soon. */
function useAround(): number {
  const [around, setAround] = useState(0);
  useEffect(() => {
    const timer = setTimeout(() => setAround(AROUND), 100);
    return () => clearTimeout(timer);
  }, []);
  return around;
}

export interface RunTableProps {
  rows: Rows;
  state: TableState;
  change: (change: Partial<TableState>) => void;
  selection: Selection;
  actions: RowActions;
  cursor: number;
  compact: boolean;
  lineHeight: number;
  now: number;
  handle: RefObject<TableHandle | null>;
  /** Where there are charts beside it. */
  eyes?: Eyes | undefined;
}

export function RunTable({ rows, state, change, selection, actions, cursor, compact, lineHeight, now, handle, eyes }: RunTableProps) {
  const { spans, lines, listKey } = rows;
  const box = useRef<HTMLDivElement>(null);
  const head = useRef<HTMLTableSectionElement>(null);
  const toFocus = useRef<number | null>(null);
  const [top, setTop] = useState(places.get(listKey) ?? 0);
  const [size, setSize] = useState({ width: 0, height: innerHeight - ABOVE });
  const around = useAround();
  const columns = useMemo(() => (compact ? state.columns.filter(isNamed).slice(0, MOST_COMPACT) : state.columns).map(columnOf), [compact, state.columns]);
  const grid = useMemo(() => gridOf(columns), [columns]);

  const look = useCallback(() => setTop(Math.floor(box.current!.scrollTop / (STEP * lineHeight)) * STEP * lineHeight), [lineHeight]);
  useLayoutEffect(() => {
    box.current!.scrollTop = places.get(listKey) ?? 0;
    look();
  }, [listKey, look]);
  useLayoutEffect(() => {
    const measure = () => {
      const { clientWidth, clientHeight } = box.current!;
      setSize({ width: clientWidth, height: clientHeight - head.current!.offsetHeight });
    };
    const observer = new ResizeObserver(measure);
    observer.observe(box.current!);
    measure();
    return () => observer.disconnect();
  }, []);

  // The same rows stay in view when others come above.
  const root = spans[0]?.kind === "rows" ? spans[0].source : undefined;
  const was = useRef({ root, moved: root?.moved ?? 0 });
  useLayoutEffect(() => {
    const by = root && was.current.root === root ? root.moved - was.current.moved : 0;
    was.current = { root, moved: root?.moved ?? 0 };
    if (by === 0 || box.current!.scrollTop < lineHeight) return;
    box.current!.scrollTop += by * lineHeight;
    look();
  }, [root, root?.moved, lineHeight, look]);

  const { first, last } = windowOf(top, size.height + (STEP - 1) * lineHeight, lineHeight, lines, around);
  const seen = useRef({ first: 0, at: 0 });
  useEffect(() => {
    const want = () => partsOf(spans, first - 20, last + 20).forEach(([from, to], source) => source.want(Math.max(0, from), to));
    // While the scroll bar is dragged across the list, only where it rests is asked for.
    const leaps = Math.abs(first - seen.current.first) > 60 && performance.now() - seen.current.at < 400;
    seen.current = { first, at: performance.now() };
    if (!leaps) return want();
    const timer = setTimeout(want, 70);
    return () => clearTimeout(timer);
  });

  useEffect(
    () => () => {
      handle.current = null;
    },
    [handle],
  );
  handle.current = {
    focus: (line) => {
      const { scrollTop } = box.current!;
      box.current!.scrollTop = scrollFor(line, scrollTop, size.height, lineHeight);
      toFocus.current = line;
      look();
    },
    atTop: () => (box.current?.scrollTop ?? 0) < lineHeight,
    onScreen: () => {
      const { scrollTop } = box.current!;
      return { first: Math.ceil(scrollTop / lineHeight), last: Math.min(lines, Math.floor((scrollTop + size.height) / lineHeight)) };
    },
  };

  useEffect(() => {
    if (toFocus.current === null) return;
    const place = box.current!.querySelector<HTMLElement>(`[data-line="${toFocus.current}"]`);
    if (place) toFocus.current = null;
    place?.focus({ preventScroll: true });
  });

  const width = compact ? 2 : columns.length + 2;
  // Cells that stay put while one scrolls sideways make scrolling down dearer: only where they are needed.
  const sideways = !compact && grid.least * (lineHeight / WIDE_LINE) > size.width;
  const toggleGroup = useCallback(
    (value: string | null) => {
      const mark = openGroup(value);
      change({ open: state.open.includes(mark) ? state.open.filter((one) => one !== mark) : [...state.open, mark] });
    },
    [change, state.open],
  );
  const drawn = [];
  for (let line = first; line < last; line += 1) {
    const span = spanAt(spans, line);
    if (!span) continue;
    const place = { line, top: line * lineHeight, depth: span.kind === "rows" ? span.depth : 0, cursor: line === cursor };
    if (span.kind === "group") {
      drawn.push(
        <GroupLine key={line} {...place} group={span.group} by={state.group} open={state.open.includes(openGroup(span.group.value))} width={width} now={now} onToggle={toggleGroup} />,
      );
      continue;
    }
    const row = span.source.row(span.from + line - span.start);
    if (!row) drawn.push(<EmptyLine key={line} line={line} top={place.top} width={width} />);
    else {
      drawn.push(
        <RunLine key={line} {...place} row={row} columns={columns} compact={compact} selected={selection.has(row.id)} open={state.open.includes(openRun(row.id))} actions={actions} now={now} eye={eyes && (eyes.colorOf(row) ?? "")} onEye={eyes?.toggle} />,
      );
    }
  }

  return (
    <div
      ref={box}
      className={`runs-scroll${rows.pending ? " pending" : ""}`}
      tabIndex={0}
      role="region"
      aria-label="Runs"
      aria-busy={rows.pending}
      onScroll={() => {
        places.set(listKey, box.current!.scrollTop);
        look();
      }}
    >
      <table
        role="table"
        aria-rowcount={lines + 1}
        aria-label="Runs"
        className={`runs-table${compact ? " compact" : sideways ? " sideways" : ""}`}
        style={{ "--grid": compact ? "2.4rem minmax(0, 1fr) auto" : grid.template, "--line-height": `${lineHeight}px`, minWidth: compact ? undefined : `${grid.least}rem` } as object}
      >
        <Header head={head} columns={compact ? [] : columns} compact={compact} state={state} change={change} selection={selection} rows={() => visibleRows(spans, handle)} />
        <tbody role="rowgroup" style={{ height: lines * lineHeight }}>
          {drawn}
        </tbody>
      </table>
    </div>
  );
}

export function visibleRows(spans: readonly RunSpan[], handle: RefObject<TableHandle | null>): RunRow[] {
  const { first, last } = handle.current?.onScreen() ?? { first: 0, last: 0 };
  const found: RunRow[] = [];
  for (let line = first; line < last; line += 1) {
    const row = rowAt(spans, line);
    if (row) found.push(row);
  }
  return found;
}

interface HeaderProps {
  head: RefObject<HTMLTableSectionElement | null>;
  columns: readonly Column[];
  compact: boolean;
  state: TableState;
  change: (change: Partial<TableState>) => void;
  selection: Selection;
  rows: () => RunRow[];
}

function Header({ head, columns, compact, state, change, selection, rows }: HeaderProps) {
  const direction = (column: Column) => (state.sort === column.sort ? "ascending" : state.sort === `-${column.sort}` ? "descending" : undefined);
  return (
    <thead role="rowgroup" ref={head}>
      <tr role="row" aria-rowindex={1}>
        <th role="columnheader" className="runs-tick">
          <input
            type="checkbox"
            aria-label="Select all on screen"
            title="Select all on screen"
            checked={selection.runs.size > 0}
            ref={(input) => {
              if (input) input.indeterminate = selection.runs.size > 0;
            }}
            onChange={() => (selection.runs.size > 0 ? selection.clear() : selection.set(rows(), true))}
          />
        </th>
        {[NAME, ...(compact ? [columnOf("created")] : columns)].map((column) => (
          <th key={column.id} role="columnheader" aria-sort={direction(column)} className={`${column.numeric ? "number" : ""}${column === NAME ? " runs-first" : ""}`}>
            {column.sort === null ? (
              column.title
            ) : (
              <button type="button" title={`Sort by ${column.id}`} onClick={() => change({ sort: nextSort(state.sort, column.sort!) })}>
                <span>{column.title}</span>
                {kindOf(column.id) !== "" && <span className="visually-hidden">, {kindOf(column.id)}</span>}
                <span aria-hidden="true" className="runs-arrow">
                  {direction(column) === "ascending" ? "↑" : direction(column) === "descending" ? "↓" : ""}
                </span>
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}
