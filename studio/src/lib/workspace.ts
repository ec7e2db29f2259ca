// The workspace that was looked at last. Remembered, since the address of a run does not name its own.
import { useSyncExternalStore } from "react";

let last = "default";
const watchers = new Set<() => void>();

export function rememberWorkspace(name: string): void {
  if (name === last) return;
  last = name;
  watchers.forEach((watcher) => watcher());
}

export function useLastWorkspace(): string {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => last,
  );
}
