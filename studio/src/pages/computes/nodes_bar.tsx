// The nodes of a compute as one bar: how many there are of the most there may be, and what each does.
import type { Schemas } from "../../lib/api";

const STATES = ["running", "preparing", "idle", "leaving", "preempted", "unusable"] as const;

export function NodesBar({ compute }: { compute: Schemas["Compute"] }) {
  const counts = compute.node_state_counts;
  const there = STATES.filter((state) => counts[state] > 0);
  const total = STATES.reduce((sum, state) => sum + counts[state], 0);
  const width = Math.max(compute.max_nodes, total, 1);
  const words = there.map((state) => `${counts[state]} ${state}`).join(", ") || "no node is up";
  return (
    <div className="computes-nodes">
      <div className="computes-bar" role="img" aria-label={`${total} of at most ${compute.max_nodes} nodes: ${words}`}>
        {there.map((state) => (
          <span key={state} className={`computes-${state}`} style={{ width: `${(100 * counts[state]) / width}%` }} />
        ))}
        {compute.min_nodes > 0 && compute.min_nodes < width && (
          <i className="computes-least" style={{ left: `${(100 * compute.min_nodes) / width}%` }} title={`at least ${compute.min_nodes}`} />
        )}
      </div>
      <div className="computes-legend">
        <strong>
          {total} of {compute.max_nodes}
        </strong>
        {there.length === 0 && <span>no node is up</span>}
        {there.map((state) => (
          <span key={state}>
            <i className={`computes-${state}`} aria-hidden="true" /> {counts[state]} {state}
          </span>
        ))}
        {compute.target_node_count !== total && <span>→ {compute.target_node_count} wanted</span>}
      </div>
    </div>
  );
}

/** Which part of the nodes that are up has a run. */
export function busyShare(counts: Schemas["Compute"]["node_state_counts"]): number | undefined {
  const up = counts.running + counts.idle;
  return up === 0 ? undefined : counts.running / up;
}
