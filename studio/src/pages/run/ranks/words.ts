// How the state of a process reads.
import type { Schemas } from "../../../lib/api";

export type Rank = Schemas["Rank"];
interface Word {
  text: string;
  mark: string;
  look: "waiting" | "running" | "good" | "bad" | "stopped";
}

export function wordOf(rank: Rank): Word {
  const how = rank.signal !== null ? `signal ${rank.signal}` : rank.exit_code !== null ? `exit ${rank.exit_code}` : "ended";
  if (rank.role === "root_cause") return { text: `failed first, ${how}`, mark: "✕", look: "bad" };
  if (rank.state === "waiting") return { text: "waiting", mark: "◷", look: "waiting" };
  if (rank.state === "running") return { text: "running", mark: "▶", look: "running" };
  if (rank.state === "lost") return { text: "lost", mark: "!", look: "bad" };
  if (rank.role === "victim") return { text: `failed after it, ${how}`, mark: "✕", look: "stopped" };
  if (rank.role === "stopped") return { text: `stopped, ${how}`, mark: "⊘", look: "stopped" };
  return rank.exit_code === 0 && rank.signal === null ? { text: "done", mark: "✓", look: "good" } : { text: `failed, ${how}`, mark: "✕", look: "bad" };
}

export function byNode(ranks: readonly Rank[]): [string, Rank[]][] {
  const nodes = new Map<string, Rank[]>();
  for (const rank of ranks) {
    const list = nodes.get(rank.node);
    if (list) list.push(rank);
    else nodes.set(rank.node, [rank]);
  }
  return [...nodes].sort(([, a], [, b]) => a[0]!.node_rank - b[0]!.node_rank);
}

const ORDER: [Word["look"], string][] = [["bad", "failed"], ["stopped", "stopped"], ["running", "running"], ["waiting", "waiting"], ["good", "done"]];
export function countsOf(ranks: readonly Rank[]): string {
  const counts = new Map<string, number>();
  for (const rank of ranks) {
    const { look } = wordOf(rank);
    counts.set(look, (counts.get(look) ?? 0) + 1);
  }
  return ORDER.filter(([look]) => counts.has(look)).map(([look, text]) => `${counts.get(look)} ${text}`).join(", ");
}
