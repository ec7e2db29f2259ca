// What a page has asked the server for: shown from memory at once, asked for again when it may have changed.
import { useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { ApiError } from "./api";
import { onReturn } from "./live";

export interface Resource<T> {
  data: T | undefined;
  error: ApiError | undefined;
  loading: boolean;
  /** Asks again; what is there stays until the answer comes. */
  reload: () => void;
  /** Puts a value in place without asking, for example one that the live stream brought. */
  set: (data: T) => void;
}

interface Entry {
  data?: unknown;
  error?: ApiError;
  /** How it is got, while it is shown. */
  fetcher?: () => Promise<unknown>;
  promise?: Promise<void>;
  again: boolean;
  /** Asked for ahead, and not yet used. */
  ahead?: boolean;
  version: number;
  listeners: Set<() => void>;
}

const entries = new Map<string, Entry>();
const MOST = 200;

function entryOf(key: string): Entry {
  let entry = entries.get(key);
  if (!entry) {
    if (entries.size >= MOST) {
      for (const [old, unused] of entries) {
        if (unused.listeners.size === 0) entries.delete(old);
        if (entries.size < MOST) break;
      }
    }
    entry = { again: false, version: 0, listeners: new Set() };
    entries.set(key, entry);
  }
  return entry;
}

function changed(entry: Entry): void {
  entry.version += 1;
  for (const listener of entry.listeners) listener();
}

// One request a key at a time; a reload during it leads to exactly one more.
function load(entry: Entry, fetcher: () => Promise<unknown>): void {
  if (entry.promise) {
    entry.again = true;
    return;
  }
  entry.promise = fetcher()
    .then(
      (data) => {
        entry.data = data;
        delete entry.error;
      },
      (error: ApiError) => {
        entry.error = error;
      },
    )
    .finally(() => {
      delete entry.promise;
      const again = entry.again;
      entry.again = false;
      changed(entry);
      if (again) load(entry, fetcher);
    });
  changed(entry);
}

// What is shown may be of before the server went away, or an error: it heals by itself.
onReturn(() => {
  for (const entry of entries.values()) if (entry.listeners.size > 0 && entry.fetcher) load(entry, entry.fetcher);
});

/** Asks ahead of the component that will use it; that one then does not ask again. Undefined if it went wrong. */
export async function prefetch<T>(key: string, fetcher: () => Promise<T>): Promise<T | undefined> {
  const entry = entryOf(key);
  if (!entry.promise && entry.data === undefined) {
    entry.ahead = true;
    load(entry, fetcher);
  }
  await entry.promise;
  return entry.data as T | undefined;
}

/** `key` names what is asked for; null asks for nothing (yet). */
export function useResource<T>(key: string | null, fetcher: () => Promise<T>): Resource<T> {
  const latest = useRef(fetcher);
  latest.current = fetcher;
  const entry = key === null ? undefined : entryOf(key);
  const subscribe = useCallback(
    (listener: () => void) => {
      entry?.listeners.add(listener);
      return () => entry?.listeners.delete(listener);
    },
    [entry],
  );
  useSyncExternalStore(subscribe, () => entry?.version ?? 0);
  useEffect(() => {
    if (!entry) return;
    const ahead = entry.ahead && !entry.error;
    delete entry.ahead;
    entry.fetcher = () => latest.current();
    if (!ahead) load(entry, () => latest.current());
  }, [entry]);
  const reload = useCallback(() => entry && load(entry, () => latest.current()), [entry]);
  const set = useCallback(
    (data: T) => {
      if (!entry) return;
      entry.data = data;
      delete entry.error;
      changed(entry);
    },
    [entry],
  );
  return {
    data: entry?.data as T | undefined,
    error: entry?.error,
    loading: entry !== undefined && entry.data === undefined && entry.error === undefined,
    reload,
    set,
  };
}

/** What is remembered under this name is out of date: the next who needs it waits for an answer. */
export function forget(key: string): void {
  if (entries.get(key)?.listeners.size === 0) entries.delete(key);
}

const FRESH = 15_000;

/** For what the live stream tells nothing of: asks again now and then while the page is looked at, and when one comes back to it. */
export function useFresh(reload: () => void): void {
  useEffect(() => {
    const look = () => document.visibilityState === "visible" && reload();
    const timer = setInterval(look, FRESH);
    document.addEventListener("visibilitychange", look);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
    };
  }, [reload]);
}

/** The last value that was there, while the next one is on its way: keeps a table on screen while it is filtered. */
export function useKept<T>(value: T | undefined): T | undefined {
  const [kept, setKept] = useState(value);
  if (value !== undefined && value !== kept) setKept(value);
  return value ?? kept;
}
