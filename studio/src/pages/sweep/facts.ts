// A sweep in few words.
import { count, number } from "../../lib/format";
import type { Sweep, SweepSpec } from "../../lib/sweep";

export const tried = ({ counts }: Pick<Sweep, "counts">): number => Object.values(counts).reduce((sum, n) => sum + n, 0);

/** "bandit: slack factor 0.1, evaluation interval 2" */
export function policyText(policy: SweepSpec["policy"]): string {
  if (!policy) return "none: every trial runs to its end";
  const settings = Object.entries(policy).filter(([name, value]) => name !== "type" && value !== null && value !== undefined);
  const texts = settings.map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "number" ? number(value) : String(value)}`);
  return texts.length > 0 ? `${policy.type}: ${texts.join(", ")}` : policy.type;
}

export function samplingText({ sampling }: SweepSpec): string {
  return sampling.seed === undefined || sampling.seed === null ? sampling.type : `${sampling.type}, seed ${sampling.seed}`;
}

export function limitsText(spec: SweepSpec): string {
  const atOnce = spec.max_concurrent_runs ? `${spec.max_concurrent_runs} at a time` : "all at once";
  return `${count(spec.max_total_runs)} trials, ${atOnce}`;
}
