// How the traffic of an endpoint is split: whole percents that always make a hundred.
import type { Shares } from "../../lib/endpoint";

/** The share of every deployment, also of those that get none. */
export function sharesOf(deployments: readonly string[], traffic: Shares): Shares {
  return Object.fromEntries(deployments.map((name) => [name, traffic[name] ?? 0]));
}

export const sumOf = (shares: Shares): number => Object.values(shares).reduce((sum, share) => sum + share, 0);

/** Whole numbers in the proportion of `weights` that make `total`: each is rounded down, the largest remainders get the rest. */
export function apportion(weights: readonly number[], total: number): number[] {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  const exact = weights.map((weight) => (all > 0 ? (total * weight) / all : total / weights.length));
  const whole = exact.map(Math.floor);
  const order = exact.map((value, i) => ({ i, rest: value - whole[i]! })).sort((a, b) => b.rest - a.rest || a.i - b.i);
  const missing = total - whole.reduce((sum, value) => sum + value, 0);
  for (const { i } of order.slice(0, missing)) whole[i]! += 1;
  return whole;
}

/** `name` gets `percent`; the others share the rest as they did before. A deployment that is alone keeps everything. */
export function withShare(shares: Shares, name: string, percent: number): Shares {
  const others = Object.keys(shares).filter((one) => one !== name);
  if (others.length === 0) return { [name]: 100 };
  const wanted = Math.max(0, Math.min(100, Math.round(Number.isFinite(percent) ? percent : 0)));
  const rest = apportion(others.map((one) => shares[one]!), 100 - wanted);
  return Object.fromEntries(Object.keys(shares).map((one) => [one, one === name ? wanted : rest[others.indexOf(one)]!]));
}

/** Without those that get nothing, as the server keeps it. */
export const nonZero = (shares: Shares): Shares => Object.fromEntries(Object.entries(shares).filter(([, share]) => share > 0));

export function sameShares(a: Shares, b: Shares): boolean {
  const [left, right] = [nonZero(a), nonZero(b)];
  return Object.keys(left).length === Object.keys(right).length && Object.entries(left).every(([name, share]) => right[name] === share);
}

/** What would change, in words. */
export function changesOf(before: Shares, after: Shares): string[] {
  return Object.keys({ ...before, ...after })
    .filter((name) => (before[name] ?? 0) !== (after[name] ?? 0))
    .map((name) => `${name}: ${before[name] ?? 0} % → ${after[name] ?? 0} %`);
}

export const sharesText = (shares: Shares): string =>
  Object.entries(nonZero(shares))
    .sort(([, a], [, b]) => b - a)
    .map(([name, share]) => `${name} ${share} %`)
    .join(", ") || "none";

/** What part of the requests each got, 0 to 1; all 0 before the first one. */
export function measuredShares(counts: Record<string, number>): Shares {
  const all = sumOf(counts);
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, all > 0 ? count / all : 0]));
}
