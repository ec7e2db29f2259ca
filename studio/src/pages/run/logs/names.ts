// Which logs a run has, by the names that people look for.
import type { Run, Schemas } from "../../../lib/api";

export type Log = Schemas["Log"];
export interface Choice {
  /** In the address: a rank, "build", or the name of the file. */
  id: string;
  title: string;
  log: Log;
  rank?: number;
}

const RANK = /(?:70_driver_log_|std_log_process_)(\d+)\.txt$/;

/** The rank whose output a log is; that of a run of one process has none in its name. */
export function rankOf(name: string): number | undefined {
  const found = RANK.exec(name);
  return found ? Number(found[1]) : undefined;
}

/** What there is to choose of an attempt: ranks in order, the driver's log, the build's, others by name. */
export function choicesOf(logs: readonly Log[], attempt: number): Choice[] {
  const weight = (choice: Choice) => (choice.rank !== undefined ? choice.rank : choice.id === "driver" ? -1 : choice.id === "build" ? 1e9 : 1e9 + 1);
  return logs
    .filter((log) => log.attempt === attempt || log.attempt === 0)
    .map((log): Choice => {
      const rank = rankOf(log.name);
      if (log.attempt === 0 && log.name.endsWith("20_image_build_log.txt")) return { id: "build", title: "Environment build", log };
      if (rank !== undefined) return { id: String(rank), title: `Rank ${rank}`, log, rank };
      if (/(70_driver_log|std_log)\.txt$/.test(log.name)) return { id: "driver", title: "Output", log };
      return { id: log.name, title: log.name, log };
    })
    .sort((a, b) => weight(a) - weight(b) || a.title.localeCompare(b.title));
}

export const attemptsOf = (logs: readonly Log[]): number[] => [...new Set(logs.map((log) => log.attempt).filter((n) => n > 0))].sort((a, b) => a - b);

/** The log that the address names; without one, that of the rank that failed first, else the first. */
export function chosen(choices: readonly Choice[], run: Run, search: URLSearchParams): Choice | undefined {
  const name = search.get("log");
  if (name) return choices.find((choice) => choice.id === name || choice.log.name === name);
  const rank = search.get("rank") ?? run.error?.rank?.toString();
  return choices.find((choice) => choice.id === rank) ?? choices[0];
}
