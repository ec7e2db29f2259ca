// The columns of a table that nobody chose any for: the usual ones, and the metrics that tell most of the workspace's. Which
// those are is remembered, so that the first request of a page asks for them.
import { DEFAULT_COLUMNS } from "./state";

const MOST = 2;
const GOOD = /acc|f1|auc|score|iou|bleu|rouge|reward|precision|recall|(^|[^a-z])map/i;
const BAD = /loss|err|perplexity|ppl|rmse|mae|mse|wer|cer/i;
const HELD_OUT = /(^|[^a-z])(val|valid|validation|eval|test)([^a-z]|$)/i;
const ASIDE = /(^|[^a-z])(epochs?|steps?|lr|learning_rate|time|seconds|system|gpu|cpu|memory|grad)([^a-z]|$)/i;

const weight = (name: string): number => (ASIDE.test(name) ? -9 : 0) + (HELD_OUT.test(name) ? 2 : 0) + (GOOD.test(name) || BAD.test(name) ? 3 : 0);

/** One that should grow and one that should shrink, rather of data that were held out; else the first by name. */
export function tellingMetrics(names: readonly string[]): string[] {
  const known = names.filter((name) => weight(name) >= 0).sort((a, b) => weight(b) - weight(a) || a.length - b.length || a.localeCompare(b));
  const [grows, shrinks] = [known.find((name) => GOOD.test(name) && !BAD.test(name)), known.find((name) => BAD.test(name))];
  const chosen = [grows, shrinks].filter((name) => name !== undefined);
  return [...chosen, ...known.filter((name) => !chosen.includes(name))].slice(0, MOST);
}

/** Whether more of it is better, as far as its name tells. */
export const goalOf = (name: string): "maximize" | "minimize" => (BAD.test(name) || !GOOD.test(name) ? "minimize" : "maximize");

const key = (workspace: string): string => `roost.metrics.${workspace}`;

export function rememberMetrics(workspace: string, names: readonly string[]): void {
  localStorage.setItem(key(workspace), JSON.stringify(tellingMetrics(names)));
}

export function usualColumns(workspace: string): string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(key(workspace)) ?? "[]");
    if (!Array.isArray(names) || names.length === 0) return DEFAULT_COLUMNS;
    const [status, experiment, ...others] = DEFAULT_COLUMNS;
    return [status!, experiment!, ...names.slice(0, MOST).map((name) => `metrics.${String(name)}`), ...others];
  } catch {
    return DEFAULT_COLUMNS;
  }
}
