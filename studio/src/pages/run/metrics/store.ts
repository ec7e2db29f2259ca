// The curves of a run's metrics: asked for when a chart comes near the screen, several at a time, kept, and made finer
// where the page is zoomed. Charts listen to the metrics they show.
import { api, segment, type Schemas } from "../../../lib/api";
import { isOdd, toNumber } from "../../../lib/format";
import { seriesOf, sorted, withFine, withTail, type Key, type Series } from "./series";

interface Entry {
  whole?: Series;
  /** For the range of now. */
  fine?: Series;
  /** How many charts near the screen show it. */
  near: number;
  stale: boolean;
  version: number;
  error?: Error;
}
export interface Zoom {
  x: "step" | "time";
  from: number;
  to: number;
}

const BATCH = 6;
const AT_ONCE = 3;
/** Curves that are asked for first, alone: a page full of them at once would hold up the first frame that shows any. */
const FIRST = 2;
const LIVE_EVERY = 1000;

export class CurveStore {
  private entries = new Map<string, Entry>();
  private lasts = new Map<string, number>();
  private odds = new Map<string, number>();
  private listeners = new Set<() => void>();
  private zoomed: Zoom | null = null;
  private waiting: { name: string; kind: "whole" | "tail" | "fine" }[] = [];
  private asked = new Set<string>();
  private running = 0;
  private begun = false;
  private paused = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private lastLive = 0;
  private stopped = new AbortController();
  buckets = 600;

  constructor(
    private readonly run: string,
    private readonly attempt: number | undefined,
  ) {}

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  version = (names: readonly string[]): string => names.map((name) => this.entries.get(name)?.version ?? 0).join();
  error = (name: string): Error | undefined => this.entries.get(name)?.error;

  /** The curve as far as it is known: the fine part in the coarse whole. */
  series(name: string): Series | undefined {
    const entry = this.entries.get(name);
    if (!entry?.whole || !entry.fine || !this.zoomed) return entry?.whole;
    return withFine(sorted(entry.whole, this.key), entry.fine, this.key);
  }

  /** The last value that was logged, if the list of metrics told it. */
  last(name: string): number | undefined {
    return this.lasts.get(name);
  }
  /** The step at which it was NaN or infinite first. */
  odd(name: string): number | undefined {
    return this.odds.get(name);
  }
  /** The list of metrics is here, or anew. */
  told(metrics: readonly Schemas["MetricSummary"][]): void {
    for (const { name, last, odd } of metrics) {
      if (typeof last === "number" || isOdd(last)) this.lasts.set(name, toNumber(last));
      else this.lasts.delete(name); // a word, a table
      if (odd) this.odds.set(name, odd.step);
    }
  }

  /** A chart that shows these has come near the screen; call what is returned when it has gone. */
  want(names: readonly string[]): () => void {
    for (const name of names) {
      const entry = this.entry(name);
      entry.near += 1;
      if (!entry.whole) this.queue(name, "whole");
      else if (entry.stale) this.queue(name, "tail");
      else this.wantFine(name);
    }
    return () => {
      for (const name of names) this.entry(name).near -= 1;
    };
  }

