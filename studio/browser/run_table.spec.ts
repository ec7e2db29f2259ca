// The run table: search, order, groups, views, columns, tags, and what is done with runs.
import { beforeAll, expect, test } from "vitest";
import type { Tab } from "./page";
import { gated } from "./scripts";
import { useStudio } from "./studio";

const studio = useStudio();

const TRAIN = `
import sys
from azureml.core import Run
run = Run.get_context()
lr = float(sys.argv[sys.argv.index("--lr") + 1])
run.log("loss", 1 - lr)
if lr > 0.25:
    raise SystemExit(3)
`;
let ids: string[] = [];
beforeAll(async () => {
  const { roost } = studio;
  const make = (name: string, lr: number, experiment: string, tags: Record<string, string>) => roost.python(TRAIN, ["--lr", String(lr)], { name, experiment, tags });
  ids = await Promise.all([
    make("alpha", 0.1, "birds", { owner: "anna" }),
    make("beta", 0.2, "birds", { owner: "ben" }),
    make("gamma", 0.3, "fish", { owner: "anna" }),
  ]);
  await Promise.all(ids.map((id) => roost.wait(id)));
});

const names = (tab: Tab) => tab.page.locator("[data-run] .runs-name").allInnerTexts();
const shows = (tab: Tab, ...wanted: string[]) => tab.until(`the rows ${wanted.join(", ")}`, async () => (await names(tab)).join() === wanted.join(), 15);

test("search by words and by the query language; a mistake is told", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  tab.allow(/status of 400/);
  const box = page.getByRole("combobox", { name: "Search runs" });
  for (const [query, wanted] of [
    ["alpha", ["alpha"]],
    ["status:failed", ["gamma"]],
    ["experiment:birds tags.owner=ben", ["beta"]],
    ["params.lr>=0.2 -status:failed", ["beta"]],
    ["metrics.loss<0.75", ["gamma"]],
    ["(alpha or gamma) owner", []],
  ] as [string, string[]][]) {
    await box.fill(query);
    await box.press("Enter");
    await shows(tab, ...wanted);
    expect(new URL(page.url()).searchParams.get("q")).toBe(query);
  }
  await page.getByRole("heading", { name: "No run fits the search" }).waitFor();
  await page.getByRole("button", { name: "Clear the search" }).click();
  await tab.until("all rows", async () => (await names(tab)).length === 3);
  await box.fill("duration>tomorrow");
  await box.press("Enter");
  expect(await page.getByRole("alert").innerText()).toMatch(/duration/);
});

test("the search box completes fields and values", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  const box = page.getByRole("combobox", { name: "Search runs" });
  await box.fill("params.l");
  await page.getByRole("option", { name: /params\.lr/ }).waitFor();
  await box.press("ArrowDown");
  await box.press("Enter");
  expect(await box.inputValue()).toMatch(/^params\.lr/);
});

test("sort by a field, by a metric, both ways", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/runs?column=metrics.loss&column=status");
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await shows(tab, "alpha", "beta", "gamma");
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await shows(tab, "gamma", "beta", "alpha");
  await page.getByRole("columnheader", { name: /loss/ }).getByRole("button").click();
  await shows(tab, "gamma", "beta", "alpha");
  await page.getByRole("columnheader", { name: /loss/ }).getByRole("button").click();
  await shows(tab, "alpha", "beta", "gamma");
  expect(await page.getByRole("columnheader", { name: /loss/ }).getAttribute("aria-sort")).toBe("descending");
});

test("group by an experiment, and open a group", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByLabel("Group by").selectOption("experiment");
  const birds = page.getByRole("button", { name: "birds", exact: true });
  await birds.waitFor();
  expect(await birds.locator("xpath=ancestor::tr").innerText()).toMatch(/2/);
  expect(await birds.getAttribute("aria-expanded")).toBe("false");
  await birds.click();
  await tab.until("the runs of the group", async () => (await names(tab)).sort().join() === "alpha,beta");
  await page.reload();
  await tab.until("the same after a reload", async () => (await names(tab)).sort().join() === "alpha,beta");
});

