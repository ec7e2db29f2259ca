// A run goes from Queued to Completed before one's eyes, on its page and in the table.
import { beforeAll, expect, test } from "vitest";
import { gated } from "./scripts";
import { useStudio } from "./studio";

const studio = useStudio();

beforeAll(async () => {
  // One node: the second run has to wait for the first.
  await studio.roost.cli("compute", "create", "single", "--vm-size", "STANDARD_D2_V2", "--max-nodes", "1");
});

async function twoRuns(name: string) {
  const { roost } = studio;
  const held = gated(roost, `print("one line", flush=True)\ngate("${name} first")`);
  const first = await roost.python(held.source, [], { compute: "single", name: `${name} first`, env: held.env });
  await roost.wait(first, "Running");
  const next = gated(roost, `print("the other line", flush=True)\ngate("${name} second")`);
  const second = await roost.python(next.source, [], { compute: "single", name: `${name} second`, env: next.env });
  await roost.wait(second, "Queued");
  return { first, second, open: held.open };
}

test("the page of a run shows each state", async () => {
  const { second, open } = await twoRuns("page");
  const tab = await studio.tab();
  await tab.go(`/runs/${second}`);
  const status = (state: string) => tab.page.locator(`.run-header [data-status=${state}]`).waitFor();
  await status("Queued");
  await tab.mark();
  open("page first");
  await status("Running");
  open("page second");
  await status("Completed");
  expect(await tab.page.title()).toContain("page second · Completed");
  expect(await tab.isMarked(), "the page was not loaded anew").toBe(true);
});

test("the table shows each state", async () => {
  const tab = await studio.tab();
  await tab.live();
  await tab.mark();
  const { second, open } = await twoRuns("table");
  const row = tab.page.locator(`[data-run="${second}"]`);
  await row.locator("[data-status=Queued]").waitFor();
  open("table first");
  await row.locator("[data-status=Running]").waitFor();
  open("table second");
  await row.locator("[data-status=Completed]").waitFor();
  expect(await tab.isMarked(), "the page was not loaded anew").toBe(true);
});
