// The rows of one query, fetched by the page as they come into view and kept.
import type { ApiError, RunRow, Schemas } from "../../lib/api";
import { PAGE } from "./request";
import { pagesOf } from "./window";

/** Milliseconds until it asks again a server that did not answer. */
const AGAIN = 2000;
export type FetchRows = (offset: number, limit: number, signal: AbortSignal) => Promise<Schemas["RunTable"]>;

export class RowSource {
  total: number | undefined;
  error: ApiError | undefined;
  /** When it was last wholly up to date, to know whether to ask again. */
  freshAt = 0;
  /** By how many lines the rows have moved down so far, for who looks at them. */
  moved = 0;
  private rows = new Map<number, RunRow>();
  private places = new Map<string, number>();
  private stale = new Set<number>();
  private asked = new Map<number, AbortController>();

  constructor(
    private readonly fetchRows: FetchRows,
    private readonly changed: () => void,
    /** New runs come first, so what is below moves down by as many. */
    readonly newestFirst: boolean,
  ) {}

  row(index: number): RunRow | undefined {
    return this.rows.get(index);
  }
  indexOf(id: string): number | undefined {
    return this.places.get(id);
  }

  /** Asks for what is missing of first..last, and gives up on what is no longer looked at. */
  want(first: number, last: number): void {
    if (this.error) return;
    const pages = pagesOf(first, Math.max(first + 1, Math.min(last, this.total ?? PAGE)), PAGE);
    for (const [page, request] of this.asked) {
      if (pages.includes(page)) continue;
      request.abort();
      this.asked.delete(page);
    }
    for (const page of pages) if (!this.asked.has(page) && (this.stale.has(page) || !this.has(page))) void this.ask(page);
  }

  /** All of first..last, for a selection that reaches beyond the screen. */
  async load(first: number, last: number): Promise<RunRow[]> {
    const missing = pagesOf(first, last, PAGE).filter((page) => !this.has(page));
    await Promise.all(missing.map((page) => this.ask(page)));
    const rows: RunRow[] = [];
    for (let i = first; i < last; i += 1) {
      const row = this.rows.get(i);
      if (row) rows.push(row);
    }
    return rows;
  }

  /** Everything may have changed: it stays on screen and is asked for again when looked at. `below`: the top is not in view, so
   *  how many there are now has to be asked for by itself. */
  async refresh(below: boolean): Promise<void> {
    if (below && this.newestFirst && this.total !== undefined) {
      try {
        this.grow((await this.fetchRows(0, 0, new AbortController().signal)).total);
      } catch {
        return;
      }
    }
    for (const index of this.rows.keys()) this.stale.add(Math.floor(index / PAGE));
    this.stale.add(0);
    this.error = undefined;
    this.changed();
  }

  /** Puts news of rows in place; returns the ids that are not among them. */
  patch(news: readonly RunRow[]): string[] {
    const unknown: string[] = [];
    for (const row of news) {
      const index = this.places.get(row.id);
      const old = index === undefined ? undefined : this.rows.get(index);
      if (index === undefined || !old) unknown.push(row.id);
      else this.rows.set(index, { ...row, metrics: { ...old.metrics, ...row.metrics }, odd: { ...old.odd, ...row.odd }, params: { ...old.params, ...row.params } });
    }
    return unknown;
  }
  edit(id: string, change: Partial<RunRow>): void {
    const index = this.places.get(id);
    const old = index === undefined ? undefined : this.rows.get(index);
    if (index === undefined || !old) return;
    this.rows.set(index, { ...old, ...change });
    this.changed();
  }

  retry(): void {
    this.error = undefined;
    this.changed();
  }
  stop(): void {
    for (const request of this.asked.values()) request.abort();
    this.asked.clear();
  }

  private has(page: number): boolean {
    if (this.total === undefined) return false;
    const end = Math.min(this.total, (page + 1) * PAGE);
    for (let i = page * PAGE; i < end; i += 1) if (!this.rows.has(i)) return false;
    return true;
  }

  private async ask(page: number): Promise<void> {
    const request = new AbortController();
    this.asked.set(page, request);
    try {
      const { items, total } = await this.fetchRows(page * PAGE, PAGE, request.signal);
      if (request.signal.aborted) return;
      this.put(page * PAGE, items, total);
      this.stale.delete(page);
      this.freshAt = Date.now();
    } catch (error) {
      if (request.signal.aborted) return;
      const problem = (this.error = error as ApiError);
      if (problem.status === 0) setTimeout(() => this.error === problem && this.retry(), AGAIN);
    }
    this.asked.delete(page);
    this.changed();
  }

  private put(offset: number, items: readonly RunRow[], total: number): void {
    this.grow(total);
    items.forEach((row, i) => {
      const old = this.rows.get(offset + i);
      // The same object for the same content: such a row is not drawn again.
      if (old?.id === row.id && JSON.stringify(old) === JSON.stringify(row)) return;
      this.drop(offset + i);
      this.rows.set(offset + i, row);
      this.places.set(row.id, offset + i);
    });
  }

  /** There are `total` rows now. More than before came at the top, if the newest are first. */
  private grow(total: number): void {
    const more = this.total === undefined ? 0 : total - this.total;
    this.total = total;
    if (more === 0) return;
    if (more > 0 && this.newestFirst) {
      this.renumber(more);
      this.moved += more;
    }
    for (const index of this.rows.keys()) {
      if (index >= total) this.drop(index);
      else this.stale.add(Math.floor(index / PAGE));
    }
  }

  private drop(index: number): void {
    const old = this.rows.get(index);
    if (old && this.places.get(old.id) === index) this.places.delete(old.id);
    this.rows.delete(index);
  }

  private renumber(by: number): void {
    const moved = new Map<number, RunRow>();
    this.places.clear();
    for (const [index, row] of this.rows) {
      moved.set(index + by, row);
      this.places.set(row.id, index + by);
    }
    this.rows = moved;
  }
}
