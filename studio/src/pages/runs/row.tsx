// One line of the table: a run, or a group of runs.
import { memo, type MouseEvent } from "react";
import type { RunRow, Schemas } from "../../lib/api";
import { count } from "../../lib/format";
import { runPath } from "../../lib/route";
import { isOver, Link, Status, STATUS_ORDER } from "../../ui/base";
import { Cell, Duration, When } from "./cells";
import type { Column } from "./columns";

export type Group = Schemas["RunGroups"]["items"][number];

export interface LinePlace {
  /** Line in the list, and pixels from its top. */
  line: number;
  top: number;
  depth: number;
  cursor: boolean;
}
export interface RowActions {
  toggle: (id: string) => void;
  select: (line: number, row: RunRow, on: boolean, range: boolean) => void;
}
/** Beside charts: the colour of each run that has a curve there. */
export interface Eyes {
  colorOf: (row: RunRow) => string | undefined;
  toggle: (row: RunRow) => void;
}

function Expander({ open, label, onClick }: { open: boolean; label: string; onClick: () => void }) {
  return (
    <button type="button" className="runs-expander" aria-expanded={open} aria-label={label} onClick={onClick}>
      <span aria-hidden="true">{open ? "▾" : "▸"}</span>
    </button>
  );
}

interface RunLineProps extends LinePlace {
  row: RunRow;
  columns: readonly Column[];
  compact: boolean;
  selected: boolean;
  open: boolean;
  actions: RowActions;
  now: number;
  /** Undefined where there are no charts; empty: the run is not in them. */
  eye?: string | undefined;
  onEye?: ((row: RunRow) => void) | undefined;
}

/** Whether the run is among the charts, and its colour there. */
function Eye({ row, color, onEye }: { row: RunRow; color: string; onEye: (row: RunRow) => void }) {
  const on = color !== "";
  return (
    <button type="button" className={`runs-eye${on ? " on" : ""}`} aria-pressed={on} aria-label={`${row.display_name} #${row.number} in the charts`} title={on ? "Take it out of the charts" : "Show it in the charts"} onClick={() => onEye(row)}>
      <svg viewBox="0 0 24 24" width="16" height="16" aria-hidden="true">
        <path d="M2 12c3-5.5 6.5-8 10-8s7 2.5 10 8c-3 5.5-6.5 8-10 8s-7-2.5-10-8z" fill="none" stroke="currentColor" strokeWidth="1.8" />
        {on ? <circle cx="12" cy="12" r="4" style={{ fill: color }} /> : <path d="M4 20 20 4" stroke="currentColor" strokeWidth="1.8" />}
      </svg>
    </button>
  );
}

function Tick({ row, line, selected, actions }: Pick<RunLineProps, "row" | "line" | "selected" | "actions">) {
  return (
    <input
      type="checkbox"
      aria-label={`Select ${row.display_name}`}
      checked={selected}
      onChange={() => {}}
      onClick={(event: MouseEvent<HTMLInputElement>) => actions.select(line, row, event.currentTarget.checked, event.shiftKey)}
    />
  );
}

/** `now` is not read: it makes the times in the row be drawn anew. */
export const RunLine = memo(function RunLine({ row, columns, compact, selected, open, actions, line, top, depth, cursor, eye, onEye }: RunLineProps) {
  const name = (
    <>
      {eye !== undefined && onEye && <Eye row={row} color={eye} onEye={onEye} />}
      {row.children > 0 && (
        <Expander open={open} label={`${count(row.children)} children of ${row.display_name}`} onClick={() => actions.toggle(row.id)} />
      )}
      <Link href={runPath(row.id)} className="runs-name" title={row.display_name} data-line={line}>
        {row.display_name}
      </Link>
      <span className="runs-number">#{row.number}</span>
      {row.children > 0 && <span className="runs-children">{count(row.children)}</span>}
    </>
  );
  const className = `runs-line${selected ? " selected" : ""}${cursor ? " cursor" : ""}${isOver(row.status) ? "" : " active"}`;
  return (
    <tr role="row" aria-rowindex={line + 2} className={className} style={{ top }} data-run={row.id}>
      <td role="cell" className="runs-tick">
        <Tick row={row} line={line} selected={selected} actions={actions} />
      </td>
      {compact ? (
        <td role="cell" className="runs-compact" style={{ paddingLeft: `${depth * 1.2}rem` }}>
          <div>
            {name}
            <span className="runs-time">
              <When at={row.created_at} />
            </span>
          </div>
          <div>
            <span title={row.error ?? undefined}>
              <Status status={row.status} />
            </span>
            <span className="runs-dim">{row.experiment}</span>
            <span className="runs-dim">
              <Duration row={row} />
            </span>
            {columns.map((column) => (
              <span key={column.id} className="runs-fact">
                <small>{column.title}</small> <Cell column={column} row={row} />
              </span>
            ))}
          </div>
        </td>
      ) : (
        <>
          <td role="cell" className="runs-first" style={{ paddingLeft: `${depth * 1.4 + (row.children > 0 ? 0 : 2.1)}rem` }}>
            {name}
          </td>
          {columns.map((column) => (
            <td key={column.id} role="cell" className={column.numeric ? "number" : undefined}>
              <Cell column={column} row={row} />
            </td>
          ))}
        </>
      )}
    </tr>
  );
});

export const EmptyLine = memo(function EmptyLine({ line, top, width }: { line: number; top: number; width: number }) {
  return (
    <tr role="row" aria-rowindex={line + 2} className="runs-line runs-waiting" style={{ top }}>
      <td role="cell" aria-colspan={width} className="runs-span">
        <span className="runs-bone" aria-hidden="true" />
        <span className="visually-hidden">Loading</span>
      </td>
    </tr>
  );
});

export const GroupLine = memo(function GroupLine(props: LinePlace & { group: Group; by: string; open: boolean; width: number; now: number; onToggle: (value: string | null) => void }) {
  const { group, by, open, line, top, cursor, width, onToggle } = props;
  const title = group.value === null ? `without ${by}` : group.value === "" ? "(empty)" : group.value;
  return (
    <tr role="row" aria-rowindex={line + 2} className={`runs-line runs-group${cursor ? " cursor" : ""}`} style={{ top }}>
      <td role="cell" aria-colspan={width} className="runs-span">
        <button type="button" className="runs-group-open" aria-expanded={open} data-line={line} onClick={() => onToggle(group.value)}>
          <span aria-hidden="true">{open ? "▾" : "▸"}</span> <strong title={title}>{title}</strong>
        </button>
        <span className="runs-count">{count(group.count)}</span>
        <span className="runs-breakdown">
          {STATUS_ORDER.filter((status) => group.statuses[status]).map((status) => (
            <span key={status} className="runs-part" title={`${count(group.statuses[status]!)} ${status}`}>
              <Status status={status} /> {count(group.statuses[status]!)}
            </span>
          ))}
        </span>
        <span className="runs-time">
          newest <When at={group.newest_at} />
        </span>
      </td>
    </tr>
  );
});
