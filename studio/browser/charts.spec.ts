// Charts: a logarithmic scale, values that are no numbers, runs beside the table with their eyes, groups, settings.
import { beforeAll, expect, test } from "vitest";
import { LONGEST, longestTask, noteTasks } from "./long_tasks";
import { useStudio } from "./studio";

const studio = useStudio();

const TRAIN = `
import sys
from azureml.core import Run
run = Run.get_context()
rate, seed = float(sys.argv[2]), int(sys.argv[4])
diverges = rate >= 1
for step in range(40):
    # From 1e-2 to 1.5e-7, as a schedule with a cosine or an exponential end.
    run.log("lr", 1e-2 * (1.5e-5 ** (step / 39)), step=step)
    run.log("loss", float("nan") if diverges and step >= 17 else 1 / (1 + rate * step) + seed * 0.01, step=step)
    run.log("accuracy", 1 - 1 / (1 + rate * step), step=step)
run.log_table("table", {"label": ["a", "b"], "count": [3, 4]})
run.log_confusion_matrix("confusion", {"schema_type": "confusion_matrix", "schema_version": "1.0.0",
                                       "data": {"class_labels": ["cat", "dog"], "matrix": [[9, 1], [2, 8]]}})
`;
const runs: string[] = [];
let diverged = "";

beforeAll(async () => {
  const { roost } = studio;
  for (const rate of ["0.1", "0.3"]) {
    for (const seed of ["0", "1", "2"]) runs.push(await roost.python(TRAIN, ["--rate", rate, "--seed", seed], { name: `rate ${rate} seed ${seed}`, experiment: "charts" }));
  }
  diverged = await roost.python(TRAIN, ["--rate", "3", "--seed", "0"], { name: "diverged", experiment: "charts" });
  await Promise.all([...runs, diverged].map((id) => roost.wait(id, "Completed")));
});

test("a rate from 1e-2 to 1.5e-7 on a logarithmic scale does not hold up the page", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await noteTasks(page);
  await tab.go(`/runs/${runs[0]}/metrics?log=1&q=lr`);
  const chart = page.getByRole("figure").filter({ hasText: "lr" });
  await chart.locator("canvas").waitFor();
  await tab.until("the last value is told", async () => (await chart.locator(".chart-value").innerText()).endsWith("e-7"));
  // Zooming makes ends that are no powers of ten again and again.
  await chart.getByRole("slider").focus();
  for (const key of ["+", "+", "ArrowRight", "-", "0"]) await page.keyboard.press(key);
  expect(await longestTask(page)).toBeLessThan(LONGEST);
});

