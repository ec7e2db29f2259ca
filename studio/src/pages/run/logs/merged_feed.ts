// The logs of all ranks in the order in which their lines came, as the server merges them: the end of each, and what comes.
import { apiUrl, request, segment } from "../../../lib/api";

export interface MergedLine {
  key: number;
  rank: number;
  text: string;
}
export const MOST_LINES = 5000;
/** Of all logs together that was there before one looked. */
const MOST_BYTES = 2 * 1024 * 1024;
const AGAIN = 1500;

interface Piece {
  type: string;
  rank?: number;
  offset?: number;
  text?: string;
}

/** Whole lines of pieces that may end anywhere; each rank goes on where it was. */
export class LineJoiner {
  private rests = new Map<number, string>();
  private next = 0;

  /** `cut`: the ranks whose first line begins in its middle. */
  constructor(private readonly cut: Set<number>) {}

  add(rank: number, text: string): MergedLine[] {
    const lines = ((this.rests.get(rank) ?? "") + text).split("\n");
    this.rests.set(rank, lines.pop()!);
    if (lines.length > 0 && this.cut.delete(rank)) lines.shift();
    return lines.map((line) => ({ key: this.next++, rank, text: line.endsWith("\r") ? line.slice(0, -1) : line }));
  }

  /** What did not end with a line, once there is no more. */
  rest(): MergedLine[] {
    const found = [...this.rests].filter(([rank, text]) => text !== "" && !this.cut.has(rank)).map(([rank, text]) => ({ key: this.next++, rank, text }));
    this.rests.clear();
    return found;
  }
}

export interface RankSize {
  rank: number;
  size: number;
}

export class MergedFeed {
  lines: MergedLine[] = [];
  /** Some lines are no longer here, or never were. */
  cut = false;
  error: Error | undefined;
  ended = false;
  version = 0;
  private readonly offsets: Map<number, number>;
  private readonly joiner: LineJoiner;
  private readonly listeners = new Set<() => void>();
  private stopped = new AbortController();

  /** `logs`: of each rank, with how long it is by now. */
  constructor(
    private readonly run: string,
    logs: readonly RankSize[],
  ) {
    const each = Math.floor(MOST_BYTES / Math.max(1, logs.length));
    this.offsets = new Map(logs.map(({ rank, size }) => [rank, Math.max(0, size - each)]));
    const cut = [...this.offsets].flatMap(([rank, offset]) => (offset > 0 ? [rank] : []));
    this.cut = cut.length > 0;
    this.joiner = new LineJoiner(new Set(cut));
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  start(): void {
    this.stopped = new AbortController();
    void this.follow(this.stopped.signal);
  }
  stop(): void {
    this.stopped.abort();
  }

  /** Until the run has ended; after a lost connection it goes on where it was. */
  private async follow(signal: AbortSignal): Promise<void> {
    while (!this.ended && !signal.aborted) {
      try {
        const url = apiUrl(`/runs/${segment(this.run)}/follow`, { ranks: [...this.offsets.keys()].join(), offsets: [...this.offsets.values()].join() });
        const response = await request(url, { signal });
        this.error = undefined;
        await this.read(response, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.error = error as Error;
        this.tell();
      }
      if (!this.ended) await new Promise((done) => setTimeout(done, AGAIN));
    }
  }

  private async read(response: Response, signal: AbortSignal): Promise<void> {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done || signal.aborted) return;
      const texts = (rest + value).split("\n");
      rest = texts.pop()!;
      const added = texts.filter(Boolean).flatMap((text) => this.take(JSON.parse(text) as Piece));
      if (added.length === 0 && !this.ended) continue;
      this.lines = [...this.lines, ...added];
      if (this.lines.length > MOST_LINES) {
        this.lines = this.lines.slice(-MOST_LINES);
        this.cut = true;
      }
      this.tell();
    }
  }

  private take(piece: Piece): MergedLine[] {
    if (piece.type === "end") {
      this.ended = true;
      return this.joiner.rest();
    }
    if (piece.type !== "log" || piece.rank === undefined || piece.text === undefined) return [];
    if (piece.offset !== undefined) this.offsets.set(piece.rank, piece.offset);
    return this.joiner.add(piece.rank, piece.text);
  }

  private tell(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
}
