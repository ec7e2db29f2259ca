import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LogFile } from "./log_file";
import { WINDOW } from "./window";

const RED = "\x1b[31m";
const line = "x".repeat(99) + "\n";
// Red from the middle of the first window to the middle of the third.
const half = line.repeat(Math.floor(WINDOW / 200));
const whole = line.repeat(Math.floor(WINDOW / 100));
const text = new TextEncoder().encode(`${half}${RED}${half}${whole}${half}\x1b[0m${half}`);

beforeEach(() => {
  vi.stubGlobal("fetch", async (url: string) => {
    const query = new URL(url, "http://here").searchParams;
    const tail = query.get("tail");
    const from = tail ? Math.max(0, text.length - Number(tail)) : Number(query.get("offset"));
    const bytes = tail ? text.slice(from) : text.slice(from, from + Number(query.get("limit")));
    return new Response(bytes, { headers: { "X-Log-Offset": String(from), "X-Log-Size": String(text.length) } });
  });
});
afterEach(() => vi.unstubAllGlobals());

/** The row at an offset, once its window has come. */
async function rowAt(file: LogFile, offset: number) {
  file.rowAt(offset);
  await vi.waitFor(() => expect(file.rowAt(offset)).toBeTruthy());
  return file.rowAt(offset)!;
}

it("takes colours over from one window to the next as soon as both are here", async () => {
  const file = new LogFile("run", 1, "log.txt");
  await file.open();
  expect(file.last()!.window.index).toBe(2);
  const [first, middle, start] = [50, 1.5 * WINDOW, 2 * WINDOW + 200];
  // Nobody knows yet what came before.
  expect(file.pen(await rowAt(file, start))).toEqual({});
  expect(file.pen(await rowAt(file, middle))).toEqual({});
  expect(file.pen(await rowAt(file, first))).toEqual({});
  expect(file.pen(await rowAt(file, WINDOW - 200))).toEqual({ fg: 1 });
  // The second window has no escape codes at all, and passes on what it was given.
  expect(file.pen(await rowAt(file, middle))).toEqual({ fg: 1 });
  expect(file.pen(await rowAt(file, start))).toEqual({ fg: 1 });
  expect(file.pen(file.last()!)).toEqual({});
});
