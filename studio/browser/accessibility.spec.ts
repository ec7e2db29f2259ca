// axe on every page, light and dark, wide and narrow: nothing serious.
import { beforeAll, expect, test } from "vitest";
import { ALL_RULES, findings, findingsOfPage } from "./axe";
import { LISTS, TABS } from "./pages";
import { ONE_RANK_FAILS } from "./scripts";
import { useStudio } from "./studio";

const studio = useStudio();

let addresses: { name: string; path: string }[] = [];
beforeAll(async () => {
  const { roost } = studio;
  const train = `
import os, sys
from azureml.core import Run
run = Run.get_context()
for i in range(50):
    run.log("train/loss", 1 / (i + 1))
    run.log("epoch", i // 10)
run.log_row("rows", a=1, b="two")
run.log_confusion_matrix("matrix", {"schema_type": "confusion_matrix", "schema_version": "v1", "data": {"class_labels": ["a", "b"], "matrix": [[1, 2], [3, 4]]}})
print("\\x1b[31mred\\x1b[32mgreen\\x1b[33myellow\\x1b[34mblue\\x1b[35mmagenta\\x1b[36mcyan\\x1b[90mgrey\\x1b[0m")
os.makedirs("outputs", exist_ok=True)
open("outputs/facts.json", "w").write('{"a": [1, "two", null, true]}')
open("outputs/table.csv", "w").write("a,b\\n1,x\\n")
open("outputs/page.html", "w").write("<!doctype html><html lang=en><title>t</title><h1>Page</h1>")
with run.child_run(name="child") as child:
    child.log("score", 1)
`;
  await roost.cli("compute", "create", "farm", "--vm-size", "STANDARD_D2_V2", "--max-nodes", "1");
  const [good, twin, failed] = await Promise.all([
    roost.python(train, ["--lr", "0.1"], { name: "good", tags: { owner: "anna" } }, { "util.py": "def f():\n    return 'x'  # y\n" }),
    roost.python(train.replace("50", "40"), ["--lr", "0.2"], { name: "twin" }),
    roost.python(ONE_RANK_FAILS, [], { name: "failed", nodes: 2, processes: 4 }),
  ]);
  await Promise.all([roost.wait(good, "Completed"), roost.wait(twin, "Completed"), roost.wait(failed, "Failed")]);
  const search = await roost.sweep("parameter_space: {lr: {uniform: [0, 1]}, opt: [adam, sgd]}\nsampling: {type: random, seed: 1}\nmetric: train/loss\ngoal: minimize\nmax_total_runs: 10", "from azureml.core import Run\nRun.get_context().log('train/loss', 1)");
  await roost.wait(search, "Completed");
  await roost.python("import time\ntime.sleep(600)", [], { name: "holds", compute: "farm" });
  await roost.python("pass", [], { name: "waits", compute: "farm" });
  await roost.cli("model", "register", "bird-net", "--run", good, "--path", "outputs", "--tag", "stage=Production");
  await roost.call("POST", "/workspaces/default/environments", { name: "birds-env", definition: { name: "birds-env", python: { condaDependencies: { dependencies: ["python=3.11", { pip: ["pillow"] }] } } } });
  const lists = LISTS.filter((one) => one.name !== "compare");
  addresses = [
    { name: "login", path: "/login" },
    ...lists,
    { name: "runs grouped", path: "/w/default/runs?group=status&open=g%3ACompleted" },
    { name: "nothing found", path: "/w/default/runs?q=nothing-at-all" },
    { name: "charts beside the runs", path: "/w/default/runs?charts=1" },
    { name: "groups of runs in charts", path: "/w/default/runs?charts=1&group=params.lr&panel=kind:box~train/loss" },
    { name: "compare bars", path: `/w/default/compare?run=${good}&run=${twin}&panel=kind:bars~train/loss` },
    ...["curves", "table", "media", "parallel", "scatter", "code", "environment"].map((view) => ({ name: `compare ${view}`, path: `/w/default/compare?run=${good}&run=${twin}&view=${view}` })),
    ...TABS.map((tab) => ({ name: `run ${tab || "overview"}`, path: `/runs/${good}${tab && `/${tab}`}` })),
    { name: "sweep", path: `/sweeps/${search}` },
    { name: "failed run", path: `/runs/${failed}` },
    { name: "failed log", path: `/runs/${failed}/logs?rank=2&find=first-error` },
    { name: "failed ranks", path: `/runs/${failed}/ranks` },
    { name: "log search", path: `/runs/${failed}/logs?rank=0&text=loss` },
    ...["facts.json", "table.csv", "page.html"].map((file) => ({ name: `output ${file}`, path: `/runs/${good}/outputs/outputs/${file}` })),
    { name: "code diff", path: `/runs/${good}/code/train.py?against=${twin}` },
    { name: "model", path: "/w/default/models/bird-net" },
    { name: "compute", path: "/w/default/computes/farm" },
    { name: "environment", path: "/w/default/environments/birds-env" },
    { name: "no such run", path: "/runs/nothing" },
    { name: "no such sweep", path: "/sweeps/nothing" },
    { name: "no such endpoint", path: "/w/default/endpoints/nothing" },
  ];
});

for (const scheme of ["light", "dark"] as const) {
  for (const [width, height] of [
    [1280, 800],
    [375, 800],
  ] as const) {
    test(`no serious finding: ${scheme}, ${width} px`, async () => {
      const tab = await studio.tab({ viewport: { width, height }, colorScheme: scheme });
      tab.allow(/status of 404/);
      const all: string[] = [];
      for (const { name, path } of addresses) {
        await tab.go(path);
        await tab.page.getByRole("heading", { level: 1 }).or(tab.page.locator(".empty")).first().waitFor();
        // The structure of a page does not depend on its colours.
        const found = await findingsOfPage(tab, scheme === "light" ? ALL_RULES : ["color-contrast"]);
        all.push(...found.map((one) => `${name} (${path}): ${one}`));
      }
      if (all.length > 0) console.error(all.join("\n\n"));
      expect(all.map((one) => one.split("\n")[0])).toEqual([]);
    }, 240_000);
  }
}

test("no serious finding in what opens on a click", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  const all: string[] = [];
  const look = async (name: string) => all.push(...(await findings(tab)).map((one) => `${name}: ${one}`));
  await page.locator("[data-run]").first().waitFor();
  await page.getByRole("button", { name: "Columns" }).click();
  await look("columns");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Views" }).click();
  await look("views");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /Edit the tags of good/ }).click();
  await look("tags");
  await page.keyboard.press("Escape");
  await page.getByRole("checkbox", { name: "Select good" }).check();
  await look("selection");
  await page.getByRole("combobox", { name: "Search runs" }).fill("sta");
  await page.getByRole("listbox", { name: "Suggestions" }).getByRole("option").first().waitFor();
  await look("completion");
  await page.keyboard.press("Escape");
  await tab.go("/w/default/computes/farm");
  await page.getByRole("button", { name: "Edit limits" }).click();
  await look("limits");
  await tab.go("/w/default/computes");
  await page.getByRole("button", { name: "New compute" }).click();
  await look("new compute");
  await tab.go("/w/default/tokens");
  await page.getByRole("button", { name: "New token" }).click();
  await look("new token");
  if (all.length > 0) console.error(all.join("\n\n"));
  expect(all.map((one) => one.split("\n")[0])).toEqual([]);
});
