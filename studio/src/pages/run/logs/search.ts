// Looks for a text in a log, on the server, piece by piece.
import { useEffect, useState } from "react";
import { api, segment, type ApiError, type Schemas } from "../../../lib/api";
import type { LogFile } from "./log_file";

export type Match = Schemas["LogMatches"]["items"][number];
export interface Found {
  text: string;
  matches: Match[];
  /** Of the log, between 0 and 1. */
  searched: number;
  done: boolean;
  error?: ApiError;
}
export const MOST_MATCHES = 10_000;

const ask = (file: LogFile, query: Record<string, string | number | boolean>, signal?: AbortSignal) =>
  api.get<Schemas["LogMatches"]>(`/runs/${segment(file.run)}/log-search`, { name: file.name, attempt: file.attempt, ...query }, signal);

export function useLogSearch(file: LogFile | undefined, text: string): Found | undefined {
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    setFound(undefined);
    if (!file || text === "") return;
    const controller = new AbortController();
    const timer = setTimeout(() => {
      void (async () => {
        let matches: Match[] = [];
        try {
          for (let offset: number | null = 0; offset !== null && matches.length < MOST_MATCHES; ) {
            const page: Schemas["LogMatches"] = await ask(file, { text, offset, limit: 1000 }, controller.signal);
            matches = matches.concat(page.items);
            offset = page.next_offset;
            const done = offset === null || matches.length >= MOST_MATCHES;
            setFound({ text, matches, searched: offset === null ? 1 : offset / Math.max(1, page.size), done });
          }
        } catch (error) {
          if (!controller.signal.aborted) setFound({ text, matches, searched: 0, done: true, error: error as ApiError });
        }
      })();
    }, 200);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [file, text]);
  return found;
}

/** Where the first line begins that looks like an error; null when there is none. */
export async function firstError(file: LogFile): Promise<number | null> {
  for (let offset: number | null = 0; offset !== null; ) {
    const page: Schemas["LogMatches"] = await ask(file, { errors: true, limit: 1, offset });
    if (page.items[0]) return page.items[0].offset;
    offset = page.next_offset;
  }
  return null;
}

/** Which of the matches comes next, or before, seen from a byte. */
export function step(matches: readonly Match[], from: number, back: boolean): number {
  if (back) {
    for (let i = matches.length - 1; i >= 0; i -= 1) if (matches[i]!.offset < from) return i;
    return matches.length - 1;
  }
  const next = matches.findIndex((match) => match.offset > from);
  return next < 0 ? 0 : next;
}
