// Parameters, metrics, tags and facts side by side.
import { useMemo, type ReactNode } from "react";
import { duration, number } from "../../lib/format";
import { runPath, useSearch } from "../../lib/route";
import { Link } from "../../ui/base";
import { Swatch } from "./chooser";
import { environmentName } from "./environment_lines";
import { linesOf, type Cell, type Line, type Shown, type Side } from "./sides";
import type { ComparedRun } from "./comparison";

function secondsOf(run: ComparedRun["run"]): number | undefined {
  if (!run.started_at || !run.ended_at) return undefined;
  return (Date.parse(run.ended_at) - Date.parse(run.started_at)) / 1000;
}

function sideOf({ id, run, params, metrics }: ComparedRun): Side {
  const seconds = secondsOf(run);
  const facts = {
    status: run.status,
    experiment: run.experiment,
    duration: seconds === undefined ? null : duration(seconds),
    compute: run.compute || null,
    environment: environmentName(run),
    "git commit": run.git?.commit ? `${run.git.commit.slice(0, 12)}${run.git.dirty ? " and changes" : ""}` : null,
    "code snapshot": run.snapshot?.slice(0, 12) ?? null,
    script: run.spec.script ?? run.spec.command ?? null,
    "created by": run.created_by,
    created: run.created_at.slice(0, 19).replace("T", " "),
    error: run.error?.message ?? null,
  };
  return { id, facts, params, tags: run.tags, metrics };
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
  const lines = useMemo(() => {
    const shown = SHOWN.filter((one) => asked.split(",").includes(one));
    return linesOf(runs.map(sideOf), shown.length > 0 ? shown : ["last"], number);
  }, [runs, asked]);
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
