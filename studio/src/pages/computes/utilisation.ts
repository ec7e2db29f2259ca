// How busy a node is, from the newest figures of the run on it.
import type { Schemas } from "../../lib/api";

export interface Utilisation {
  cpu?: number;
  memory?: number;
  /** One for each GPU. */
  gpus: number[];
  at?: string;
}

/** What each node did last. Figures come by node and name: cpu_percent, memory_percent, gpu0_percent. */
export function utilisationByNode(series: Schemas["SystemMetrics"]["series"]): Map<string, Utilisation> {
  const nodes = new Map<string, Utilisation>();
  for (const { node, name, points } of series) {
    const last = points[points.length - 1];
    if (!last) continue;
    let found = nodes.get(node);
    if (!found) nodes.set(node, (found = { gpus: [] }));
    const gpu = /^gpu(\d+)_percent$/.exec(name);
    if (name === "cpu_percent") found.cpu = last.value;
    else if (name === "memory_percent") found.memory = last.value;
    else if (gpu) found.gpus[Number(gpu[1])] = last.value;
    if (!found.at || last.at > found.at) found.at = last.at;
  }
  return nodes;
}
