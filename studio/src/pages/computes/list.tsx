// All computes of a workspace, and what waits for them.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { duration } from "../../lib/format";
import { useLive } from "../../lib/live";
import { useResource } from "../../lib/resource";
import { workspacePath } from "../../lib/route";
import { useMay } from "../../lib/session";
import { Button, Empty, Link, Loading, Problem } from "../../ui/base";
import { CreateCompute } from "./create";
import { kindOf, resourcesOf, stateOf } from "./facts";
import { LimitsDialog } from "./limits_form";
import { busyShare, NodesBar } from "./nodes_bar";
import { Queue, useQueue } from "./queue";

type Compute = Schemas["Compute"];

function Card({ compute, waiting, onLimits }: { compute: Compute; waiting: string; onLimits?: (() => void) | undefined }) {
  const busy = busyShare(compute.node_state_counts);
  return (
    <article className="card computes-card" aria-label={compute.name}>
      <header className="row">
        <h2>
          <Link href={workspacePath(compute.workspace, `computes/${segment(compute.name)}`)}>{compute.name}</Link>
        </h2>
        <span className={`status ${stateOf(compute) === "Ready" ? "status-Completed" : "status-Queued"}`}>{stateOf(compute)}</span>
        {compute.vm_priority === "lowpriority" && <span className="tag">low priority</span>}
      </header>
      <p className="note">
        {kindOf(compute)}, each node {resourcesOf(compute)}
      </p>
      <NodesBar compute={compute} />
      <dl className="computes-numbers">
        <div>
          <dt>Busy</dt>
          <dd>{busy === undefined ? "–" : `${Math.round(100 * busy)} %`}</dd>
        </div>
        <div>
          <dt>Waiting</dt>
          <dd>{waiting}</dd>
        </div>
        <div>
          <dt>Nodes</dt>
          <dd>
            {compute.min_nodes} to {compute.max_nodes}
          </dd>
        </div>
        <div>
          <dt>Idle limit</dt>
          <dd>{duration(compute.idle_seconds_before_scaledown)}</dd>
        </div>
      </dl>
      {compute.notices.map((notice) => (
        <p key={notice} className="note">
          {notice}
        </p>
      ))}
      {onLimits && (
        <div className="computes-actions">
          <Button small onClick={onLimits} aria-label={`Edit the limits of ${compute.name}`}>
            Edit limits
          </Button>
        </div>
      )}
    </article>
  );
}

export function ComputeList({ workspace }: { workspace: string }) {
  const may = useMay("contributor");
  const computes = useResource<Schemas["ComputeList"]>(`computes/${workspace}`, () => api.get(`/workspaces/${segment(workspace)}/computes`));
  const queue = useQueue(workspace);
  const [editing, setEditing] = useState<string>();
  const [creating, setCreating] = useState(false);
  const again = () => {
    computes.reload();
    queue.reload();
  };
  useLive(`computes/${workspace}`, again);

  const items = computes.data?.items ?? [];
  const edited = items.find((one) => one.name === editing);
  const waiting = (name: string) => {
    const found = queue.data?.items.filter((item) => item.compute === name && !item.started_at).length ?? 0;
    return `${found}${queue.data?.next_cursor ? "+" : ""}`;
  };
  return (
    <>
      <div className="head">
        <h1>Computes</h1>
        {may && (
          <Button kind="main" className="spring" onClick={() => setCreating(true)}>
            New compute
          </Button>
        )}
      </div>
      {computes.error && <Problem error={computes.error} retry={computes.reload} />}
      {computes.loading && <Loading what="the computes" />}
      {computes.data && items.length === 0 && (
        <Empty title="No computes yet">
          <p>A compute is a cluster that grows with its queue and shrinks when it is idle.</p>
          <pre>roost compute create gpu-cluster --vm-size STANDARD_NC6 --max-nodes 4</pre>
        </Empty>
      )}
      <div className="cards">
        {items.map((compute) => (
          <Card key={compute.name} compute={compute} waiting={waiting(compute.name)} onLimits={may ? () => setEditing(compute.name) : undefined} />
        ))}
      </div>
      <section className="computes-section">
        <h2>Queue</h2>
        <Queue workspace={workspace} queue={queue} />
      </section>
      {edited && <LimitsDialog compute={edited} onDone={again} onClose={() => setEditing(undefined)} />}
      {creating && <CreateCompute workspace={workspace} onClose={() => setCreating(false)} />}
    </>
  );
}
