// One log on the server, of which only the windows that are looked at are here.
import { apiUrl, request, segment, segments, type ApiError } from "../../../lib/api";
import { penAfter, PLAIN, samePen, type Pen } from "../../../lib/ansi";
import { LogWindow, OVERLAP, WINDOW } from "./window";

/** More than a view of rows may span (MOST_SPANNED), and the two beside them. */
const MOST_WINDOWS = 12;
export const MOST_SPANNED = 8;
const CATCH_UP = 4 * 1024 * 1024;

export interface Row {
  window: LogWindow;
  index: number;
}
export const offsetOf = (row: Row): number => row.window.offset(row.index);

export class LogFile {
  size = 0;
  opened = false;
  /** Done when it is opened, or could not be. */
  opening: Promise<void> | undefined;
  error: ApiError | undefined;
  /** Counts changes, for those who show it. */
  version = 0;
  private readonly windows = new Map<number, LogWindow>();
  private readonly loads = new Map<number, AbortController>();
  private readonly pens = new WeakMap<LogWindow, Pen[]>();
  private readonly listeners = new Set<() => void>();
  private catching = false;
  private wanted = 0;

  constructor(
    readonly run: string,
    readonly attempt: number,
    readonly name: string,
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };
  private changed(): void {
    this.version += 1;
    for (const listener of this.listeners) listener();
  }
  url(query: Record<string, string | number | boolean> = {}): string {
    return apiUrl(`/runs/${segment(this.run)}/logs/${segments(this.name)}`, { attempt: this.attempt, ...query });
  }
  private async fetch(query: Record<string, number>, signal?: AbortSignal): Promise<{ bytes: Uint8Array; headers: Headers }> {
    const response = await request(this.url(query), signal ? { signal } : {});
    return { bytes: new Uint8Array(await response.arrayBuffer()), headers: response.headers };
  }

  /** Asks for the end of the log; one byte more than a window, to know whether the window begins with a line. */
  async open(): Promise<void> {
    try {
      const { bytes, headers } = await this.fetch({ tail: WINDOW + 1 });
      const start = Number(headers.get("X-Log-Offset") ?? Number(headers.get("X-Log-Size")) - bytes.length);
      this.size = start + bytes.length;
      const last = Math.max(0, Math.floor((this.size - 1) / WINDOW));
      this.keep(new LogWindow(last, bytes.slice(Math.max(0, LogWindow.from(last) - start)), this.size));
      this.opened = true;
      this.error = undefined;
    } catch (error) {
      this.error = error as ApiError;
    }
    this.changed();
  }

  retry(): void {
    this.error = undefined;
    if (!this.opened) void this.open();
    else this.catchUp();
    this.changed();
  }

  private keep(window: LogWindow): void {
    this.windows.delete(window.index);
    this.windows.set(window.index, window);
    for (const old of this.windows.keys()) {
      if (this.windows.size <= MOST_WINDOWS) break;
      this.windows.delete(old);
    }
  }

  /** The window if it is here; else it is asked for, and listeners hear when it has come. */
  window(index: number): LogWindow | undefined {
    const window = this.windows.get(index);
    if (window) this.keep(window);
    else if (this.opened && !this.error) void this.load(index);
    return window;
  }
  private async load(index: number): Promise<void> {
    if (this.loads.has(index) || index < 0 || index * WINDOW >= this.size) return;
    let hurried = false;
    for (const [other, controller] of this.loads) {
      if (Math.abs(other - index) <= 2) continue;
      controller.abort();
      hurried = true;
    }
    const controller = new AbortController();
    this.loads.set(index, controller);
    try {
      // Someone drags the bar: fetch what they stop at, not all they pass.
      if (hurried) await new Promise((resolve) => setTimeout(resolve, 60));
      controller.signal.throwIfAborted();
      const from = LogWindow.from(index);
      let { bytes } = await this.fetch({ offset: from, limit: LogWindow.limit(index) }, controller.signal);
      // It may have grown meanwhile: here it ends where all of this log ends.
      const end = Math.min(this.size, from + LogWindow.limit(index));
      if (from + bytes.length < end) bytes = (await this.fetch({ offset: from, limit: end - from }, controller.signal)).bytes;
      this.keep(new LogWindow(index, bytes.slice(0, end - from), this.size));
      this.error = undefined;
    } catch (error) {
      if (!controller.signal.aborted) this.error = error as ApiError;
    } finally {
      this.loads.delete(index);
      this.changed();
    }
  }

