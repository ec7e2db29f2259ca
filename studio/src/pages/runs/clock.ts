// One clock for all durations that tick.
import { useSyncExternalStore } from "react";

const watchers = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

function watch(watcher: () => void): () => void {
  watchers.add(watcher);
  if (timer === undefined) {
    now = Date.now();
    timer = setInterval(() => {
      now = Date.now();
      watchers.forEach((one) => one());
    }, 1000);
  }
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
const still = () => () => {};

/** The time, once a second while `ticking`. */
export function useNow(ticking: boolean): number {
  return useSyncExternalStore(ticking ? watch : still, () => (ticking ? now : 0));
}
