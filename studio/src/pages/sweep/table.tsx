// Every trial: how it ended, its value, its parameters and why it was stopped. Only the lines on screen are in the page.
import { useLayoutEffect, useMemo, useRef, useState } from "react";
import { duration, number, toNumber } from "../../lib/format";
import { runPath, useSearch } from "../../lib/route";
import type { Sweep, Trial } from "../../lib/sweep";
import { Link } from "../../ui/base";
import { useLines, useMinute } from "../runs/use_lines";
import { windowOf } from "../runs/window";
import { End } from "./end";
import { clipped, labelOf, sorted, textOf, took } from "./trials";

interface Column {
  id: string;
  title: string;
  /** In rem; the last one takes what is left. */
  width: number;
  numeric?: boolean;
}

/** Lines that are drawn above and below those in view. */
const AROUND = 8;

/** Letters of a title that are shown at most. */
const TITLE = 18;
const widthOf = (title: string): number => Math.max(7.5, Math.min(TITLE, title.length) * 0.6 + 3);

function columnsOf({ spec }: Sweep): Column[] {
  return [
    { id: "number", title: "Trial", width: 5.5 },
    { id: "status", title: "Status", width: 10.5 },
    { id: "value", title: spec.metric.name, width: widthOf(spec.metric.name), numeric: true },
    { id: "last", title: "last", width: 7, numeric: true },
    { id: "intervals", title: "logged", width: 5.5, numeric: true },
    ...spec.space.map(({ name }) => ({ id: `params.${name}`, title: labelOf(name), width: widthOf(labelOf(name)) })),
    { id: "took", title: "Took", width: 7.5, numeric: true },
    { id: "reason", title: "Why", width: 24 },
  ];
}

const valueText = (value: Trial["best"]): string => (value === null ? "–" : number(Number.isNaN(toNumber(value)) ? value : toNumber(value)));
const parameterText = (trial: Trial, name: string): string => {
  const value = trial.parameters[name];
  return value === undefined ? "–" : typeof value === "number" ? number(value) : textOf(value);
};

/** Why it was stopped or paused, when it is looked at next, or who made it. */
function noteOf({ reason, next_check, origin }: Trial): string {
  if (reason) return reason;
  if (next_check !== null) return `next look at interval ${next_check}`;
  return origin === "hand" ? "made by hand" : origin === "resumed" ? "run once more" : "";
}

function Name({ trial, best }: { trial: Trial; best: boolean }) {
  return (
    <>
      <Link className="runs-name" href={runPath(trial.run)} title={trial.run}>{`#${trial.number}`}</Link>
      {best && <span className="sweep-star" role="img" aria-label="the best" title="The best">★</span>}
    </>
  );
}

function Cell({ column, trial, best }: { column: Column; trial: Trial; best: boolean }) {
  switch (column.id) {
    case "number":
      return <Name trial={trial} best={best} />;
    case "status":
      return <End trial={trial} />;
    case "value":
      return <strong title={String(trial.best ?? "")}>{valueText(trial.best)}</strong>;
    case "last":
      return <span title={String(trial.last ?? "")}>{valueText(trial.last)}</span>;
    case "intervals":
      return <>{trial.intervals}</>;
    case "took":
      return <>{duration(took(trial))}</>;
    case "reason":
      return <span title={noteOf(trial)}>{noteOf(trial)}</span>;
    default:
      return <span title={textOf(trial.parameters[column.id.slice(7)])}>{parameterText(trial, column.id.slice(7))}</span>;
  }
}

function Narrow({ trial, sweep }: { trial: Trial; sweep: Sweep }) {
  const parameters = sweep.spec.space.filter(({ name }) => name in trial.parameters).map(({ name }) => `${labelOf(name)} ${parameterText(trial, name)}`).join(", ");
  return (
    <td role="cell" className="sweep-narrow">
      <div>
        <Name trial={trial} best={trial.number === sweep.best?.trial} />
        <End trial={trial} />
        <strong className="sweep-narrow-value">{valueText(trial.best)}</strong>
      </div>
      <div className="note" title={trial.reason || parameters}>
        {trial.reason || parameters}
      </div>
    </td>
  );
}

export function TrialTable({ sweep, trials }: { sweep: Sweep; trials: readonly Trial[] }) {
  const [search, change] = useSearch();
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [view, setView] = useState(600);
  const { compact, lineHeight } = useLines();
  useMinute();
  const bestFirst = sweep.spec.metric.goal === "maximize" ? "-value" : "value";
  const sort = search.get("sort") ?? bestFirst;
  const rows = useMemo(() => sorted(trials, sort), [trials, sort]);
  const columns = columnsOf(sweep);
  const grid = columns.map(({ width }, i) => (i === columns.length - 1 ? `minmax(${width}rem, 1fr)` : `${width}rem`)).join(" ");
  const least = columns.reduce((sum, { width }) => sum + width, 0);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => box.current && setView(box.current.clientHeight));
    observer.observe(box.current!);
    return () => observer.disconnect();
  }, []);
  const { first, last } = windowOf(top, view, lineHeight, rows.length, AROUND);
  const sortBy = (id: string) => {
    const usual = id === "value" ? bestFirst : id;
    const next = sort === usual ? (usual.startsWith("-") ? usual.slice(1) : `-${usual}`) : usual;
    change({ sort: next === bestFirst ? null : next });
    box.current!.scrollTop = 0;
  };
  const header = (column: Column) => {
    const [up, down] = [sort === column.id, sort === `-${column.id}`];
    return (
      <th key={column.id} role="columnheader" className={column.numeric ? "number" : ""} aria-sort={up ? "ascending" : down ? "descending" : undefined}>
        <button type="button" title={`Sort by ${column.title}`} onClick={() => sortBy(column.id)}>
          <span>{clipped(column.title, TITLE)}</span>
          <span aria-hidden="true" className="runs-arrow">
            {up ? "↑" : down ? "↓" : ""}
          </span>
        </button>
      </th>
    );
  };
  return (
    <section aria-labelledby="trials-title">
      <h2 id="trials-title">Trials</h2>
      <div ref={box} className="runs-scroll sweep-table" style={{ height: `min(70vh, ${Math.max(1, rows.length) * lineHeight + 44}px)` }} tabIndex={0} role="region" aria-label="Table of trials" onScroll={() => setTop(box.current!.scrollTop)}>
        <table
          role="table"
          aria-rowcount={rows.length + 1}
          aria-label="Trials"
          className={`runs-table${compact ? " compact" : ""}`}
          style={{ "--grid": compact ? "auto auto minmax(0, 1fr)" : grid, "--line-height": `${lineHeight}px`, minWidth: compact ? undefined : `${least}rem` } as object}
        >
          <thead role="rowgroup">
            <tr role="row" aria-rowindex={1}>
              {(compact ? columns.slice(0, 3) : columns).map(header)}
            </tr>
          </thead>
          <tbody role="rowgroup" style={{ height: rows.length * lineHeight }}>
            {rows.slice(first, last).map((trial, i) => (
              <tr key={trial.number} role="row" aria-rowindex={first + i + 2} className="runs-line" style={{ top: (first + i) * lineHeight }} data-trial={trial.number}>
                {compact ? (
                  <Narrow trial={trial} sweep={sweep} />
                ) : (
                  columns.map((column) => (
                    <td key={column.id} role="cell" className={column.numeric ? "number" : undefined}>
                      <Cell column={column} trial={trial} best={trial.number === sweep.best?.trial} />
                    </td>
                  ))
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
