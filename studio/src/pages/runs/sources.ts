// The queries that the table has shown lately, so that going back shows rows at once.
import { api, ApiError, type RunRow, type Schemas } from "../../lib/api";
import { pageRequest, type RowQuery } from "./request";
import { RowSource } from "./source";

const MOST = 40;

export class Sources {
  version = 0;
  private byKey = new Map<string, RowSource>();
  private listeners = new Set<() => void>();

  constructor(private readonly workspace: string) {}

  get(query: RowQuery): RowSource {
    const key = JSON.stringify([query.q, query.sort, query.columns]);
    let source = this.byKey.get(key);
    if (source) this.byKey.delete(key);
    else source = new RowSource((offset, limit, signal) => this.fetchRows(query, offset, limit, signal), this.changed, query.sort === "-created");
    this.byKey.set(key, source);
    if (this.byKey.size > MOST) {
      const [oldest, unused] = this.byKey.entries().next().value!;
      unused.stop();
      this.byKey.delete(oldest);
    }
    return source;
  }

  patch(rows: readonly RunRow[]): void {
    for (const source of this.byKey.values()) source.patch(rows);
    this.changed();
  }
  edit(id: string, change: Partial<RunRow>): void {
    for (const source of this.byKey.values()) source.edit(id, change);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  changed = (): void => {
    this.version += 1;
    for (const listener of this.listeners) listener();
  };

  private async fetchRows(query: RowQuery, offset: number, limit: number, signal: AbortSignal): Promise<Schemas["RunTable"]> {
    const ask = (q: string, most: number) => api.get<Schemas["RunTable"]>(...pageRequest(this.workspace, { ...query, q }, offset, most), signal);
    try {
      return await ask(query.q, limit);
    } catch (error) {
      // The server says at which character: let it count in what the user wrote.
      const { typed } = query;
      if (error instanceof ApiError && error.status === 400 && typed !== undefined && typed !== query.q) await ask(typed, 0);
      throw error;
    }
  }
}

const byWorkspace = new Map<string, Sources>();
export function sourcesOf(workspace: string): Sources {
  let sources = byWorkspace.get(workspace);
  if (!sources) byWorkspace.set(workspace, (sources = new Sources(workspace)));
  return sources;
}
