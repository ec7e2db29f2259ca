// Lists that come in pages, asked for until they end or are long enough.
import { api } from "./api";

export interface Listed<T> {
  items: T[];
  /** There are more than were asked for. */
  more: boolean;
}

export async function allPages<T>(path: string, query: Record<string, string | number | boolean | undefined> = {}, most = 5000): Promise<Listed<T>> {
  const items: T[] = [];
  let cursor: string | null | undefined;
  do {
    const page = await api.get<{ items: T[]; next_cursor?: string | null }>(path, { ...query, limit: Math.min(1000, most), cursor });
    items.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor && items.length < most);
  return { items, more: Boolean(cursor) };
}
