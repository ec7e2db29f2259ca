// Sweeps of a real server: from start to end, steered, and the way between a sweep, its run and its trials.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Sweep, Trial } from "../src/lib/sweep";
import { useStudio } from "./studio";
import { until } from "./until";

const studio = useStudio();

const TRAIN = `
import argparse, os, sys, time
from azureml.core import Run
parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float)
parser.add_argument("--opt", default="adam")
parser.add_argument("--momentum", type=float, default=0)
parser.add_argument("--gate", default="")
args = parser.parse_args()
run = Run.get_context()
if args.opt == "broken":
    sys.exit("this optimizer is not known")
for epoch in range(3):
    run.log("accuracy", 1 - abs(args.lr - 0.1) - 0.01 / (epoch + 1))
while args.gate and not os.path.exists(f"{args.gate}-{args.lr}"):
    time.sleep(0.05)
`;

const start = (name: string, lines: string): Promise<string> => studio.roost.sweep(`metric: accuracy\ngoal: maximize\n${lines}`, TRAIN, name);
const sweepOf = (id: string) => studio.roost.call<Sweep>("GET", `/sweeps/${id}`);
const trialsOf = async (id: string) => (await studio.roost.call<{ trials: Trial[] }>("GET", `/sweeps/${id}/trials`)).trials;

test("a sweep that ended: its page, its run, its trials and the run table lead to one another", async () => {
  const id = await start("ended", "parameter_space:\n  lr: [0.1, 0.2, 0.4]\n  opt: [adam, broken]\nsampling: grid\nmax_concurrent_runs: 2");
  await until("the sweep has ended", 80, async () => (await sweepOf(id)).phase === "ended");
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Sweeps" }).click();
  await page.getByRole("link", { name: "ended" }).click();
  await page.locator(".sweep-counts").getByText("3 completed").waitFor();
  await page.locator(".sweep-counts").getByText("3 failed").waitFor();
  const table = page.getByRole("table", { name: "Trials" });
  expect(await table.getByRole("row").count()).toBe(7);
  const best = (await sweepOf(id)).best!;
  expect(best.parameters).toEqual({ lr: 0.1, opt: "adam" });
  const first = page.locator("[data-trial]").first();
  expect(await first.innerText()).toContain(`#${best.trial}`);
  await first.getByRole("img", { name: "the best" }).waitFor();
  // To the trial's run and back, to the sweep's own run and back.
  await first.getByRole("link").click();
  await page.getByText(`trial #${best.trial} of`).waitFor();
  expect(new URL(page.url()).pathname).toBe(`/runs/${best.run}`);
  await page.getByRole("link", { name: "its sweep" }).click();
  await page.getByRole("link", { name: "Its run" }).click();
  await page.getByRole("link", { name: "Sweep", exact: true }).waitFor();
  expect(await page.getByRole("button", { name: /^Run again/ }).count()).toBe(0);
  await page.getByRole("link", { name: "Sweep", exact: true }).click();
  await table.waitFor();
  // One line in the run table, with its children under it.
  await tab.go("/w/default/runs?q=experiment%3Aended");
  await page.locator(`[data-run="${id}"]`).waitFor();
  expect(await page.locator("[data-run]").count()).toBe(1);
  await page.locator(`[data-run="${id}"]`).getByRole("button", { name: /children/i }).click();
  await tab.until("all children", async () => (await page.locator("[data-run]").count()) === 7);
});

test("a sweep that goes on is followed and steered", async () => {
  const gate = join(studio.roost.folder, "gate");
  const id = await start("going", `arguments: [--gate, ${gate}]\nparameter_space:\n  lr: [0.1, 0.2, 0.3, 0.4]\nsampling: {type: random, seed: 3}\nmax_total_runs: 4\nmax_concurrent_runs: 1`);
  const open = (lr: unknown) => writeFileSync(`${gate}-${lr}`, "");
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/sweeps/${id}`);
  await page.locator(".sweep-counts").getByText("1 running").waitFor();
  const [only] = await trialsOf(id);
  await page.getByRole("button", { name: "Pause" }).click();
  await page.locator(".sweep-phase").getByText("paused").waitFor();
  open(only!.parameters.lr);
  await page.locator(".sweep-counts").getByText("1 completed").waitFor();
  expect(await trialsOf(id)).toHaveLength(1);
  // A trial by hand is made with the best one's parameters to begin with.
  await page.getByRole("button", { name: "Add a trial …" }).click();
  const lr = page.getByRole("combobox", { name: "lr" });
  expect(await lr.inputValue()).toBe(String(only!.parameters.lr));
  await lr.selectOption(only!.parameters.lr === 0.4 ? "0.3" : "0.4");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByText("Trial #1 was added.").waitFor();
  await page.locator('[data-trial="1"]').waitFor();
  await page.getByRole("button", { name: "Limits …" }).click();
  await page.getByLabel("Most trials").fill("7");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("7 trials, 1 at a time").waitFor();
  expect((await sweepOf(id)).spec.max_total_runs).toBe(7);
  await page.getByRole("button", { name: "Resume" }).click();
  await page.locator(".sweep-counts").getByText("1 running").waitFor();
  // What the server refuses is told: someone else stops the sweep while the box is open.
  await page.getByRole("button", { name: "Add a trial …" }).click();
  await page.getByRole("button", { name: "Add", exact: true }).waitFor();
  await studio.roost.call("PATCH", `/sweeps/${id}`, { stop: true });
  tab.allow(/status of 4\d\d/);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("alert").getByText("being stopped").waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".sweep-phase").getByText("stopping").waitFor();
  for (const trial of await trialsOf(id)) open(trial.parameters.lr);
  await tab.until("the page says that it has ended", async () => (await page.title()).includes("ended"));
  expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
});

test("a reader looks, and is offered nothing that would be refused", async () => {
  const id = await start("read", "parameter_space: {lr: [0.1]}\nsampling: grid");
  await until("the sweep has ended", 60, async () => (await sweepOf(id)).phase === "ended");
  const tab = await studio.tab({ token: await studio.roost.newToken("reader") });
  await tab.go(`/sweeps/${id}`);
  await tab.page.getByRole("table", { name: "Trials" }).waitFor();
  expect(await tab.page.getByRole("button", { name: /Pause|Stop|Limits|Add a trial/ }).count()).toBe(0);
});
