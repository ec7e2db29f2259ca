// The nodes of a compute: what each does, for whom, and how busy it is.
import { api, segment, type Schemas } from "../../lib/api";
import { duration } from "../../lib/format";
import { useResource } from "../../lib/resource";
import { runPath } from "../../lib/route";
import { Link, Loading, Problem, Time } from "../../ui/base";
import { useNow } from "../run/now";
import { utilisationByNode, type Utilisation } from "./utilisation";

type Node = Schemas["Node"];

const MARKS: Record<Node["state"], string> = { running: "▶", idle: "◷", preparing: "↥", leaving: "↧", preempted: "⊘", unusable: "✕" };

export function useNodes(workspace: string, compute: string) {
  return useResource<Schemas["NodeList"]>(`nodes/${workspace}/${compute}`, () =>
    api.get(`/workspaces/${segment(workspace)}/computes/${segment(compute)}/nodes`),
  );
}

/** Figures of the runs that are on these nodes; at most 20 runs are asked for. */
export function useUtilisation(nodes: Node[]) {
  const runs = [...new Set(nodes.flatMap((node) => (node.run ? [node.run] : [])))].sort().slice(0, 20);
  return useResource<Map<string, Utilisation>>(runs.length > 0 ? `utilisation/${runs.join(",")}` : null, async () => {
    const answers = await Promise.all(runs.map((run) => api.get<Schemas["SystemMetrics"]>(`/runs/${segment(run)}/system-metrics`, { buckets: 100 })));
    return utilisationByNode(answers.flatMap((answer) => answer.series));
  });
}

function Meter({ label, value }: { label: string; value: number | undefined }) {
  if (value === undefined) return null;
  return (
    <span className="computes-meter">
      <span>{label}</span>
      <span className="computes-meter-bar" aria-hidden="true">
        <span style={{ width: `${Math.min(100, Math.max(0, value))}%` }} />
      </span>
      <span>{Math.round(value)} %</span>
    </span>
  );
}

function Use({ use }: { use: Utilisation | undefined }) {
  if (!use) return <span className="note">–</span>;
  return (
    <span className="computes-use">
      <Meter label="CPU" value={use.cpu} />
      <Meter label="Memory" value={use.memory} />
      {use.gpus.map((value, index) => (
        <Meter key={index} label={`GPU ${index}`} value={value} />
      ))}
    </span>
  );
}

interface NodesProps {
  nodes: ReturnType<typeof useNodes>;
  utilisation: Map<string, Utilisation> | undefined;
  compute: Schemas["Compute"];
  /** Of runs, as far as they are known. */
  names: ReadonlyMap<string, string>;
}

export function Nodes({ nodes, utilisation, compute, names }: NodesProps) {
  const now = useNow(nodes.data?.items.some((node) => node.state === "idle") ?? false);
  if (nodes.loading) return <Loading what="the nodes" />;
  if (!nodes.data) return nodes.error ? <Problem error={nodes.error} retry={nodes.reload} /> : null;
  const items = nodes.data.items;
  if (items.length === 0) return <p className="note">No node is up. Nodes start when a run needs them.</p>;
  const leavesIn = (node: Node) => compute.idle_seconds_before_scaledown - (now - Date.parse(node.state_at)) / 1000;
  return (
    <div className="scroll" tabIndex={0} role="region" aria-label="Nodes">
      <table>
        <thead>
          <tr>
            <th>Node</th>
            <th>State</th>
            <th>Since</th>
            <th>Run</th>
            <th>Use</th>
            <th>Up since</th>
            <th>Heard of</th>
          </tr>
        </thead>
        <tbody>
          {items.map((node) => (
            <tr key={node.id}>
              <td className="mono">{node.id}</td>
              <td>
                <span className={`status computes-state-${node.state}`}>
                  <span aria-hidden="true">{MARKS[node.state]}</span> {node.state}
                </span>
              </td>
              <td>
                <Time at={node.state_at} />
                {node.state === "idle" && items.length > compute.min_nodes && leavesIn(node) > 0 && <div className="note">ends in {duration(leavesIn(node))}</div>}
              </td>
              <td>{node.run ? <Link href={runPath(node.run)}>{names.get(node.run) || node.run}</Link> : "–"}</td>
              <td>
                <Use use={utilisation?.get(node.id)} />
              </td>
              <td>
                <Time at={node.started_at} />
              </td>
              <td>
                <Time at={node.last_seen_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
