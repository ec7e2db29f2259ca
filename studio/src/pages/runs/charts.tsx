// The curves beside the table: those of the runs whose eye is open.
import { useMemo } from "react";
import { useLive } from "../../lib/live";
import { isOver, Loading, Problem } from "../../ui/base";
import { useComparison, type Comparison } from "../compare/comparison";
import { Curves } from "../compare/curves";
import { runColor, runDashed } from "./run_color";
import "../compare.css";

function Live({ id, hear }: { id: string; hear: Comparison["hear"] }) {
  useLive(`run/${id}`, (event) => hear(id, event));
  useLive(`metrics/${id}`, (event) => hear(id, event));
  return null;
}

export default function RunCharts({ workspace, ids }: { workspace: string; ids: string[] }) {
  const comparison = useComparison(workspace, ids);
  const runs = useMemo(() => comparison.runs.map((run) => ({ ...run, color: runColor(run.row), dashed: runDashed(run.row) })), [comparison.runs]);
  return (
    <>
      {comparison.error && <Problem error={comparison.error} retry={comparison.reload} />}
      {runs.length === 0 && comparison.loading && <Loading what="the curves" />}
      {ids.length === 0 && <p className="note">No run is shown. An eye beside its name brings a run in.</p>}
      {runs.length > 0 && <Curves runs={runs} filterParam="metrics" chooseGroup={false} least={340} />}
      {runs.map((run) => !isOver(run.row.status) && <Live key={run.id} id={run.id} hear={comparison.hear} />)}
    </>
  );
}
