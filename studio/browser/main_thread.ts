// How long pages hold up the browser's main thread, ten times each in a new tab: npm run main-thread
// The pages are those that once froze it: a logarithmic scale that does not begin at a power of ten, a run that became NaN,
// ten runs compared, the end of a log of a gigabyte.
import { chromium } from "playwright-core";
import { ARGUMENTS, EXECUTABLE } from "./chromium";
import { LONGEST, noteTasks } from "./long_tasks";
import { Tab } from "./page";
import { Roost } from "./roost";

const TIMES = 10;
const GIGABYTES = Number(process.env.LOG_GB ?? 1);

const TRAIN = `
import sys
from azureml.core import Run
run = Run.get_context()
seed = int(sys.argv[2])
for step in range(2000):
    run.log("lr", 1e-2 * (1.5e-5 ** (step / 1999)), step=step)
    run.log("loss", float("nan") if seed == 0 and step >= 700 else 1 / (1 + step) + seed * 0.01, step=step)
    run.log("accuracy", 1 - 1 / (1 + step), step=step)
`;
const PRINTS = `
import sys
line = "step {:09d} loss 0.123456 " + "x" * 70
for i in range(int(${GIGABYTES} * 1e9 / 100)):
    sys.stdout.write(line.format(i) + "\\n")
`;

interface Measured {
  name: string;
  path: string;
  ready: string;
}

async function pages(roost: Roost): Promise<Measured[]> {
  const runs: string[] = [];
  for (let seed = 0; seed < 10; seed += 1) runs.push(await roost.python(TRAIN, ["--seed", String(seed)], { name: `seed ${seed}` }));
  const log = await roost.python(PRINTS, [], { name: "prints" });
  for (const run of runs) await roost.wait(run, "Completed", 120);
  await roost.wait(log, "Completed", 900);
  const compare = `/w/default/compare?${runs.map((id) => `run=${id}`).join("&")}`;
  return [
    { name: "log scale from 1e-2 to 1.5e-7", path: `/runs/${runs[1]}/metrics?log=1`, ready: ".chart canvas" },
    { name: "a run that became NaN", path: `/runs/${runs[0]}/metrics`, ready: ".chart canvas" },
    { name: "ten runs compared", path: compare, ready: ".chart canvas" },
    { name: "ten runs compared, log scale", path: `${compare}&log=1`, ready: ".chart canvas" },
    { name: "charts beside the list", path: "/w/default/runs?charts=1", ready: ".runs-charts .chart canvas" },
    { name: `a log of ${GIGABYTES} GB`, path: `/runs/${log}/logs`, ready: ".log-row" },
  ];
}

async function main(): Promise<void> {
  const roost = await Roost.start();
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGUMENTS, headless: true });
  let worst = 0;
  try {
    for (const { name, path, ready } of await pages(roost)) {
      const longest: number[] = [];
      for (let i = 0; i < TIMES; i += 1) {
        const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
        const tab = await Tab.open(context, roost);
        await tab.logIn();
        const longestOf = await noteTasks(tab.page);
        await tab.go(path);
        await tab.page.locator(ready).first().waitFor();
        await tab.settled();
        await tab.page.mouse.move(700, 450);
        await tab.page.mouse.wheel(0, -400);
        longest.push(await longestOf());
        await context.close();
      }
      worst = Math.max(worst, ...longest);
      console.log(`${name}: longest task ${longest.join(", ")} ms`);
    }
  } finally {
    await browser.close();
    await roost.close();
  }
  if (worst >= LONGEST) throw new Error(`a task held up the main thread for ${worst} ms; ${LONGEST} are too many`);
}

await main();
