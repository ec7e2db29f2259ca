// Parameters, metrics, tags and facts side by side.
import { useMemo, type ReactNode } from "react";
import { duration, localTime, number } from "../../lib/format";
import { runPath, useSearch } from "../../lib/route";
import { Link, Problem } from "../../ui/base";
import { Swatch } from "./chooser";
import { useDetails, type Detail } from "./details";
import { environmentName } from "./environment_lines";
import { linesOf, type Cell, type Line, type Shown, type Side } from "./sides";
import type { ComparedRun } from "./comparison";

function sideOf({ id, row }: ComparedRun, detail: Detail | undefined): Side {
  const run = detail?.run;
  const facts = {
    status: row.status,
    experiment: row.experiment,
    duration: row.duration_seconds === null ? null : duration(row.duration_seconds),
    compute: row.compute || null,
    environment: run ? environmentName(run) : null,
    "git commit": run?.git?.commit ? `${run.git.commit.slice(0, 12)}${run.git.dirty ? " and changes" : ""}` : null,
    "code snapshot": run?.snapshot?.slice(0, 12) ?? null,
    script: run?.spec.script ?? run?.spec.command ?? null,
    "created by": row.created_by,
    created: localTime(row.created_at),
    error: row.error,
  };
  return { id, facts, params: row.params, tags: row.tags, metrics: metricsOf(row, detail) };
}

/** The row has the newest values; what else there is to a metric comes with the details. */
function metricsOf(row: ComparedRun["row"], detail: Detail | undefined): Side["metrics"] {
  const summaries = new Map(detail?.metrics?.map((one) => [one.name, one]));
  const rest = [...summaries.values()].filter((one) => !(one.name in row.metrics));
  return [...Object.entries(row.metrics).map(([name, last]) => ({ name, last, min: summaries.get(name)?.min, max: summaries.get(name)?.max })), ...rest];
}

const MARK = { smallest: "▼", largest: "▲" } as const;

function Value({ cell }: { cell: Cell }) {
  if (cell.text === undefined) return <span className="note">none</span>;
  return (
    <span title={cell.full ?? cell.text}>
      {cell.best && (
        <span className="compare-extreme" title={cell.best}>
          <span aria-hidden="true">{MARK[cell.best]}</span>
          <span className="visually-hidden">{cell.best}: </span>
        </span>
      )}
      {cell.text}
    </span>
  );
}

function Group({ name, lines, width }: { name: string; lines: Line[]; width: number }): ReactNode {
  if (lines.length === 0) return null;
  return (
    <tbody>
      <tr className="compare-group">
        <th scope="rowgroup" colSpan={width + 1}>
          <span>{name}</span>
        </th>
      </tr>
      {lines.map((line) => (
        <tr key={line.name} className={line.differs ? "compare-differs" : ""}>
          <th scope="row">
            <span className="compare-sign" aria-hidden="true">
              {line.differs ? "≠" : ""}
            </span>
            {line.name}
            {line.differs && <span className="visually-hidden"> (differs)</span>}
          </th>
          {line.cells.map((cell, i) => (
            <td key={i} className={`${line.numeric ? "number" : ""} ${cell.odd ? "compare-odd" : ""}`}>
              <Value cell={cell} />
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

const SHOWN: Shown[] = ["last", "min", "max"];

export function SideBySide({ runs }: { runs: ComparedRun[] }) {
  const [search, change] = useSearch();
  const only = search.get("only") === "1";
  const find = (search.get("find") ?? "").toLowerCase();
  const asked = search.get("values") ?? "last";
  const details = useDetails(runs, true);
  const lines = useMemo(() => {
    const shown = SHOWN.filter((one) => asked.split(",").includes(one));
    return linesOf(runs.map((run) => sideOf(run, details.of.get(run.id))), shown.length > 0 ? shown : ["last"], number);
  }, [runs, asked, details.of]);
  const kept = lines.filter((line) => (!only || line.differs) && (find === "" || line.name.toLowerCase().includes(find)));
  const toggle = (which: Shown) => {
    const next = SHOWN.filter((one) => asked.split(",").includes(one) !== (one === which));
    change({ values: next.length === 0 || next.join() === "last" ? null : next.join(",") });
  };
  return (
    <>
      <div className="compare-controls">
        <label>
          <input type="checkbox" checked={only} onChange={(event) => change({ only: event.target.checked ? "1" : null })} /> Only differences
        </label>
        <fieldset>
          <legend className="visually-hidden">Values of metrics</legend>
          {SHOWN.map((which) => (
            <label key={which}>
              <input type="checkbox" checked={asked.split(",").includes(which)} onChange={() => toggle(which)} /> {which}
            </label>
          ))}
        </fieldset>
        <label>
          <span className="visually-hidden">Find a line</span>
          <input type="search" placeholder="Find by name" value={search.get("find") ?? ""} onChange={(event) => change({ find: event.target.value })} />
        </label>
        <span className="note">
          ≠ marks lines that differ, ▼ and ▲ the smallest and largest metric. What is underlined is not what most runs have.
        </span>
      </div>
      {details.error && <Problem error={details.error} retry={details.reload} />}
      {kept.length === 0 ? (
        <p className="note">{only ? "Nothing differs between these runs." : "No line has this name."}</p>
      ) : (
        <div className="compare-table" tabIndex={0} role="region" aria-label="Runs side by side">
          <table>
            <thead>
              <tr>
                <td />
                {runs.map((run) => (
                  <th key={run.id} scope="col">
                    <Swatch run={run} /> <Link href={runPath(run.id)}>{run.label}</Link>
                  </th>
                ))}
              </tr>
            </thead>
            {["Parameters", "Metrics", "Tags", "Run"].map((group) => (
              <Group key={group} name={group} lines={kept.filter((line) => line.group === group)} width={runs.length} />
            ))}
          </table>
        </div>
      )}
    </>
  );
}
