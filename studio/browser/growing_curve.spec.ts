// The curve of a metric grows while the run logs it.
import { expect, test } from "vitest";
import { gated } from "./scripts";
import { useStudio } from "./studio";

const studio = useStudio();

const LOGS = `
from azureml.core import Run
run = Run.get_context()
for step in range(400):
    if step in (20, 120, 399):
        gate(f"step {step}")
    run.log("train/loss", 1 / (1 + step / 10))
gate("end")
`;

test("more and more points are drawn, without loading the page anew", async () => {
  const { roost } = studio;
  const { source, env, open } = gated(roost, LOGS);
  const run = await roost.python(source, [], { name: "curve", env });
  const tab = await studio.tab();
  // The greatest number of corners that one line on a canvas had.
  await tab.page.addInitScript(() => {
    const state = window as any;
    state.__corners = 0;
    const corners = new WeakMap<Path2D, number>();
    const { lineTo } = Path2D.prototype;
    Path2D.prototype.lineTo = function (x: number, y: number) {
      corners.set(this, (corners.get(this) ?? 0) + 1);
      lineTo.call(this, x, y);
    };
    const { stroke } = CanvasRenderingContext2D.prototype;
    CanvasRenderingContext2D.prototype.stroke = function (path?: Path2D) {
      if (path) state.__corners = Math.max(state.__corners, corners.get(path) ?? 0);
      if (path) stroke.call(this, path);
      else (stroke as () => void).call(this);
    };
  });
  await tab.go(`/runs/${run}/metrics`);
  const corners = () => tab.page.evaluate(() => (window as any).__corners as number);
  const chart = tab.page.getByRole("figure").filter({ hasText: "train/loss" });
  await chart.locator("canvas").waitFor();
  await tab.mark();

  const first = await tab.until("the first points are drawn", async () => (await corners()) >= 15 && corners());
  expect(first).toBeLessThanOrEqual(20);
  open("step 20");
  const second = await tab.until("more points are drawn", async () => (await corners()) >= 100 && corners());
  expect(second).toBeLessThanOrEqual(120);
  open("step 120");
  await tab.until("still more points are drawn", async () => (await corners()) >= 300);
  open("step 399");
  open("end");
  await tab.page.locator(".run-header [data-status=Completed]").waitFor();
  await tab.until("the last value is told", async () => (await chart.innerText()).includes("0.0244"));
  expect(await tab.isMarked()).toBe(true);
});

test("the cursor tells the full precision, and the chart can be saved", async () => {
  const { roost } = studio;
  const run = await roost.python(`
from azureml.core import Run
run = Run.get_context()
for step in range(10):
    run.log("exact", 0.1 + 0.2 + step)
`);
  await roost.wait(run, "Completed");
  const tab = await studio.tab();
  await tab.go(`/runs/${run}/metrics`);
  const chart = tab.page.getByRole("figure").filter({ hasText: "exact" });
  await chart.locator("canvas").waitFor();
  await chart.getByRole("slider").focus();
  await tab.page.keyboard.press("Home");
  await tab.until("the value under the cursor", async () => (await chart.innerText()).includes("0.30000000000000004"));

  const [csv] = await Promise.all([tab.page.waitForEvent("download"), chart.getByRole("button", { name: /CSV/ }).click()]);
  expect(csv.suggestedFilename()).toMatch(/\.csv$/);
  const text = await (await csv.createReadStream()).toArray().then((parts) => Buffer.concat(parts).toString());
  expect(text).toContain("0.30000000000000004");
  const [png] = await Promise.all([tab.page.waitForEvent("download"), chart.getByRole("button", { name: /PNG/ }).click()]);
  const bytes = Buffer.concat(await (await png.createReadStream()).toArray());
  expect(bytes.subarray(1, 4).toString()).toBe("PNG");
});

test("under a curve that is drawn coarsely stands its last value, and not a mean", async () => {
  const { roost } = studio;
  const run = await roost.python(`
from azureml.core import Run
run = Run.get_context()
for step in range(5000):
    run.log("coarse", step % 7)
run.log("coarse", 0.123456789)
`);
  await roost.wait(run, "Completed");
  const tab = await studio.tab();
  await tab.go(`/runs/${run}/metrics`);
  const chart = tab.page.getByRole("figure").filter({ hasText: "coarse" });
  const value = chart.locator(".chart-value");
  await tab.until("the last value is told", async () => (await value.innerText()) === "0.123456789");
  await tab.go(`/runs/${run}/metrics?smooth=0.5`);
  await tab.until("beside the smoothed one", async () => /^\d\.\d+ \(raw 0\.123456789\)$/.test(await value.innerText()));
});
