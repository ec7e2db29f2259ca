// What the table asks the server for.
import { segment } from "../../lib/api";
import { requested } from "./columns";
import { listQuery } from "./query";
import type { TableState } from "./state";

/** Rows that are fetched at once. */
export const PAGE = 100;

export interface RowQuery {
  q: string;
  sort: string;
  /** Only metrics.* and params.*: the rest comes with every row. */
  columns: string[];
  /** What the user typed of `q`: a mistake is reported at its place in this. */
  typed?: string;
}

export const rowQuery = (state: TableState, q: string, typed?: string): RowQuery => ({ q, sort: state.sort, columns: requested(state.columns), ...(typed === undefined ? {} : { typed }) });

/** The path and the parameters of one page of rows. */
export function pageRequest(workspace: string, query: RowQuery, offset: number, limit: number) {
  return [`/workspaces/${segment(workspace)}/run-table`, { q: query.q, sort: query.sort, offset, limit, column: query.columns }] as const;
}

/** The first rows of a list that is not grouped. */
export const firstPage = (workspace: string, state: TableState) => pageRequest(workspace, rowQuery(state, listQuery(state), state.q), 0, PAGE);
