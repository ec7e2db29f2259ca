// A fresh server: every page says what to do next.
import { expect, test } from "vitest";
import { TABS } from "./pages";
import { useStudio } from "./studio";

const studio = useStudio();

test("the lists of a fresh server", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  for (const [path, title, hint] of [
    ["runs", "No runs yet", "roost submit"],
    ["compare", "Nothing to compare yet", "Add runs"],
    ["sweeps", "No sweeps yet", "roost sweep start"],
    ["experiments", "No experiments yet", "roost submit"],
    ["models", "No models yet", "register"],
    ["endpoints", "No endpoints yet", "roost deploy"],
    ["environments", "No environment is registered yet", "register"],
  ] as const) {
    await tab.go(`/w/default/${path}`);
    const empty = page.locator(".empty").filter({ has: page.getByRole("heading", { name: title }) });
    await empty.waitFor();
    expect(await empty.innerText(), path).toContain(hint);
  }
  await tab.go("/w/default/computes");
  await page.getByRole("article", { name: "local" }).or(page.getByRole("heading", { name: "No computes yet" })).waitFor();
  await page.getByText("Nothing waits for nodes").waitFor();
  await tab.go("/w/default/tokens");
  await page.getByRole("row").filter({ hasText: "owner" }).waitFor();
});

test("a run that did nothing", async () => {
  const { roost } = studio;
  const run = await roost.submit({ "nothing.txt": "" }, ["true"], { name: "did nothing" });
  await roost.wait(run, "Completed");
  const tab = await studio.tab();
  const { page } = tab;
  const titles: Record<string, RegExp> = {
    metrics: /This run logged no metrics/,
    logs: /This run wrote no log|This log is empty/,
    outputs: /This run left no files/,
    children: /This run has no children/,
  };
  for (const name of TABS) {
    await tab.go(`/runs/${run}${name && `/${name}`}`);
    await page.getByRole("heading", { name: "did nothing", level: 1 }).waitFor();
    if (titles[name]) await page.getByRole("heading", { name: titles[name] }).waitFor();
    await tab.settled();
  }
});
