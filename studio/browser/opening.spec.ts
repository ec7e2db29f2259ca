// What is asked for when a page is opened: early, and once (src/early.ts).
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
let run = "";
beforeAll(async () => {
  const { roost } = studio;
  run = await roost.python(`
from azureml.core import Run
run = Run.get_context()
for i in range(50):
    run.log("loss", 1 / (i + 1))
    run.log("accuracy", i / 50)
print("said")
`, [], { name: "opened", experiment: "opening" });
  await roost.wait(run, "Completed");
});

/** What a page asks the server for, in this order, until the server tells it of changes. */
async function asked(path: string, shown: string): Promise<string[]> {
  const tab = await studio.tab();
  await tab.page.goto("about:blank"); // the page before asks no more
  const found: string[] = [];
  tab.page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith("/api/") && request.method() === "GET") found.push(url.pathname.slice("/api/v1".length) + url.search);
  });
  await tab.go(path);
  await tab.page.locator(shown).first().waitFor();
  await tab.page.waitForLoadState("load");
  const live = found.findIndex((url) => url.startsWith("/live"));
  return live < 0 ? found : found.slice(0, live);
}

const cases: [string, () => string, string, () => string[]][] = [
  ["the run table", () => "/w/default/runs", "tr[data-run]", () => ["/session", "/workspaces/default/run-table?q=is%3Atop&sort=-created&offset=0&limit=100"]],
  [
    "a run table with a search and columns",
    () => "/w/default/runs?q=opened&sort=name&column=status&column=metrics.loss",
    "tr[data-run]",
    () => ["/session", "/workspaces/default/run-table?q=opened+is%3Atop&sort=name&offset=0&limit=100&column=metrics.loss"],
  ],
  ["a run", () => `/runs/${run}`, ".stages-table", () => ["/session", `/runs/${run}`, `/runs/${run}/metrics`]],
  ["its metrics", () => `/runs/${run}/metrics`, ".chart canvas", () => ["/session", `/runs/${run}`, `/runs/${run}/metrics`]],
  ["its logs", () => `/runs/${run}/logs`, ".log-row", () => ["/session", `/runs/${run}`, `/runs/${run}/logs`]],
];

test.each(cases)("%s asks first for what it shows, and for nothing twice", async (_, path, shown, first) => {
  const found = await asked(path(), shown);
  expect(found.slice(0, first().length).sort()).toEqual(first().sort());
  expect(found.filter((url, i) => found.indexOf(url) !== i)).toEqual([]);
});

test("going back to the metrics shows the curves at once", async () => {
  const tab = await studio.tab();
  await tab.go(`/runs/${run}/metrics`);
  const charts = tab.page.locator(".chart canvas");
  await charts.first().waitFor();
  await tab.page.getByRole("link", { name: "Logs" }).click();
  await tab.page.locator(".log-row").first().waitFor();
  // From here on the server has nothing to say about curves.
  await tab.page.route("**/charts?**", () => {});
  await tab.page.getByRole("link", { name: "Metrics" }).click();
  await charts.first().waitFor();
});
