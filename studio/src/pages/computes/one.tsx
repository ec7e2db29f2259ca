// One compute: its nodes, what runs and waits there, its limits.
import { useEffect, useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { duration } from "../../lib/format";
import { useLive } from "../../lib/live";
import { useResource } from "../../lib/resource";
import { navigate, workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { Button, Link, Loading, Problem, Time } from "../../ui/base";
import { FormDialog } from "../../ui/form";
import { notify } from "../../ui/notify";
import { kindOf, resourcesOf, stateOf } from "./facts";
import { LimitsDialog } from "./limits_form";
import { Nodes, useNodes, useUtilisation } from "./nodes";
import { busyShare, NodesBar } from "./nodes_bar";
import { Queue, useQueue } from "./queue";

type Compute = Schemas["Compute"];
type Box = "limits" | "delete" | "preempt";

function Facts({ compute }: { compute: Compute }) {
  const busy = busyShare(compute.node_state_counts);
  const limits = [
    compute.max_nodes_per_user > 0 && `at most ${compute.max_nodes_per_user} nodes`,
    compute.max_runs_per_user > 0 && `at most ${compute.max_runs_per_user} runs at a time`,
  ].filter(Boolean);
  return (
    <dl className="facts">
      <dt>Kind</dt>
      <dd>{kindOf(compute)}</dd>
      <dt>Each node</dt>
      <dd>{resourcesOf(compute)}</dd>
      <dt>Priority</dt>
      <dd>{compute.vm_priority === "lowpriority" ? "low: nodes are taken away when dedicated work needs room" : "dedicated"}</dd>
      <dt>Nodes</dt>
      <dd>
        {compute.min_nodes} to {compute.max_nodes}; an idle one ends after {duration(compute.idle_seconds_before_scaledown)}
      </dd>
      <dt>Per user</dt>
      <dd>{limits.length > 0 ? limits.join(", ") : "no limit"}</dd>
      <dt>Busy</dt>
      <dd>{busy === undefined ? "no node is up" : `${Math.round(100 * busy)} % of the nodes that are up`}</dd>
      <dt>Created</dt>
      <dd>
        <Time at={compute.created_at} />, limits changed <Time at={compute.modified_at} />
      </dd>
    </dl>
  );
}

function DeleteDialog({ compute, onClose }: { compute: Compute; onClose: () => void }) {
  const [drain, setDrain] = useState(false);
  const path = `/workspaces/${segment(compute.workspace)}/computes/${segment(compute.name)}`;
  const remove = async () => {
    await api.remove(`${path}${drain ? "?drain=true" : ""}`);
    notify(`${compute.name} goes once its last node has left`);
    navigate(workspacePath(compute.workspace, "computes"));
  };
  return (
    <FormDialog title={`Delete ${compute.name}`} action="Delete" kind="danger" act={remove} onClose={onClose}>
      <p>
        The compute and its nodes go. What ran there, with logs and outputs, stays. This is refused while runs use it.
      </p>
      <label>
        <input type="checkbox" checked={drain} onChange={(event) => setDrain(event.target.checked)} /> Let the runs that it has end first, and take no new ones
      </label>
    </FormDialog>
  );
}

function PreemptDialog({ compute, onClose }: { compute: Compute; onClose: () => void }) {
  const preempt = async () => {
    const taken = await api.post<{ nodes: string[]; runs: string[] }>(`/workspaces/${segment(compute.workspace)}/computes/${segment(compute.name)}/preempt`, {});
    notify(`${taken.nodes.length} nodes taken away, ${taken.runs.length} runs wait again`);
  };
  return (
    <FormDialog title={`Preempt ${compute.name}`} action="Take its nodes away" kind="danger" act={preempt} onClose={onClose}>
      <p>Runs on its nodes are stopped and wait for nodes again. They find what they wrote to ./outputs, and no retry is counted.</p>
    </FormDialog>
  );
}

export function OneCompute({ workspace, name }: { workspace: string; name: string }) {
  const may = useMay("contributor");
  const compute = useResource<Compute>(`compute/${workspace}/${name}`, () => api.get(`/workspaces/${segment(workspace)}/computes/${segment(name)}`));
  const nodes = useNodes(workspace, name);
  const queue = useQueue(workspace, name);
  const utilisation = useUtilisation(nodes.data?.items ?? []);
  const [box, setBox] = useState<Box>();
  const again = () => {
    compute.reload();
    nodes.reload();
    queue.reload();
  };
  useLive(`computes/${workspace}`, again);
  // Figures of use come every few seconds without an event.
  const { reload } = utilisation;
  useEffect(() => {
    const timer = setInterval(reload, 10_000);
    return () => clearInterval(timer);
  }, [reload]);

  const list = <Link href={workspacePath(workspace, "computes")}>Computes</Link>;
  if (!compute.data) {
    return (
      <>
        <p className="note">{list}</p>
        {compute.error ? <Problem error={compute.error} retry={compute.reload} /> : <Loading what={name} />}
      </>
    );
  }
  const data = compute.data;
  const close = () => setBox(undefined);
  return (
    <>
      <p className="note">{list} /</p>
      <div className="head">
        <h1>{data.name}</h1>
        <span className={`status ${stateOf(data) === "Ready" ? "status-Completed" : "status-Queued"}`}>{stateOf(data)}</span>
        {may && (
          <span className="spring row">
            <Button onClick={() => setBox("limits")}>Edit limits</Button>
            {data.vm_priority === "lowpriority" && <Button onClick={() => setBox("preempt")}>Preempt</Button>}
            <Button kind="danger" onClick={() => setBox("delete")}>
              Delete
            </Button>
          </span>
        )}
      </div>
      {compute.error && <Problem error={compute.error} retry={compute.reload} />}
      <div className="computes-top">
        <div className="card">
          <NodesBar compute={data} />
          {data.notices.map((notice) => (
            <p key={notice} className="note">
              {notice}
            </p>
          ))}
        </div>
        <div className="card">
          <Facts compute={data} />
        </div>
      </div>
      <section className="computes-section">
        <h2>Nodes</h2>
        <Nodes nodes={nodes} utilisation={utilisation.data} compute={data} names={new Map(queue.data?.items.map((item) => [item.run, item.display_name]))} />
      </section>
      <section className="computes-section">
        <h2>Runs and queue</h2>
        <Queue workspace={workspace} compute={name} queue={queue} />
      </section>
      {box === "limits" && <LimitsDialog compute={data} onDone={again} onClose={close} />}
      {box === "delete" && <DeleteDialog compute={data} onClose={close} />}
      {box === "preempt" && <PreemptDialog compute={data} onClose={close} />}
    </>
  );
}
