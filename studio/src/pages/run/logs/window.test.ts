import { describe, expect, it } from "vitest";
import { LogWindow, OVERLAP, WINDOW } from "./window";

let seed = 5;
const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;

function windowsOf(log: Uint8Array): LogWindow[] {
  const windows: LogWindow[] = [];
  for (let i = 0; i * WINDOW < log.length; i += 1) {
    const from = LogWindow.from(i);
    windows.push(new LogWindow(i, log.slice(from, from + LogWindow.limit(i)), log.length));
  }
  return windows;
}

/** Every byte is in exactly one row, in order. */
function expectWhole(windows: LogWindow[], size: number): void {
  let at = 0;
  for (const window of windows) {
    for (let row = 0; row < window.rows; row += 1) {
      if (window.offset(row) !== at || window.after(row) <= at) throw new Error(`row ${row} of window ${window.index} is not at ${at}`);
      at = window.after(row);
    }
  }
  expect(at).toBe(size);
}

function randomLog(lines: number, longest: number): Uint8Array {
  const parts: string[] = [];
  for (let i = 0; i < lines; i += 1) parts.push("é漢🚀x".repeat(1 + random(longest)).slice(0, 1 + random(longest)) + "\n");
  return new TextEncoder().encode(parts.join(""));
}

describe("windows of a log", () => {
  it("have every byte in one row", () => {
    for (const [lines, longest] of [[20_000, 60], [2000, 2000], [60, 40_000], [8, 400_000]] as const) {
      const log = randomLog(lines, longest);
      expectWhole(windowsOf(log), log.length);
      const cut = log.slice(0, log.length - 7);
      expectWhole(windowsOf(cut), cut.length);
    }
  });
  it("do not cut lines of usual length or their characters", () => {
    const text = Array.from({ length: 30_000 }, (_, i) => `line ${i} é漢🚀`).join("\r\n") + "\r\n";
    const rows: string[] = [];
    for (const window of windowsOf(new TextEncoder().encode(text))) for (let row = 0; row < window.rows; row += 1) rows.push(window.text(row));
    expect(rows).toEqual(text.split("\r\n").slice(0, -1));
  });
  it("cut an enormous line where windows end, and say so", () => {
    const log = new TextEncoder().encode("a\n" + "x".repeat(3 * WINDOW) + "\nend\n");
    const windows = windowsOf(log);
    expect(windows[1]!.isContinued(0)).toBe(true);
    expect(windows[1]!.offset(0)).toBe(WINDOW);
    expect(windows[1]!.endsLine(0)).toBe(false);
    expect(windows[1]!.text(0, 100)).toBe("x".repeat(100));
    expectWhole(windows, log.length);
  });
  it("cut shown text at a character", () => {
    const window = windowsOf(new TextEncoder().encode("漢漢漢\n"))[0]!;
    expect(window.text(0, 7)).toBe("漢漢");
  });
  it("grow to the same rows as when read at once", () => {
    for (const [lines, longest] of [[6000, 120], [30, 60_000], [5, 300_000]] as const) {
      const log = randomLog(lines, longest);
      const windows: LogWindow[] = [];
      for (let at = 0; at < log.length; ) {
        const piece = log.slice(at, at + 1 + random(20_000));
        const end = at + piece.length;
        const [first, last] = [Math.floor(Math.max(0, at - OVERLAP) / WINDOW), Math.floor((end - 1) / WINDOW)];
        for (let i = first; i <= last; i += 1) {
          if (windows[i]) windows[i]!.append(at, piece, end);
          else windows[i] = new LogWindow(i, log.slice(LogWindow.from(i), Math.min(end, LogWindow.from(i) + LogWindow.limit(i))), end);
        }
        expectWhole(windows, end);
        at = end;
      }
      const whole = windowsOf(log);
      whole.forEach((window, i) => {
        expect(windows[i]!.rows).toBe(window.rows);
        for (let row = 0; row < window.rows; row += 1) if (windows[i]!.offset(row) !== window.offset(row)) throw new Error(`row ${row} differs`);
      });
    }
  });
  it("take nothing twice and nothing after a gap", () => {
    const window = new LogWindow(0, new TextEncoder().encode("one\n"), 4);
    window.append(2, new TextEncoder().encode("e\ntwo\n"), 8);
    expect([window.rows, window.text(1), window.end]).toEqual([2, "two", 8]);
    window.append(20, new TextEncoder().encode("gap\n"), 24);
    expect(window.end).toBe(8);
  });
});