  /** When each of them is there, or could not be got. */
  whenThere(names: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!names.every((name) => this.series(name) ?? this.error(name))) return;
        this.listeners.delete(look);
        resolve();
      };
      this.listeners.add(look);
      look();
    });
  }

  /** The server has new points of these. */
  changed(names: readonly string[]): void {
    for (const name of names) this.entry(name).stale = true;
    if (this.timer !== undefined) return;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.lastLive = Date.now();
      for (const [name, entry] of this.entries) if (entry.stale && entry.near > 0) this.queue(name, entry.whole ? "tail" : "whole");
    }, Math.max(50, this.lastLive + LIVE_EVERY - Date.now()));
  }

  zoom(zoom: Zoom | null): void {
    const [a, b] = [this.zoomed, zoom];
    if (a === b || (a && b && a.x === b.x && a.from === b.from && a.to === b.to)) return;
    this.zoomed = zoom;
    for (const [name, entry] of this.entries) {
      const had = entry.fine !== undefined;
      delete entry.fine;
      if (had) entry.version += 1;
      if (entry.near > 0) this.wantFine(name);
    }
    this.tell();
  }

  retry(name: string): void {
    delete this.entry(name).error;
    this.queue(name, "whole");
  }

  /** The server was away and is back: what could not be got is asked for again. */
  heal(): void {
    for (const [name, entry] of this.entries) {
      if (entry.error && entry.near > 0) this.retry(name);
      else if (entry.error) delete entry.error;
      entry.stale = true;
    }
    this.changed([]);
  }

  /** Looked at again: what may have gone on meanwhile is asked for when it comes near the screen. */
  resume(): void {
    if (!this.paused) return;
    this.paused = false;
    for (const entry of this.entries.values()) entry.stale = true;
    this.changed([]);
  }

  /** Ends what is under way; the store can be used again after it. */
  stop(): void {
    this.paused = true;
    this.stopped.abort();
    this.stopped = new AbortController();
    if (this.timer !== undefined) clearTimeout(this.timer);
    this.timer = undefined;
    this.waiting = [];
    this.asked.clear();
  }

  private get key(): Key {
    return this.zoomed?.x === "time" ? "times" : "steps";
  }

  private entry(name: string): Entry {
    let entry = this.entries.get(name);
    if (!entry) this.entries.set(name, (entry = { near: 0, stale: false, version: 0 }));
    return entry;
  }

  private wantFine(name: string): void {
    const entry = this.entry(name);
    // Without lows every point is there already.
    if (this.zoomed && entry.whole?.lows && !entry.fine) this.queue(name, "fine");
  }

  private queue(name: string, kind: "whole" | "tail" | "fine"): void {
    const id = `${kind} ${name}`;
    if (this.asked.has(id)) return;
    this.asked.add(id);
    this.waiting.push({ name, kind });
    if (this.waiting.length === 1) queueMicrotask(() => this.pump());
  }

  private pump(): void {
    while (this.running < (this.begun ? AT_ONCE : 1) && this.waiting.length > 0) {
      const kind = this.waiting[0]!.kind;
      const most = this.begun || this.running > 0 ? BATCH : FIRST;
      const batch: string[] = [];
      this.waiting = this.waiting.filter((one) => {
        // Gone from the screen before its turn.
        if (this.entry(one.name).near <= 0) {
          this.asked.delete(`${one.kind} ${one.name}`);
          return false;
        }
        if (one.kind !== kind || batch.length >= most) return true;
        batch.push(one.name);
        return false;
      });
      if (batch.length === 0) continue;
      this.running += 1;
      void this.ask(batch, kind).finally(() => {
        for (const name of batch) this.asked.delete(`${kind} ${name}`);
        this.running -= 1;
        this.begun = true;
        if (batch.some((name) => this.entry(name).stale)) this.changed([]);
        this.pump();
      });
    }
  }

  private async ask(names: string[], kind: "whole" | "tail" | "fine"): Promise<void> {
    const zoom = kind === "fine" ? this.zoomed : null;
    const { signal } = this.stopped;
    if (kind === "fine" && !zoom) return;
    const key: Key = zoom?.x === "time" ? "times" : "steps";
    let from = zoom?.from;
    if (kind === "tail") from = Math.min(...names.map((name) => lastStep(this.entry(name).whole)));
    if (from !== undefined && !Number.isFinite(from)) from = undefined;
    for (const name of names) if (kind !== "fine") this.entry(name).stale = false;
    try {
      const answer = await api.get<Schemas["Charts"]>(
        `/runs/${segment(this.run)}/charts`,
        { name: names, attempt: this.attempt, buckets: this.buckets, x: zoom?.x, from, to: zoom?.to },
        signal,
      );
      for (const chart of answer.items) {
        const entry = this.entry(chart.name);
        delete entry.error;
        if (kind === "fine") {
          if (zoom !== this.zoomed) continue;
          entry.fine = seriesOf(chart, key);
        } else if (kind === "tail" && from !== undefined) {
          const grown = entry.whole && withTail(entry.whole, seriesOf(chart));
          // A long curve in ever more pieces is asked for anew now and then.
          if (!grown || grown.values.length > 3 * this.buckets) {
            queueMicrotask(() => this.queue(chart.name, "whole"));
            if (!grown) continue;
          }
          entry.whole = grown!;
        } else {
          entry.whole = seriesOf(chart);
          if (entry.near > 0) queueMicrotask(() => this.wantFine(chart.name));
        }
        entry.version += 1;
      }
    } catch (error) {
      if (signal.aborted) return;
      for (const name of names) {
        const entry = this.entry(name);
        entry.error = error as Error;
        entry.version += 1;
      }
    }
    this.tell();
  }

  private tell(): void {
    for (const listener of this.listeners) listener();
  }
}

const lastStep = (series: Series | undefined): number => (series && series.steps.length > 0 ? series.steps[series.steps.length - 1]! : -Infinity);
