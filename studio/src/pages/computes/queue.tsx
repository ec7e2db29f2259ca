// What waits for nodes, why, and when it will likely start.
import { useState } from "react";
import { api, segment, type Schemas } from "../../lib/api";
import { fullTime } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { runPath, workspacePath } from "../../lib/route";
import { Button, Link, Loading, Problem, Status, Time } from "../../ui/base";
import { useNow } from "../run/now";
import { until } from "./until";

export type QueueItem = Schemas["QueueItem"];

export function useQueue(workspace: string, compute?: string) {
  const [limit, setLimit] = useState(50);
  const query = { limit, compute, running: compute !== undefined };
  const resource = useResource<Schemas["QueueList"]>(`queue/${workspace}/${compute ?? ""}/${limit}`, () =>
    api.get(`/workspaces/${segment(workspace)}/queue`, query),
  );
  return { ...resource, more: limit < 1000 ? () => setLimit(Math.min(limit * 4, 1000)) : undefined };
}

function Estimate({ item }: { item: QueueItem }) {
  const now = useNow(true);
  if (item.started_at) {
    if (!item.estimated_end_at) return <span className="note">–</span>;
    return <span title={fullTime(item.estimated_end_at)}>ends {until(item.estimated_end_at, now)}</span>;
  }
  if (!item.estimated_start_at) return <span className="note">not known</span>;
  return (
    <span title={fullTime(item.estimated_start_at)}>
      starts {until(item.estimated_start_at, now)}
      {item.estimate_basis && <span className="note computes-basis">{item.estimate_basis}</span>}
    </span>
  );
}

function Row({ item, workspace, all }: { item: QueueItem; workspace: string; all: boolean }) {
  return (
    <tr>
      <td className="number">{item.started_at ? "–" : (item.position ?? "held up")}</td>
      <td>
        <Link href={runPath(item.run)}>{item.display_name || item.run}</Link>
        <div className="note">{item.experiment}</div>
      </td>
      {all && (
        <td>
          <Link href={workspacePath(workspace, `computes/${segment(item.compute)}`)}>{item.compute}</Link>
        </td>
      )}
      <td>
        <Status status={item.status} />
      </td>
      <td className="computes-reason">
        {item.reason ?? (item.node_names.length > 0 ? `on ${item.node_names.join(", ")}` : "–")}
        {item.provider && <div className="note">{Object.entries(item.provider).map(([name, value]) => `${name} ${String(value)}`).join(", ")}</div>}
      </td>
      <td>
        <Estimate item={item} />
      </td>
      <td>
        <Time at={item.started_at ?? item.waiting_since} />
      </td>
      <td className="number">{item.nodes}</td>
      <td className="number">{item.priority}</td>
      <td>{item.user}</td>
    </tr>
  );
}

export function Queue({ workspace, compute, queue }: { workspace: string; compute?: string; queue: ReturnType<typeof useQueue> }) {
  if (queue.loading) return <Loading what="the queue" />;
  if (!queue.data) return queue.error ? <Problem error={queue.error} retry={queue.reload} /> : null;
  const items = queue.data.items;
  if (items.length === 0) return <p className="note">Nothing waits for nodes{compute ? " and nothing runs here" : ""}.</p>;
  const all = compute === undefined;
  return (
    <>
      <div className="scroll" tabIndex={0} role="region" aria-label="Queue">
        <table>
          <thead>
            <tr>
              <th className="number">Place</th>
              <th>Run</th>
              {all && <th>Compute</th>}
              <th>Status</th>
              <th>{all ? "Why it waits" : "Why it waits, or where it runs"}</th>
              <th>Estimate</th>
              <th>Since</th>
              <th className="number">Nodes</th>
              <th className="number">Priority</th>
              <th>User</th>
            </tr>
          </thead>
          <tbody>
            {items.map((item) => (
              <Row key={item.run} item={item} workspace={workspace} all={all} />
            ))}
          </tbody>
        </table>
      </div>
      {queue.data.next_cursor && (
        <p className="note row">
          These are the first {items.length}.{" "}
          {queue.more && (
            <Button small onClick={queue.more}>
              Show more
            </Button>
          )}
        </p>
      )}
    </>
  );
}