  /** The row that holds a byte; undefined while its window is on its way, null when the log is empty. */
  rowAt(offset: number): Row | null | undefined {
    if (this.size === 0) return null;
    const index = Math.floor(Math.min(Math.max(offset, 0), this.size - 1) / WINDOW);
    const window = this.window(index);
    if (!window) return undefined;
    if (window.rows === 0) return index === 0 ? null : this.lastOf(index - 1);
    if (offset < window.offset(0) && index > 0) return this.lastOf(index - 1);
    return { window, index: window.rowAt(offset) };
  }
  private lastOf(index: number): Row | null | undefined {
    const window = this.window(index);
    if (!window) return undefined;
    return window.rows === 0 ? null : { window, index: window.rows - 1 };
  }
  last(): Row | null | undefined {
    return this.rowAt(this.size - 1);
  }
  next(row: Row): Row | null | undefined {
    const after = row.window.after(row.index);
    if (after >= this.size) return null;
    if (row.index + 1 < row.window.rows) return { window: row.window, index: row.index + 1 };
    return this.rowAt(after);
  }
  previous(row: Row): Row | null | undefined {
    if (row.index > 0) return { window: row.window, index: row.index - 1 };
    return offsetOf(row) === 0 ? null : this.rowAt(offsetOf(row) - 1);
  }

  /** The colours that lines before it left on, as far as those lines are here. */
  pen({ window, index }: Row): Pen {
    const first = this.penBefore(window);
    if (!window.escapes) return first;
    let known = this.pens.get(window);
    if (!known || !samePen(known[0]!, first)) this.pens.set(window, (known = [first]));
    for (let row = known.length; row <= index; row += 1) known.push(penAfter(window.text(row - 1), known[row - 1]!));
    return known[index]!;
  }
  private penBefore(window: LogWindow): Pen {
    const before = this.windows.get(window.index - 1);
    if (!before || before.rows === 0) return PLAIN;
    if (!before.escapes) return this.penBefore(before);
    const index = before.rows - 1;
    return penAfter(before.text(index), this.pen({ window: before, index }));
  }

  /** What the live stream brought: bytes `offset` to `next` of the file, as text. */
  append(offset: number, next: number, text: string): void {
    if (!this.opened || next <= this.size) return;
    const bytes = new TextEncoder().encode(text);
    // Where bytes were no UTF-8 the text does not tell them: ask for them.
    if (offset > this.size || bytes.length !== next - offset || this.catching) this.catchUp(next);
    else this.grow(offset, bytes);
  }

  /** Asks for what was written since, to the end or at least to `target`. */
  catchUp(target = Infinity): void {
    this.wanted = Math.max(this.wanted, target);
    if (this.catching || !this.opened) return;
    this.catching = true;
    void (async () => {
      try {
        while (this.wanted > this.size) {
          const { bytes } = await this.fetch({ offset: this.size, limit: CATCH_UP });
          if (bytes.length > 0) this.grow(this.size, bytes);
          if (bytes.length === 0) break;
        }
        this.error = undefined;
      } catch (error) {
        this.error = error as ApiError;
        this.changed();
      } finally {
        this.catching = false;
        this.wanted = 0;
      }
    })();
  }

  private grow(offset: number, bytes: Uint8Array): void {
    const old = this.size;
    this.size = offset + bytes.length;
    const [first, last] = [Math.floor(Math.max(0, old - OVERLAP) / WINDOW), Math.floor((this.size - 1) / WINDOW)];
    for (let index = first; index <= last; index += 1) {
      const window = this.windows.get(index);
      if (window) {
        window.append(offset, bytes, this.size);
        continue;
      }
      const from = LogWindow.from(index);
      const before = this.windows.get(index - 1);
      const head = before && from < offset ? before.slice(from, offset) : new Uint8Array();
      if (from < offset && head.length < offset - from) continue;
      const tail = bytes.subarray(Math.max(0, from - offset), Math.max(0, from + LogWindow.limit(index) - offset));
      const whole = new Uint8Array(head.length + tail.length);
      whole.set(head);
      whole.set(tail, head.length);
      this.keep(new LogWindow(index, whole, this.size));
    }
    this.changed();
  }
}
