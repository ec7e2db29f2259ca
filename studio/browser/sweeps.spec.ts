// Sweeps, with made answers: the pages, what can be done, and that they follow what happens.
import { expect, test } from "vitest";
import type { Tab } from "./page";
import { useStudio } from "./studio";
import { answerOf, madeSweep, SWEEP, withoutMetric, type MadeSweep } from "./sweep_data";

const studio = useStudio();

async function withAnswers(made: MadeSweep): Promise<{ tab: Tab; asked: URL[]; changes: unknown[] }> {
  const tab = await studio.tab();
  const [asked, changes]: [URL[], unknown[]] = [[], []];
  await tab.page.route(/\/api\/v1\/(sweeps\/|workspaces\/default\/sweeps)/, (route) => {
    const url = new URL(route.request().url());
    const body = route.request().postDataJSON() as Record<string, unknown> | null;
    asked.push(url);
    if (body) changes.push(body);
    return route.fulfill({ json: answerOf(made, route.request().method(), url, body ?? undefined) });
  });
  return { tab, asked, changes };
}

test("from the list to a sweep: progress, importance, table with the best first", async () => {
  const { tab } = await withAnswers(madeSweep(200));
  const { page } = tab;
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Sweeps" }).click();
  await page.getByRole("link", { name: "birds" }).click();
  await page.getByRole("heading", { name: "Sweep of birds", level: 1 }).waitFor();
  await page.getByText("random forest of 60 trees").waitFor();
  const best = (await page.locator(".sweep-best").getByRole("link").innerText()).replace("Trial ", "");
  expect(await page.locator("[data-trial]").first().getByRole("link").innerText()).toBe(best);
  // Only lines on screen are in the page.
  expect(await page.locator("[data-trial]").count()).toBeLessThan(60);
  await page.getByRole("button", { name: "Sort by accuracy" }).or(page.getByTitle("Sort by accuracy")).first().click();
  expect(new URL(page.url()).searchParams.get("sort")).toBe("value");
  await page.getByText("is below the cut").first().waitFor();
});

test("a filter by the keyboard leaves the trials that pass", async () => {
  const { tab } = await withAnswers(madeSweep(200));
  const { page } = tab;
  await tab.go(`/sweeps/${SWEEP}`);
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  const slider = page.getByRole("slider", { name: "Least accuracy" });
  await slider.focus();
  for (let i = 0; i < 30; i += 1) await page.keyboard.press("ArrowRight");
  await page.getByText(/^\d+ of 200 trials pass/).waitFor();
  expect(Number(await page.getByRole("table", { name: "Trials" }).getAttribute("aria-rowcount"))).toBeLessThan(200);
  await page.getByRole("button", { name: "End all filters" }).click();
  await page.getByText("Drag along an axis").waitFor();
});

test("pause, resume, limits and stop", async () => {
  const { tab, changes } = await withAnswers(madeSweep(40));
  const { page } = tab;
  await tab.go(`/sweeps/${SWEEP}`);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("paused by anna").waitFor();
  await page.getByRole("button", { name: "Resume" }).click();
  await page.getByRole("button", { name: "Pause" }).waitFor();
  await page.getByRole("button", { name: "Limits" }).click();
  await page.getByLabel("Most trials").fill("3");
  await page.getByText("There are 40 trials already").waitFor();
  await page.getByLabel("Most trials").fill("90");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("90 trials, 4 at a time").waitFor();
  await page.getByRole("button", { name: "Stop …" }).click();
  await page.getByRole("button", { name: "Stop the sweep" }).click();
  await page.getByText("stopping: waits").waitFor();
  expect(changes).toEqual([{ paused: true }, { paused: false }, { max_total_runs: 90 }, { stop: true }]);
});

test("what happens is followed, and only what may have changed is asked for", async () => {
  const made = madeSweep(100);
  const { tab, asked } = await withAnswers(made);
  const { page } = tab;
  await tab.go(`/sweeps/${SWEEP}`);
  await page.locator("[data-trial]").first().waitFor();
  Object.assign(made.trials[99]!, { status: "Completed", state: "completed", best: 0.99, last: 0.99, started_at: made.trials[98]!.created_at, ended_at: made.trials[98]!.created_at });
  await tab.until("the new best on top", async () => (await page.locator("[data-trial]").first().getAttribute("data-trial")) === "99");
  const later = asked.filter((url) => url.pathname.endsWith("/trials")).slice(1);
  expect(later.every((url) => Number(url.searchParams.get("after")) >= 90)).toBe(true);
  Object.assign(made.sweep, { phase: "ended", status: "Completed", message: "all trials have ended" });
  await page.getByText("all trials have ended").waitFor();
});

test("no trial yet, and none that logged the metric", async () => {
  const empty = await withAnswers(madeSweep(0));
  await empty.tab.go(`/sweeps/${SWEEP}`);
  await empty.tab.page.getByRole("heading", { name: "No trials yet" }).waitFor();
  const wrong = await withAnswers(withoutMetric(madeSweep(12)));
  await wrong.tab.go(`/sweeps/${SWEEP}`);
  const box = wrong.tab.page.locator(".empty");
  await box.getByRole("heading", { name: "No trial has logged accuracy yet" }).waitFor();
  expect(await box.innerText()).toContain("Accuracy, loss");
});
