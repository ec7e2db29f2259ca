// Every view has its state in the address: the path says which page, the query string what it shows.
import { useCallback, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();
const tell = () => listeners.forEach((listener) => listener());
window.addEventListener("popstate", tell);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Goes to another view; `replace` for a change that "back" should not undo step by step (a search being typed). */
export function navigate(url: string, replace = false): void {
  if (url === location.pathname + location.search + location.hash) return;
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  tell();
  if (!replace && new URL(url, location.href).pathname !== document.body.dataset.path) window.scrollTo(0, 0);
  document.body.dataset.path = location.pathname;
}

const parts = (path: string): string[] => path.split("/").filter(Boolean).map(decodeURIComponent);
export const pathParts = (): string[] => parts(location.pathname);

/** The parts of the path, decoded: ["runs", "abc", "logs"]. */
export function usePath(): string[] {
  const path = useSyncExternalStore(subscribe, () => location.pathname);
  return parts(path);
}

/** The query string, and a way to change some of it; empty and null values are left out. */
export function useSearch(): [URLSearchParams, (change: Record<string, string | null | string[]>, replace?: boolean) => void] {
  const text = useSyncExternalStore(subscribe, () => location.search);
  const change = useCallback((values: Record<string, string | null | string[]>, replace = true) => {
    const next = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(values)) {
      next.delete(name);
      if (Array.isArray(value)) value.forEach((one) => next.append(name, one));
      else if (value) next.set(name, value);
    }
    const query = next.toString();
    navigate(location.pathname + (query ? `?${query}` : ""), replace);
  }, []);
  return [new URLSearchParams(text), change];
}

export const runPath = (id: string, tab = ""): string => `/runs/${encodeURIComponent(id)}${tab ? `/${tab}` : ""}`;
export const workspacePath = (workspace: string, page: string): string => `/w/${encodeURIComponent(workspace)}/${page}`;
