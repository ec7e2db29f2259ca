// The address holds the view: reload and back show the same.
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
let run = "";
beforeAll(async () => {
  const { roost } = studio;
  run = await roost.python(`
import os
from azureml.core import Run
run = Run.get_context()
for i in range(50):
    run.log("loss", 1 / (i + 1))
    run.log("accuracy", i / 50)
    print("line", i)
os.makedirs("outputs", exist_ok=True)
open("outputs/notes.txt", "w").write("noted")
`, [], { name: "has it all", experiment: "birds" }, { "helpers/util.py": "def helper():\n    return 1\n" });
  await roost.wait(run, "Completed");
});

/** What is on the page, without what changes with the time. */
const text = (page: import("playwright-core").Page) => page.locator("main").innerText().then((all) => all.replace(/\d+ (s|m|min|h|seconds?|minutes?) ago|just now|now/g, "").replace(/\s+/g, " "));

test("each view is the same after a reload", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  for (const [path, wait] of [
    ["/w/default/runs?q=experiment%3Abirds&sort=name&column=status&column=metrics.loss", "has it all"],
    ["/w/default/runs?group=experiment&open=g%3Abirds", "has it all"],
    [`/runs/${run}`, "Stages"],
    [`/runs/${run}/metrics?q=loss&log=1`, "loss"],
    [`/runs/${run}/logs?text=line%2049`, "1 line"],
    [`/runs/${run}/outputs/outputs/notes.txt`, "noted"],
    [`/runs/${run}/code/helpers/util.py`, "helper"],
    [`/w/default/experiments?q=bird`, "birds"],
  ] as const) {
    await tab.go(path);
    await page.locator("main").getByText(wait).locator("visible=true").first().waitFor();
    await tab.until("it has settled", async () => {
      const first = await text(page);
      await page.waitForFunction(() => new Promise((done) => requestIdleCallback(() => done(true), { timeout: 300 })));
      return first === (await text(page)) && !/Loading/.test(first);
    });
    const [address, before] = [page.url(), await text(page)];
    await page.reload();
    await page.locator("main").getByText(wait).locator("visible=true").first().waitFor();
    expect(page.url(), "the page keeps its address").toBe(address);
    await tab.until(`${path} is the same`, async () => (await text(page)) === before, 10).catch(async () => expect(await text(page)).toBe(before));
  }
});

test("back and forward go through the views", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByLabel("Group by").selectOption("experiment");
  await page.getByRole("button", { name: "birds", exact: true }).click();
  await page.getByRole("link", { name: "has it all" }).click();
  await page.getByRole("link", { name: "Logs" }).click();
  await page.getByText("line 49").waitFor();
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
  await page.goBack();
  await page.getByText("line 49").waitFor();
  await page.goBack();
  await page.getByRole("heading", { name: "Stages" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "birds", exact: true, expanded: true }).waitFor();
  await page.getByRole("link", { name: "has it all" }).waitFor();
  await page.goForward();
  await page.getByRole("heading", { name: "Stages" }).waitFor();
});