test("choose a column of a metric and a parameter", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("button", { name: "Columns" }).click();
  const dialog = page.getByRole("dialog", { name: "Columns" });
  await dialog.getByRole("checkbox", { name: "loss" }).check();
  await dialog.getByRole("checkbox", { name: "lr" }).check();
  await dialog.getByRole("button", { name: "Remove User" }).click();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("columnheader", { name: /loss/ }).waitFor();
  const row = page.locator(`[data-run="${ids[0]}"]`);
  expect(await row.innerText()).toContain("0.9");
  expect(await row.innerText()).toContain("0.1");
  expect(await page.getByRole("columnheader", { name: "User" }).count()).toBe(0);
  await page.reload();
  await page.getByRole("columnheader", { name: /lr/ }).waitFor();
});

test("save a view, leave it, come back to it, delete it", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/runs?q=experiment%3Abirds&sort=name&group=status");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByLabel("Name of the view").fill("my birds");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "my birds" }).waitFor();
  await tab.go("/w/default/runs");
  await tab.until("all rows", async () => (await names(tab)).length === 3);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("link", { name: "my birds" }).click();
  const search = new URL(page.url()).searchParams;
  expect([search.get("q"), search.get("sort"), search.get("group")]).toEqual(["experiment:birds", "name", "status"]);
  await page.getByRole("button", { name: /Completed/ }).waitFor();
  if (!(await page.getByRole("button", { name: "Delete the view my birds" }).isVisible())) await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Delete the view my birds" }).click();
  await page.getByRole("link", { name: "my birds" }).waitFor({ state: "detached" });
  expect((await studio.roost.call("GET", "/workspaces/default/views")).items).toEqual([]);
});

test("tags are edited in place", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("button", { name: "Edit the tags of alpha: owner=anna" }).click();
  const editor = page.getByRole("group", { name: "Tags of alpha" });
  await editor.getByLabel("New tag, as key=value").fill("kind=trial");
  await page.keyboard.press("Enter");
  await editor.getByRole("button", { name: "Remove the tag owner" }).click();
  await tab.until("the server has them", async () => JSON.stringify((await studio.roost.run(ids[0]!)).tags) === '{"kind":"trial"}');
  await page.keyboard.press("Escape");
  await editor.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Edit the tags of alpha: kind=trial" }).waitFor();
});

test("archive and restore", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("checkbox", { name: "Select beta" }).check();
  await page.getByRole("button", { name: "Archive" }).click();
  await page.locator(`[data-run="${ids[1]}"]`).waitFor({ state: "detached" });
  expect((await studio.roost.run(ids[1]!)).archived).toBe(true);
  await tab.go("/w/default/runs?q=is%3Aarchived");
  await page.getByRole("checkbox", { name: "Select beta" }).check();
  await page.getByRole("button", { name: "Restore" }).click();
  await tab.until("it is back", async () => (await studio.roost.run(ids[1]!)).archived === false);
});

test("cancel and rerun", async () => {
  const { roost } = studio;
  const held = gated(roost, 'gate("never")');
  const run = await roost.python(held.source, [], { name: "endless", env: held.env });
  await roost.wait(run, "Running");
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("checkbox", { name: "Select endless" }).check();
  await page.getByRole("toolbar", { name: "Selected runs" }).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("dialog", { name: "Cancel 1 run?" }).getByRole("button", { name: "Cancel 1 run" }).click();
  await page.locator(`[data-run="${run}"] [data-status=Canceled]`).waitFor();
  expect((await roost.run(run)).status).toBe("Canceled");

  await page.getByRole("checkbox", { name: "Select alpha" }).check();
  await page.getByRole("toolbar", { name: "Selected runs" }).getByRole("button", { name: "Run again …" }).click();
  const asks = page.getByRole("dialog", { name: "Run 1 run again?" });
  await asks.getByText("alpha").waitFor();
  await asks.getByRole("button", { name: "Run 1 run again" }).click();
  await tab.until("there are two of it", async () => (await names(tab)).filter((name) => name.startsWith("alpha")).length === 2);
  const made = (await roost.call("GET", "/workspaces/default/run-table?q=alpha&sort=-created")).items[0];
  expect((await roost.run(made.id)).properties["roost.rerun_of"]).toBe(ids[0]);
  await page.locator(`[data-run="${made.id}"] [data-status=Completed]`).waitFor();
});
