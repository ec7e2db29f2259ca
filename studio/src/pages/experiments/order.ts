// Which experiments are shown, in which order.
import type { Schemas } from "../../lib/api";

type Experiment = Schemas["Experiment"];
export type ExperimentOrder = "name" | "runs" | "last" | "created";

const BY: Record<ExperimentOrder, (a: Experiment, b: Experiment) => number> = {
  name: () => 0,
  runs: (a, b) => b.run_count - a.run_count,
  last: (a, b) => (b.last_run_at ?? "").localeCompare(a.last_run_at ?? ""),
  created: (a, b) => b.created_at.localeCompare(a.created_at),
};

function fits(experiment: Experiment, words: string[]): boolean {
  const text = [experiment.name, ...Object.entries(experiment.tags).map(([key, value]) => `${key}=${value ?? ""}`)].join(" ").toLowerCase();
  return words.every((word) => text.includes(word));
}

export function orderedExperiments(all: readonly Experiment[], find: string, archived: boolean, order: ExperimentOrder): Experiment[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  const by = BY[order] ?? BY.last;
  return all
    .filter((one) => (archived || !one.archived) && fits(one, words))
    .sort((a, b) => by(a, b) || a.name.localeCompare(b.name, "en", { numeric: true }));
}

/** The query of the run table for the runs of one experiment; names with signs are put in quotes. */
export const experimentQuery = (name: string): string => `experiment:${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}`;
