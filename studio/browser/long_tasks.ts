// How long the main thread of a page was busy at a stretch: what a person feels as a page that does not answer.
import type { Page } from "playwright-core";

/** No task may be longer, in milliseconds. */
export const LONGEST = 200;

/** From the next document on, tasks of more than 50 ms are noted. */
export async function noteTasks(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const tasks: number[] = ((window as any).__tasks = []);
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => Math.round(entry.duration)))).observe({ type: "longtask", buffered: true });
  });
}

/** The longest so far; 0 if none took more than 50 ms. */
export async function longestTask(page: Page): Promise<number> {
  // Two frames and an idle moment later nothing is under way, and the observer has been told.
  return page.evaluate(
    () =>
      new Promise<number>((done) =>
        requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(() => setTimeout(() => done(Math.max(0, ...(window as any).__tasks)), 50), { timeout: 2000 }))),
      ),
  );
}
