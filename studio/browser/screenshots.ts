// Pictures of every page, light and dark, for docs/studio.md: npm run screenshots
import { spawnSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium, type Page } from "playwright-core";
import { ARGUMENTS, EXECUTABLE } from "./chromium";
import { Tab } from "./page";
import { Roost } from "./roost";
import { fillEndpoints, type ShownEndpoints } from "./screenshot_endpoints";
import { birdsSweep, fill, type Shown } from "./screenshot_data";

const OUT = resolve(process.env.OUT ?? join(dirname(fileURLToPath(import.meta.url)), "../../docs/studio"));
const MOST = 150_000;

/** By its beginning: these need the sweep of the birds or endpoints that serve, all others what fill() makes. */
const GROUPS = ["sweep", "endpoint"] as const;
type Group = (typeof GROUPS)[number] | "";
const groupOf = (name: string): Group => GROUPS.find((group) => name.startsWith(group)) ?? "";

interface Shot {
  name: string;
  path: string;
  /** What is there when the page is ready. */
  ready?: string;
  before?: (page: Page) => Promise<void>;
}

function shots({ best, sweep, failed, running, birds }: Shown): Shot[] {
  const compare = `/w/default/compare?${sweep.slice(0, 5).map((id) => `run=${id}`).join("&")}`;
  return [
    { name: "runs", path: "/w/default/runs?column=status&column=experiment&column=metrics.validation/accuracy&column=metrics.train/loss&column=params.lr&column=duration&column=created&column=tags", ready: ".runs-name" },
    { name: "runs-grouped", path: "/w/default/runs?group=experiment&open=g%3Abirds-sweep", ready: ".runs-group" },
    { name: "run", path: `/runs/${best}`, ready: ".stages-table" },
    { name: "run-failed", path: `/runs/${failed}`, ready: ".root-cause" },
    { name: "run-metrics", path: `/runs/${best}/metrics?smooth=0.6`, ready: ".chart canvas" },
    { name: "run-birds", path: `/runs/${birds}/metrics`, ready: ".chart canvas" },
    { name: "run-logs", path: `/runs/${failed}/logs?rank=2&find=first-error`, ready: ".log-row.marked" },
    { name: "run-outputs", path: `/runs/${best}/outputs/outputs/predictions.png`, ready: ".output-picture img" },
    { name: "run-table", path: `/runs/${best}/outputs/outputs/predictions.csv`, ready: ".data-table" },
    { name: "run-code", path: `/runs/${best}/code/train.py`, ready: ".hl-keyword" },
    { name: "run-environment", path: `/runs/${best}/environment`, ready: ".env-cards" },
    { name: "run-system", path: `/runs/${running}/system`, ready: ".chart canvas" },
    { name: "run-ranks", path: `/runs/${failed}/ranks`, ready: ".rank" },
    { name: "compare", path: compare, ready: ".chart canvas" },
    { name: "compare-table", path: `${compare}&view=table`, ready: ".compare-table" },
    { name: "compare-parallel", path: `${compare}&view=parallel`, ready: "main svg path" },
    { name: "compare-scatter", path: `${compare}&view=scatter`, ready: "main svg circle" },
    { name: "experiments", path: "/w/default/experiments", ready: "main table" },
    { name: "models", path: "/w/default/models", ready: "main table" },
    { name: "model", path: "/w/default/models/bird-net?version=2", ready: ".lineage" },
    { name: "computes", path: "/w/default/computes", ready: ".computes-card" },
    { name: "compute", path: "/w/default/computes/small", ready: "main table" },
    { name: "environments", path: "/w/default/environments", ready: "main table" },
    { name: "environment", path: "/w/default/environments/birds-env", ready: ".hl-attr, .code" },
    { name: "tokens", path: "/w/default/tokens", ready: "main table" },
  ];
}

