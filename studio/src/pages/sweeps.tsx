// The sweeps of a workspace, newest first.
import { useEffect } from "react";
import { count, number } from "../lib/format";
import { useFresh, useResource } from "../lib/resource";
import { useSearch } from "../lib/route";
import { listSweeps, sweepPath, type Sweep } from "../lib/sweep";
import { Empty, Link, Loading, Problem, Status, Time } from "../ui/base";
import { tried } from "./sweep/facts";
import "./sweep.css";

const EVERY = 2000;

function Row({ sweep }: { sweep: Sweep }) {
  return (
    <tr>
      <td>
        <Link href={sweepPath(sweep.id)}>{sweep.experiment}</Link> <span className="note sweep-id">{sweep.id}</span>
      </td>
      <td>
        {sweep.phase === "paused" || sweep.phase === "stopping" ? <span className="status sweep-phase">{sweep.phase}</span> : <Status status={sweep.status} />}
      </td>
      <td className="number sweeps-count">
        {count(tried(sweep))} of {count(sweep.spec.max_total_runs)}
      </td>
      <td>
        {sweep.spec.metric.name} <span className="note">to {sweep.spec.metric.goal}</span>
      </td>
      <td className="number" title={String(sweep.best?.value ?? "")}>
        {sweep.best ? number(sweep.best.value) : "–"}
      </td>
      <td>{sweep.spec.sampling.type}</td>
      <td>{sweep.spec.policy?.type ?? "none"}</td>
      <td>
        <Time at={sweep.created_at} /> <span className="note">by {sweep.created_by}</span>
      </td>
    </tr>
  );
}

export default function SweepsPage({ workspace }: { workspace: string }) {
  const [search, change] = useSearch();
  const list = useResource(`sweeps/${workspace}`, () => listSweeps(workspace));
  useFresh(list.reload);
  const sweeps = list.data?.sweeps ?? [];
  const going = sweeps.some((sweep) => sweep.phase !== "ended");
  useEffect(() => {
    if (!going) return;
    const timer = setInterval(() => document.visibilityState === "visible" && list.reload(), EVERY);
    return () => clearInterval(timer);
  }, [going, list.reload]);
  const find = search.get("q") ?? "";
  const shown = sweeps.filter((sweep) => `${sweep.experiment} ${sweep.id} ${sweep.spec.metric.name}`.toLowerCase().includes(find.toLowerCase()));
  return (
    <>
      <div className="head">
        <h1>Sweeps</h1>
        {sweeps.length > 0 && (
          <label>
            <span className="visually-hidden">Find sweeps</span>
            <input type="search" placeholder="Find by name or metric" value={find} onChange={(event) => change({ q: event.target.value })} />
          </label>
        )}
      </div>
      {list.error && <Problem error={list.error} retry={list.reload} />}
      {list.loading && <Loading what="the sweeps" />}
      {list.data && sweeps.length === 0 && (
        <Empty title="No sweeps yet">
          <p>A sweep runs a script many times with other parameters, and looks for the best:</p>
          <pre>{`roost sweep start sweep.yaml`}</pre>
          <p>docs/sweeps.md says what the file has. In Python:</p>
          <pre>{`from azureml.train.hyperdrive import *

config = HyperDriveConfig(
    run_config=script_run_config,
    hyperparameter_sampling=RandomParameterSampling({"--lr": loguniform(-9, -2)}),
    primary_metric_name="accuracy",
    primary_metric_goal=PrimaryMetricGoal.MAXIMIZE,
    max_total_runs=20, max_concurrent_runs=4)
experiment.submit(config)`}</pre>
        </Empty>
      )}
      {sweeps.length > 0 && shown.length === 0 && <p className="note">No sweep fits.</p>}
      {shown.length > 0 && (
        <div className="scroll" tabIndex={0} role="region" aria-label="Sweeps">
          <table>
            <thead>
              <tr>
                <th>Sweep</th>
                <th>Status</th>
                <th className="number">Trials</th>
                <th>Metric</th>
                <th className="number">Best</th>
                <th>Sampling</th>
                <th>Early stopping</th>
                <th>Created</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((sweep) => (
                <Row key={sweep.id} sweep={sweep} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}