test("a run that diverged says NaN everywhere, and since when", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${diverged}`);
  await page.getByText("NaN or infinite from step 17").waitFor();
  await tab.go(`/runs/${diverged}/metrics?q=loss`);
  const chart = page.getByRole("figure").filter({ hasText: "loss" });
  await chart.getByText("NaN from step 17").waitFor();
  await tab.until("the last value is NaN", async () => (await chart.locator(".chart-value").innerText()) === "NaN");
  expect(await chart.locator(".visually-hidden").textContent()).toContain("last NaN");
  await tab.go("/w/default/runs?column=metrics.loss");
  await page.locator(`[data-run="${diverged}"] .odd`).filter({ hasText: "NaN" }).waitFor();
  await tab.go(`/w/default/compare?run=${diverged}&run=${runs[0]}&q=loss`);
  await page.getByText("NaN: diverged from step 17").waitFor();
  await tab.go(`/w/default/compare?run=${diverged}&run=${runs[0]}&view=table&find=loss`);
  await page.locator("td").filter({ hasText: "NaN" }).waitFor();
});

test("curves beside the table: an eye a run, kept in the address", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/runs");
  await page.getByRole("button", { name: "Charts" }).click();
  const charts = page.getByRole("region", { name: "Charts" });
  await charts.getByRole("figure").first().locator("canvas").waitFor();
  const eye = page.getByRole("button", { name: /^diverged .* in the charts$/ });
  expect(await eye.getAttribute("aria-pressed")).toBe("true");
  await charts.getByRole("button", { name: "diverged" }).first().waitFor();
  await eye.click();
  await charts.getByRole("button", { name: "diverged" }).first().waitFor({ state: "detached" });
  await page.reload();
  await charts.getByRole("figure").first().locator("canvas").waitFor();
  expect(await eye.getAttribute("aria-pressed")).toBe("false");
  expect(await charts.getByRole("button", { name: "diverged" }).count()).toBe(0);
  await eye.click();
  await charts.getByRole("button", { name: "diverged" }).first().waitFor();
});

test("runs of the same rate make one curve with a band", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/runs?charts=1&group=params.rate&metrics=accuracy");
  const chart = page.getByRole("region", { name: "Charts" }).getByRole("figure");
  for (const name of ["rate=0.1 (3)", "rate=0.3 (3)", "rate=3 (1)"]) await chart.getByRole("button", { name }).waitFor();
  await page.getByLabel("Band").selectOption("std");
  await tab.until("the address keeps the band", () => page.url().includes("band=std"));
});

test("one chart is set apart: range, bars, boxes, place, size, the whole window", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/w/default/compare?${runs.map((id) => `run=${id}`).join("&")}&group=params.rate`);
  const loss = page.getByRole("figure").filter({ hasText: "loss" });
  await loss.locator("canvas").waitFor();
  const dialog = page.getByRole("dialog");
  const settings = async (then: () => Promise<unknown>) => {
    await loss.hover();
    await loss.getByRole("button", { name: "Settings of the chart loss" }).click();
    await then();
    await page.keyboard.press("Escape");
  };
  await settings(async () => {
    await dialog.getByLabel("y from").fill("0");
    await dialog.getByLabel("y to").fill("0.5");
  });
  await tab.until("the range is in the address", () => decodeURIComponent(page.url()).includes("panel=min:0,max:0.5~loss"));
  await settings(() => dialog.getByLabel("Show").selectOption("bars"));
  await loss.getByRole("rowheader", { name: "rate 0.1 seed 0" }).waitFor();
  await settings(() => dialog.getByLabel("Show").selectOption("box"));
  await loss.getByRole("img", { name: "Box plots of the last values of loss" }).waitFor();
  await settings(async () => {
    await dialog.getByLabel("Show").selectOption("");
    await dialog.getByLabel("Width").selectOption("2");
    await page.getByRole("button", { name: "Move before" }).click();
  });
  await tab.until("it stands elsewhere", () => page.url().includes("order="));
  await loss.hover();
  await loss.getByRole("button", { name: "loss in the whole window" }).click();
  await tab.until("it fills the window", async () => ((await loss.boundingBox())?.height ?? 0) >= 790);
  await page.keyboard.press("Escape");
  await tab.until("it is as it was", async () => ((await loss.boundingBox())?.height ?? 999) < 500);
});

test("the values under the mouse stand beside it, the greatest first", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/w/default/compare?${runs.slice(1, 5).map((id) => `run=${id}`).join("&")}&q=accuracy`);
  const chart = page.getByRole("figure");
  await chart.locator(".u-over").hover({ position: { x: 200, y: 80 } });
  const values = await chart.locator(".chart-tip em").allInnerTexts();
  expect(values.length).toBe(4);
  expect(values.map(Number)).toEqual(values.map(Number).sort((a, b) => b - a));
  expect(values.every((value) => value.length <= 9)).toBe(true);
});

test("x is the value of another metric", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${runs[0]}/metrics?q=loss`);
  await page.getByRole("combobox", { name: "x" }).selectOption("metric:accuracy");
  const chart = page.getByRole("figure");
  await chart.getByRole("slider").focus();
  await page.keyboard.press("End");
  await tab.until("the cursor is at an accuracy", async () => /^at 0\.7/.test(await chart.locator(".chart-place").innerText()));
});

test("tables and matrices are drawn side by side", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/w/default/compare?run=${runs[0]}&run=${runs[3]}&view=media`);
  await page.getByRole("region", { name: "confusion of rate 0.1 seed 0" }).locator(".metrics-matrix").waitFor();
  await page.getByRole("region", { name: "table of rate 0.3 seed 0" }).getByRole("cell", { name: "b" }).waitFor();
  await tab.go(`/w/default/compare?run=${runs[0]}&run=${runs[3]}&view=table&find=confusion`);
  await page.getByText("matrix, 2 classes").first().waitFor();
});

test("ten runs compared do not hold up the page", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await noteTasks(page);
  const ids = [...runs, diverged, ...(await studio.roost.call("GET", "/workspaces/default/run-table?limit=10")).items.map((one: { id: string }) => one.id)];
  await tab.go(`/w/default/compare?${[...new Set(ids)].slice(0, 10).map((id) => `run=${id}`).join("&")}&log=1`);
  await page.getByRole("figure").first().locator("canvas").waitFor();
  await page.mouse.move(400, 500);
  expect(await longestTask(page)).toBeLessThan(LONGEST);
});