function sweepShots(sweep: string): Shot[] {
  return [
    { name: "sweeps", path: "/w/default/sweeps", ready: "main table" },
    { name: "sweep", path: `/sweeps/${sweep}`, ready: "text=random forest of 60 trees" },
    { name: "sweep-trials", path: `/sweeps/${sweep}`, ready: "[data-trial]", before: (page) => page.getByRole("heading", { name: "Contour" }).evaluate(async (title) => {
      // The chart below it is made once it is near: then its place is final.
      title.scrollIntoView({ block: "start" });
      await new Promise((done) => setTimeout(done, 500));
      title.scrollIntoView({ block: "start" });
    }) },
  ];
}

function endpointShots({ picture }: ShownEndpoints): Shot[] {
  const send = async (page: Page) => {
    await page.getByRole("button", { name: "Picture", exact: true }).click();
    await page.getByLabel("Picture", { exact: true }).setInputFiles({ name: "turkey.png", mimeType: "image/png", buffer: picture });
    await page.getByRole("group", { name: "Values" }).getByRole("button", { name: "-1 to 1" }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator(".endpoint-top").waitFor();
  };
  return [
    { name: "endpoints", path: "/w/default/endpoints", ready: "main table" },
    { name: "endpoint", path: "/w/default/endpoints/birds", ready: ".chart canvas" },
    { name: "endpoint-replicas", path: "/w/default/endpoints/birds", ready: ".endpoint-deployment table", before: (page) => page.getByRole("heading", { name: "Deployments" }).evaluate((title) => title.scrollIntoView({ block: "center" })) },
    { name: "endpoint-try", path: "/w/default/endpoints/birds/try", ready: ".endpoint-body", before: send },
    { name: "endpoint-code", path: "/w/default/endpoints/birds/call", ready: ".endpoint-snippets .code", before: (page) => page.getByRole("button", { name: "tritonclient" }).click() },
  ];
}

/** Fewer colours, so that pictures stay small. */
function reduce(path: string): void {
  for (const colors of [256, 128, 64, 32]) {
    spawnSync("/usr/bin/python3", ["-c", `
import sys
from PIL import Image
picture = Image.open(sys.argv[1]).convert("RGB")
picture.quantize(int(sys.argv[2]), dither=Image.Dither.NONE).save(sys.argv[1], optimize=True)
`, path, String(colors)], { stdio: "inherit" });
    if (statSync(path).size <= MOST) return;
  }
  throw new Error(`${path} is larger than ${MOST} bytes`);
}

async function main(): Promise<void> {
  mkdirSync(OUT, { recursive: true });
  const only = process.argv.slice(2);
  const roost = await Roost.start();
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS, headless: true });
  let served: ShownEndpoints | undefined;
  try {
    const wanted = (group: Group) => only.length === 0 || only.some((name) => groupOf(name) === group);
    const all = [...(wanted("") ? shots(await fill(roost)) : []), ...(wanted("sweep") ? sweepShots(await birdsSweep(roost)) : [])];
    served = wanted("endpoint") ? await fillEndpoints(roost) : undefined;
    if (served) all.push(...endpointShots(served));
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, colorScheme, reducedMotion: "reduce" });
      const tab = await Tab.open(context, roost);
      const { page } = tab;
      const save = async (name: string) => {
        const path = join(OUT, `${name}-${colorScheme}.png`);
        await page.screenshot({ path });
        reduce(path);
      };
      if (wanted("")) {
        await tab.go("/login");
        await tab.settled();
        await save("login");
      }
      await tab.logIn();
      for (const shot of all) {
        if (only.length > 0 && !only.includes(shot.name)) continue;
        await tab.go(shot.path);
        if (shot.ready) {
          await page.locator(shot.ready).first().waitFor().catch(async (error) => {
            await page.screenshot({ path: "/tmp/roost-studio-failures/screenshot.png" });
            console.error(shot.name, colorScheme, page.url(), tab.unexpected(), await page.locator("main").innerText());
            throw error;
          });
        }
        await shot.before?.(page);
        await tab.settled();
        await page.mouse.move(0, 0);
        await page.waitForFunction(() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(() => done(true)), { timeout: 2000 })));
        await save(shot.name);
      }
      for (const problem of tab.unexpected()) console.error(`${colorScheme}: ${problem}`);
      await context.close();
    }
  } finally {
    await served?.stop();
    await browser.close();
    await roost.close();
  }
}

await main();
