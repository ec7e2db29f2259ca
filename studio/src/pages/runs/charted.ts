// Which runs have a curve beside the table: the first of the list, but for those that were taken out, and those that were
// put in. The address keeps both.
import { useCallback, useMemo } from "react";
import { api, type RunRow, type Schemas } from "../../lib/api";
import { useKept, useResource } from "../../lib/resource";
import { useSearch } from "../../lib/route";
import { cssColor, MOST_RUNS } from "../compare/selection";
import { listQuery } from "./query";
import { pageRequest } from "./request";
import type { Eyes } from "./row";
import { runColor } from "./run_color";
import type { TableState } from "./state";
import type { Rows } from "./use_rows";

/** Of a plain list, and of one in groups, whose means need several runs each. */
const FIRST = 10;
const FIRST_OF_GROUPS = 30;

/** `usual` are the first of the list. */
export function chartedIds(usual: readonly string[], shown: readonly string[], hidden: readonly string[]): string[] {
  const ids = [...usual.filter((id) => !hidden.includes(id)), ...shown];
  return [...new Set(ids)].slice(0, MOST_RUNS);
}

/** What the address keeps after a click on an eye. */
export function afterToggle(id: string, usual: readonly string[], shown: readonly string[], hidden: readonly string[]): { show: string[]; hide: string[] } {
  const without = (list: readonly string[]) => list.filter((one) => one !== id);
  if (chartedIds(usual, shown, hidden).includes(id)) return { show: without(shown), hide: usual.includes(id) ? [...without(hidden), id] : without(hidden) };
  return { show: usual.includes(id) ? without(shown) : [...without(shown), id], hide: without(hidden) };
}

export interface Charted {
  on: boolean;
  ids: string[];
  eyes: Eyes | undefined;
}

export function useCharted(workspace: string, state: TableState, search: URLSearchParams, rows: Rows): Charted {
  const [, change] = useSearch();
  const on = search.get("charts") === "1";
  const limit = state.group === "" ? FIRST : FIRST_OF_GROUPS;
  const q = listQuery(state);
  // A new run changes the list: its first rows are asked for anew.
  const key = on ? `charted ${workspace} ${q} ${state.sort} ${limit} ${rows.total ?? ""}` : null;
  const first = useResource<Schemas["RunTable"]>(key, () => api.get(...pageRequest(workspace, { q, sort: state.sort, columns: [] }, 0, limit)));
  const usual = (useKept(first.data)?.items ?? []).map((row) => row.id).join();
  const [shown, hidden] = [search.getAll("show").join(), search.getAll("hide").join()];

  const ids = useMemo(() => chartedIds(listOf(usual), listOf(shown), listOf(hidden)), [usual, shown, hidden]);
  const toggle = useCallback((row: RunRow) => change(afterToggle(row.id, listOf(usual), listOf(shown), listOf(hidden))), [change, usual, shown, hidden]);
  const eyes = useMemo<Eyes>(() => {
    const known = new Set(ids);
    return { colorOf: (row) => (known.has(row.id) ? cssColor(runColor(row)) : undefined), toggle };
  }, [ids, toggle]);
  return { on, ids, eyes: on ? eyes : undefined };
}

const listOf = (text: string): string[] => (text === "" ? [] : text.split(","));
