// Two to fifty runs beside one another.
import { useMemo, useState, type ReactNode } from "react";
import { useLive } from "../lib/live";
import { useSearch, workspacePath } from "../lib/route";
import { Button, Empty, isOver, Link, Loading, Problem, Tabs } from "../ui/base";
import { AddRuns, Chosen } from "./compare/chooser";
import { CodeDiff } from "./compare/code";
import { useComparison, type ComparedRun, type Comparison } from "./compare/comparison";
import { Curves } from "./compare/curves";
import { EnvironmentDiff } from "./compare/environments";
import { Media } from "./compare/media";
import { Parallel } from "./compare/parallel";
import { Scatter } from "./compare/scatter";
import { runsOf } from "./compare/selection";
import { SideBySide } from "./compare/table";
import "./compare.css";

const VIEWS: { id: string; title: string; show: (runs: ComparedRun[]) => ReactNode; all?: boolean }[] = [
  { id: "curves", title: "Curves", show: (runs) => <Curves runs={runs} /> },
  { id: "table", title: "Table", show: (runs) => <SideBySide runs={runs} /> },
  { id: "media", title: "Tables and images", show: (runs) => <Media runs={runs} /> },
  { id: "parallel", title: "Parallel coordinates", show: (runs) => <Parallel runs={runs} /> },
  { id: "scatter", title: "Scatter", show: (runs) => <Scatter runs={runs} /> },
  { id: "code", title: "Code", show: (runs) => <CodeDiff runs={runs} />, all: true },
  { id: "environment", title: "Environment", show: (runs) => <EnvironmentDiff runs={runs} />, all: true },
];

function Live({ id, hear }: { id: string; hear: Comparison["hear"] }) {
  useLive(`run/${id}`, (event) => hear(id, event));
  useLive(`metrics/${id}`, (event) => hear(id, event));
  return null;
}

export default function ComparePage({ workspace }: { workspace: string }) {
  const [search, change] = useSearch();
  const [adding, setAdding] = useState(false);
  const ids = runsOf(search);
  const hidden = new Set(search.getAll("hide"));
  const comparison = useComparison(workspace, ids);
  const view = VIEWS.find((one) => one.id === search.get("view")) ?? VIEWS[0]!;
  const hiddenList = [...hidden].join(",");
  const shown = useMemo(() => comparison.runs.filter((run) => view.all || !hidden.has(run.id)), [comparison.runs, hiddenList, view]);

  const href = (id: string) => {
    const next = new URLSearchParams(search);
    next.set("view", id);
    return `${workspacePath(workspace, "compare")}?${next.toString()}`;
  };
  const hide = (id: string) => change({ hide: hidden.has(id) ? [...hidden].filter((one) => one !== id) : [...hidden, id] });
  const remove = (id: string) => change({ run: ids.filter((one) => one !== id), hide: [...hidden].filter((one) => one !== id) });
  return (
    <>
      <p className="note">
        <Link href={workspacePath(workspace, "runs")}>Runs</Link> /
      </p>
      <div className="head">
        <h1>Compare {ids.length > 0 ? `${ids.length} runs` : "runs"}</h1>
        <Button className="spring" onClick={() => setAdding(true)}>
          Add runs
        </Button>
      </div>
      {comparison.error && <Problem error={comparison.error} retry={comparison.reload} />}
      {comparison.missing.map((id) => (
        <div key={id} className="problem" role="alert">
          <span>
            There is no run {id} in this workspace.
          </span>
          <Button small onClick={() => remove(id)}>
            Leave it out
          </Button>
        </div>
      ))}
      <Chosen runs={comparison.runs} hidden={hidden} onHide={hide} onRemove={remove} />
      {comparison.runs.length === 0 && comparison.loading && <Loading what="the runs" />}
      {ids.length < 2 && (
        <Empty title={ids.length === 0 ? "Nothing to compare yet" : "One more run is needed"}>
          <p>Choose two to fifty runs here, or select them in the table of runs.</p>
          <p>
            <Button kind="main" onClick={() => setAdding(true)}>
              Add runs
            </Button>
          </p>
        </Empty>
      )}
      {ids.length >= 2 && comparison.runs.length > 0 && (
        <>
          <Tabs label="Views of the comparison" current={view.id} tabs={VIEWS.map(({ id, title }) => ({ id, title, href: href(id) }))} />
          {shown.length === 0 ? <p className="note">All runs are hidden.</p> : view.show(shown)}
        </>
      )}
      {comparison.runs.map((run) => !isOver(run.row.status) && <Live key={run.id} id={run.id} hear={comparison.hear} />)}
      {adding && <AddRuns workspace={workspace} chosen={ids} onAdd={(id) => change({ run: [...ids, id] })} onClose={() => setAdding(false)} />}
    </>
  );
}
