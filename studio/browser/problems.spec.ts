// What goes wrong is told, with a way on.
import { beforeAll, expect, test } from "vitest";
import { TABS } from "./pages";
import { useStudio } from "./studio";

const studio = useStudio();
let run = "";
beforeAll(async () => {
  run = await studio.roost.python("print('hello')", [], { name: "fine" });
  await studio.roost.wait(run, "Completed");
});

test("what is not there is told", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  tab.allow(/status of 404/);
  for (const [path, text] of [
    ["/runs/no_such_run", "There is no such run"],
    [`/runs/${run}/nothing`, "A run has no such part"],
    [`/runs/${run}/outputs/outputs/gone.txt`, /There is no such file|This run left no files/],
    [`/runs/${run}/code/gone.py`, "There is no such file"],
    ["/w/default/models/gone", "There is no model gone"],
    ["/w/default/computes/gone", /gone/],
    ["/w/default/environments/gone", /There is no environment gone|gone/],
    ["/w/nowhere/runs", /nowhere/],
    ["/w/default/nothing", "There is no such page"],
  ] as const) {
    await tab.go(path);
    await page.locator("main").getByText(text).first().waitFor();
    // Whatever went wrong, one can go elsewhere.
    await page.getByRole("navigation", { name: "Pages" }).waitFor();
  }
});

test("an answer of 500 is told, and trying again helps", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  tab.allow(/status of 500/);
  // Without events the page does not ask again by itself.
  tab.allow(/ERR_FAILED/);
  await page.route(/\/api\/v1\/live/, (route) => route.abort());
  let broken = true;
  let asked = Date.now();
  await page.route(/\/api\/v1\/(?!session|live)/, (route) => {
    asked = Date.now();
    return broken
      ? route.fulfill({ status: 500, contentType: "application/json", body: '{"error":{"code":"internal","message":"the disk is full"}}' })
      : route.continue();
  });
  for (const [path, word] of [
    ["/w/default/runs", "fine"],
    [`/runs/${run}`, "Stages"],
    ["/w/default/experiments", "tests"],
    ["/w/default/models", "No models yet"],
    ["/w/default/computes", "local"],
    ["/w/default/environments", "Curated"],
    ["/w/default/tokens", "owner"],
  ] as const) {
    broken = true;
    await tab.go(path);
    const alert = page.getByRole("alert").filter({ hasText: "the disk is full" }).first();
    await alert.waitFor();
    // A page asks for several things; one that comes later must not mend it before the click.
    await tab.until("the page has asked for all it wants", async () => Date.now() - asked > 500);
    broken = false;
    await alert.getByRole("button", { name: "Try again" }).click();
    await page.locator("main").getByText(word).first().waitFor();
  }
});

test("each tab of a run tells of an answer of 500", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  tab.allow(/status of 500/);
  await page.route(new RegExp(`/api/v1/(runs/${run}/|snapshots|blobs|.*run-table.*parent)`), (route) =>
    route.fulfill({ status: 500, contentType: "application/json", body: '{"error":{"code":"internal","message":"the disk is full"}}' }),
  );
  for (const name of TABS.filter((one) => one !== "environment")) {
    await tab.go(`/runs/${run}${name && `/${name}`}`);
    await page.locator("main").getByText("the disk is full").first().waitFor();
    await tab.until(`nothing of ${name} is left loading`, async () => (await page.getByText(/Loading/).count()) === 0);
  }
});

test("an answer that is no JSON is told, too", async () => {
  const tab = await studio.tab();
  tab.allow(/status of 502/);
  await tab.page.route(/run-table/, (route) => route.fulfill({ status: 502, body: "<h1>Bad gateway</h1>" }));
  await tab.go("/w/default/runs");
  await tab.page.getByRole("alert").filter({ hasText: "502" }).waitFor();
  expect(await tab.page.locator("main h1").allInnerTexts()).toEqual(["Runs"]);
});
