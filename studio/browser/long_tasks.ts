// How long the main thread of a page was busy at a stretch: what a person feels as a page that does not answer. Told in the
// processor's time, so that it is the same on a machine that has other work as well.
import type { CDPSession, Page } from "playwright-core";

/** No task may be longer, in milliseconds. */
export const LONGEST = 200;

interface Event {
  ph: string;
  name: string;
  pid: number;
  tid: number;
  /** Microseconds of the thread's own time. */
  tdur?: number;
  args?: { name?: string };
}

/** Begins to note; call what is returned for the longest task since, in milliseconds. */
export async function noteTasks(page: Page): Promise<() => Promise<number>> {
  const session: CDPSession = await page.context().browser()!.newBrowserCDPSession();
  const events: Event[] = [];
  session.on("Tracing.dataCollected", ({ value }) => void events.push(...(value as unknown as Event[])));
  await session.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories: ["toplevel"] } });
  return async () => {
    // Two frames and an idle moment later nothing is under way.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 2000 })))));
    const whole = new Promise((done) => session.once("Tracing.tracingComplete", done));
    await session.send("Tracing.end");
    await whole;
    await session.detach();
    const mains = new Set(events.filter((one) => one.name === "thread_name" && one.args?.name === "CrRendererMain").map((one) => `${one.pid} ${one.tid}`));
    const tasks = events.filter((one) => one.ph === "X" && one.tdur !== undefined && mains.has(`${one.pid} ${one.tid}`));
    if (tasks.length === 0) throw new Error("Chromium told of no task");
    return Math.round(Math.max(...tasks.map((one) => one.tdur!)) / 1000);
  };
}
