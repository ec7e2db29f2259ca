// Logs that are open, so that going back to one shows it at once.
import type { Schemas } from "../../../lib/api";
import { LogFile } from "./log_file";
import { attemptsOf, choicesOf } from "./names";

const files = new Map<string, LogFile>();
const MOST_FILES = 4;

export function openLog(run: string, attempt: number, name: string): LogFile {
  const key = `${run}\n${attempt}\n${name}`;
  const known = files.get(key);
  files.delete(key);
  const file = known ?? new LogFile(run, attempt, name);
  files.set(key, file);
  for (const old of files.keys()) {
    if (files.size <= MOST_FILES) break;
    files.delete(old);
  }
  if (!known) file.opening = file.open();
  else if (known.opened || known.error) known.retry();
  return file;
}

/** Opens the log that an address most likely means before the run itself is known. */
export async function openAhead(run: string, list: Schemas["LogList"], search: URLSearchParams): Promise<void> {
  if (search.has("log")) return;
  const attempts = attemptsOf(list.items);
  const choices = choicesOf(list.items, Number(search.get("attempt") ?? attempts[attempts.length - 1] ?? 1));
  const rank = search.get("rank");
  const likely = choices.find((choice) => choice.id === (rank ?? "driver"));
  if (likely) await openLog(run, likely.log.attempt, likely.log.name).opening;
}
