// One connection of server-sent events for the whole tab. Components name topics; the connection is opened anew
// when the set of topics changes, and after a loss. A topic tells a state, or (a log) goes on from an offset that
// the component keeps, so nothing is lost and nothing comes twice.
import { useEffect, useRef, useSyncExternalStore } from "react";
import { apiUrl, onUnreachable, type Run, type RunRow, type Schemas } from "./api";

export interface LiveEvents {
  runs: { topic: string; rows: RunRow[] };
  run: { topic: string; run: Run };
  metrics: { topic: string; items: Schemas["MetricSummary"][] };
  ranks: { topic: string };
  computes: { topic: string };
  alert: { topic: string; alert: Schemas["Alert"] };
  log: { topic: string; offset: number; next: number; text: string };
  reset: { topic: string };
  gone: { topic: string; message: string };
}
export type LiveEvent = { [K in keyof LiveEvents]: { type: K } & LiveEvents[K] }[keyof LiveEvents];
export type LiveState = "connecting" | "open" | "lost";

interface Subscriber {
  /** Asked for at each connection, since the offset of a log moves. */
  topic: () => string;
  listener: (event: LiveEvent) => void;
  current: string;
}

const KINDS: (keyof LiveEvents)[] = ["runs", "run", "metrics", "ranks", "computes", "alert", "log", "reset", "gone"];
const subscribers = new Set<Subscriber>();
const watchers = new Set<() => void>();
let source: EventSource | undefined;
let state: LiveState = "connecting";
let lost = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
let silence: ReturnType<typeof setTimeout> | undefined;
/** The server says something every ten seconds; after so many milliseconds without a word it is gone. */
const MOST_SILENCE = 25_000;
const returned = new Set<() => void>();

function setState(next: LiveState): void {
  if (state === next) return;
  const back = state === "lost" && next === "open";
  state = next;
  watchers.forEach((watcher) => watcher());
  if (back) returned.forEach((listener) => listener());
}

/** Calls back when the server is there again after it was away: what was asked for meanwhile may have failed. */
export function onReturn(listener: () => void): () => void {
  returned.add(listener);
  return () => returned.delete(listener);
}

function lose(): void {
  source?.close();
  source = undefined;
  clearTimeout(silence);
  lost += 1;
  setState("lost");
  schedule(Math.min(500 * 2 ** (lost - 1), 10_000));
}
// Whatever found out first that nobody answers.
onUnreachable(() => {
  if (state === "open" && subscribers.size > 0) lose();
});

function connect(): void {
  source?.close();
  source = undefined;
  clearTimeout(silence);
  const topics = new Set<string>();
  for (const subscriber of subscribers) topics.add((subscriber.current = subscriber.topic()));
  if (topics.size === 0) {
    setState("open");
    return;
  }
  const opened = new EventSource(apiUrl("/live", { topic: [...topics].slice(0, 100) }));
  source = opened;
  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => source === opened && lose(), MOST_SILENCE);
  };
  opened.onopen = () => {
    lost = 0;
    setState("open");
    heard();
  };
  opened.addEventListener("here", heard);
  // The browser would connect again with the old offsets: do it here instead, with those of now.
  opened.onerror = () => {
    if (source === opened) lose();
  };
  for (const kind of KINDS) {
    opened.addEventListener(kind, (message) => {
      heard();
      const event = { type: kind, ...JSON.parse((message as MessageEvent<string>).data) } as LiveEvent;
      for (const subscriber of subscribers) if (subscriber.current === event.topic) subscriber.listener(event);
    });
  }
}

function schedule(milliseconds: number): void {
  if (timer !== undefined) clearTimeout(timer);
  timer = setTimeout(() => {
    timer = undefined;
    connect();
  }, milliseconds);
}

/** Hears of `topic` (null: of nothing) while the component is shown. For a log give a function, which is asked anew at each connection. */
export function useLive(topic: string | (() => string) | null, listener: (event: LiveEvent) => void): void {
  const latest = useRef(listener);
  latest.current = listener;
  const ask = useRef<() => string>(() => "");
  ask.current = typeof topic === "function" ? topic : () => topic ?? "";
  const key = topic === null ? null : typeof topic === "function" ? "function" : topic;
  useEffect(() => {
    if (key === null) return;
    const subscriber: Subscriber = { topic: () => ask.current(), listener: (event) => latest.current(event), current: "" };
    subscribers.add(subscriber);
    schedule(30);
    return () => {
      subscribers.delete(subscriber);
      schedule(300);
    };
  }, [key]);
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => state,
  );
}

/** Tries again at once (the badge's button). */
export function reconnect(): void {
  schedule(0);
}
