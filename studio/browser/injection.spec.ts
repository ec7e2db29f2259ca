// Every string that a user controls is text: no element comes of it, no script runs, nothing is loaded.
import { beforeAll, expect, test } from "vitest";
import type { Tab } from "./page";
import { TABS } from "./pages";
import { useStudio } from "./studio";

const studio = useStudio();

const IMG = "<img src=x onerror=window.__pwned=1>";
const SCRIPT = '"><script>window.__pwned=1</script>';
const LINK = "javascript:window.__pwned=1";
const ALL = `${IMG}${SCRIPT}'"\`\${1}{{2}}`;
// A name of a file has no slash.
const FILE = `${IMG}.txt`;

const SOURCE = `
import os, sys
from azureml.core import Run
run = Run.get_context()
IMG = ${JSON.stringify(IMG)}
ALL = ${JSON.stringify(ALL)}
LINK = ${JSON.stringify(LINK)}
for i in range(3):
    run.log(ALL, i)
    run.log("x/" + IMG, i)
run.log_row("row " + IMG, **{IMG: ALL})
run.log_table("table " + IMG, {IMG: [ALL, IMG]})
run.log_confusion_matrix("matrix " + IMG, {"schema_type": "confusion_matrix", "schema_version": "v1", "data": {"class_labels": [IMG, ALL], "matrix": [[1, 2], [3, 4]]}})
run.tag("from script", ALL)
print(ALL)
print("\\x1b[31m" + ALL + "\\x1b[0m")
print("\\x1b]8;;" + LINK + "\\x1b\\\\\\\\click\\x1b]8;;\\x1b\\\\\\\\ \\x1b]0;" + IMG + "\\x07 \\x1b[" + IMG + "m \\x1bP" + IMG + "\\x1b\\\\\\\\ \\x9b31m" + IMG)
print("half\\r" + IMG)
os.makedirs("outputs", exist_ok=True)
def write(name, text):
    with open(os.path.join("outputs", name), "w") as file:
        file.write(text)
write(${JSON.stringify(FILE)}, ALL)
write("page.html", "<h1 id=t>t</h1>" + ALL + "<svg onload='parent.__pwned=1'></svg><meta http-equiv=refresh content='0;url=javascript:parent.__pwned=1'>")
write("drawing.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20' onload='window.__pwned=1'><script>window.__pwned=1</script><rect width='20' height='20'/></svg>")
write("facts.json", '{"' + IMG.replace('"', "'") + '": "<script>window.__pwned=1<\\\\/script>"}')
write("table.csv", IMG + ",b\\n" + IMG + ",2\\n")
write("notes.md", ALL + "\\n[click](" + LINK + ")\\n")
write("book.ipynb", '{"cells": [{"cell_type": "markdown", "source": ["' + IMG + '"]}]}')
with run.child_run(name=IMG) as child:
    child.log(IMG, 1)
sys.stdout.flush()
raise ValueError(ALL)
`;

let run = "";
let other = "";
beforeAll(async () => {
  const { roost } = studio;
  const first = await roost.python(SOURCE, [], { name: "source" }, { [`${IMG}.py`]: `# ${ALL}\n`, "page.html": ALL });
  await roost.wait(first, "Failed");
  const { snapshot, spec } = await roost.run(first);
  const made = await roost.call("POST", "/workspaces/default/runs", {
    experiment: "injected",
    snapshot,
    display_name: ALL,
    command: `python train.py --lr '${IMG}' '--<u>under' 1`,
    environment: spec.environment,
    environment_variables: { PAYLOAD: ALL },
    tags: { [IMG]: ALL, link: LINK, [SCRIPT]: null },
    properties: { [IMG]: ALL, link: LINK },
    git: { repository_uri: LINK, branch: ALL, commit: IMG, dirty: true },
  });
  run = made.id;
  other = first;
  await roost.wait(run, "Failed");
  await roost.call("POST", "/workspaces/default/models", {
    name: "injected", run: first, path: "outputs", description: ALL, tags: { [IMG]: ALL, stage: IMG }, properties: { [IMG]: ALL }, framework: IMG, framework_version: SCRIPT, datasets: [{ name: IMG }],
  });
  await roost.call("POST", "/workspaces/default/environments", {
    name: "injected",
    definition: { name: "injected", python: { userManagedDependencies: true, interpreterPath: IMG, condaDependencies: { dependencies: [IMG, { pip: [ALL] }] } }, docker: { baseImage: LINK }, environmentVariables: { [IMG]: ALL } },
  });
  await roost.call("PUT", `/workspaces/default/views/${encodeURIComponent(IMG)}`, { state: `q=${encodeURIComponent(IMG)}` });
  await roost.call("POST", "/tokens", { name: IMG, role: "reader" });
  await roost.call("PATCH", "/workspaces/default/experiments/injected", { tags: { [IMG]: ALL } });
});

/** Nothing on the page was made of a payload, in any frame. */
async function clean(tab: Tab, shown: string | null = IMG): Promise<void> {
  const { page } = tab;
  await tab.settled();
  if (shown !== null) await tab.until(`${shown} is shown as text on ${page.url()}`, async () => (await page.locator("body").innerText()).includes(shown) || (await page.locator("body").textContent())!.includes(shown), 10);
  const found = await page.evaluate(() => ({
    pwned: "__pwned" in window,
    elements: [...document.querySelectorAll('img[src="x"], [onerror], [onload], main script, main u, iframe:not([sandbox=""]), object, embed, base, meta[http-equiv]')].map((element) => element.outerHTML.slice(0, 100)),
    scripts: [...document.scripts].filter((script) => !script.src.startsWith(`${location.origin}/assets/`) && !script.src.includes("/@vite") && !script.src.includes("/src/")).map((script) => script.outerHTML.slice(0, 100)),
    links: [...document.querySelectorAll("a[href], area[href], [src], form[action], [formaction]")]
      .flatMap((element) => ["href", "src", "action", "formaction"].map((name) => element.getAttribute(name) ?? ""))
      .filter((address) => /^\s*(javascript|data|vbscript):/i.test(address) || /^(https?:)?\/\//.test(address)),
  }));
  expect(found, page.url()).toEqual({ pwned: false, elements: [], scripts: [], links: [] });
}

test("the table, its columns, groups and views", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  // The name of the view is no good query, which is told.
  tab.allow(/status of 400/);
  const column = [`metrics.${ALL}`, `tags.${IMG}`, "params.lr", "tags", "error", "status"].map((one) => `column=${encodeURIComponent(one)}`).join("&");
  await tab.go(`/w/default/runs?${column}&children=1`);
  await clean(tab, ALL);
  await page.getByRole("button", { name: "Views" }).click();
  await page.locator(".runs-views").getByRole("link", { name: IMG, exact: true }).waitFor();
  await clean(tab);
  await page.locator(".runs-views").getByRole("link", { name: IMG, exact: true }).click();
  await clean(tab);
  await tab.go(`/w/default/runs?group=${encodeURIComponent(`tags.${IMG}`)}`);
  await clean(tab, ALL);
  await tab.go("/w/default/runs");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("dialog", { name: "Columns" }).getByText(IMG, { exact: true }).first().waitFor();
  await clean(tab);
  await page.keyboard.press("Escape");
  const box = page.getByRole("combobox", { name: "Search runs" });
  await box.fill("tags.");
  await page.getByRole("option").filter({ hasText: IMG }).first().waitFor();
  await clean(tab);
});

test("what the address holds", async () => {
  const tab = await studio.tab();
  tab.allow(/status of 40\d/);
  const word = encodeURIComponent(IMG);
  for (const path of [`/w/default/runs?q=${word}`, `/w/${word}/runs`, `/runs/${word}`, `/runs/${run}/${word}`, `/w/default/models/${word}`, `/w/default/computes/${word}`, `/w/default/endpoints/${word}`, `/w/default/environments/${word}`, `/w/default/compare?run=${word}&run=${word}2`, `/w/default/${word}`, `/runs/${run}/logs?text=${word}`, `/runs/${run}/outputs/${word}`]) {
    await tab.go(path);
    await clean(tab, null);
  }
});

test("every tab of a run", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  for (const name of TABS) {
    await tab.go(`/runs/${run}${name && `/${name}`}`);
    // The name of the run is above each tab, and the title of the document.
    await clean(tab, ALL);
    expect(await page.title()).toContain(ALL);
    await page.evaluate(() => document.querySelectorAll("main details").forEach((one) => one.setAttribute("open", "")));
    await clean(tab, ALL);
  }
  await tab.go(`/runs/${run}`);
  await clean(tab, `ValueError: ${ALL}`);
  const overview = await page.locator("main").innerText();
  expect(overview).toContain(`ValueError: ${ALL}`);
  expect(overview).toContain(LINK);
});

test("a log with markup and escape codes", async () => {
  const tab = await studio.tab();
  await tab.go(`/runs/${run}/logs`);
  await tab.page.locator(".log-row", { hasText: `ValueError: ${ALL}` }).waitFor();
  await tab.page.getByRole("button", { name: "Start" }).click();
  await tab.page.locator(".log-row", { hasText: ALL }).first().waitFor();
  await tab.page.getByLabel("Search in the log").fill("<img");
  await tab.page.locator(".log-row mark").first().waitFor();
  await tab.page.getByRole("button", { name: "List" }).click();
  await clean(tab);
  expect(await tab.page.locator(".log-view a").count()).toBe(0);
});

test("outputs by name and by content", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  // Only what is in the sandboxed frame is refused by its own policy.
  tab.allow(/page\.html|drawing\.svg|about:srcdoc|'unsafe-inline'|sandboxed/);
  for (const [name, shown] of [[FILE, ALL], ["facts.json", IMG], ["table.csv", IMG], ["notes.md", ALL], ["book.ipynb", null], ["drawing.svg", null], ["page.html", null]] as const) {
    await tab.go(`/runs/${run}/outputs/outputs/${encodeURIComponent(name)}`);
    await page.getByRole("article").waitFor();
    await clean(tab, shown);
    await page.getByRole("treeitem", { name: FILE }).waitFor();
  }
  const frame = page.frameLocator("iframe");
  await frame.locator("#t").waitFor();
  for (const one of page.frames()) expect(await one.evaluate(() => "__pwned" in window)).toBe(false);
  await page.getByRole("button", { name: "Source" }).click();
  await clean(tab, "http-equiv=refresh");
  const [download] = await Promise.all([page.waitForEvent("download"), (async () => {
    await tab.go(`/runs/${run}/outputs/outputs/${encodeURIComponent(FILE)}`);
    await page.getByRole("article").getByRole("link", { name: "Download" }).click();
  })()]);
  expect(await download.failure()).toBeNull();

  // Opened by itself, an SVG with a script is sandboxed by its header.
  await page.goto(`${studio.roost.studio}/api/v1/runs/${run}/artifacts/outputs/drawing.svg?show=inline`);
  expect(await page.evaluate(() => "__pwned" in window)).toBe(false);
  // Without ?show no browser takes a file for a page.
  for (const name of ["page.html", "drawing.svg"]) {
    const answer = await page.request.get(`${studio.roost.studio}/api/v1/runs/${run}/artifacts/outputs/${name}`);
    expect(answer.headers()["content-type"]).not.toMatch(/html|svg/);
    expect(answer.headers()["x-content-type-options"]).toBe("nosniff");
  }
});

test("code, its differences, and the comparison of runs", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${run}/code/${encodeURIComponent(`${IMG}.py`)}`);
  await clean(tab, `# ${ALL}`);
  await tab.go(`/runs/${run}/environment?against=${other}`);
  await clean(tab);
  for (const view of ["curves", "table", "parallel", "scatter", "code", "environment"]) {
    await tab.go(`/w/default/compare?run=${run}&run=${other}&view=${view}`);
    await page.getByRole("list", { name: "Runs compared" }).getByRole("link", { name: ALL }).waitFor();
    await clean(tab, ALL);
  }
});

test("models, experiments, environments, tokens", async () => {
  const tab = await studio.tab();
  for (const [path, shown] of [
    ["models", ALL],
    ["models/injected", ALL],
    ["experiments", ALL],
    ["environments", null],
    ["environments/injected", ALL],
    ["tokens", IMG],
  ] as const) {
    await tab.go(`/w/default/${path}`);
    await clean(tab, shown);
  }
});

test("what the server says about bad input", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  tab.allow(/status of 400/);
  const box = page.getByRole("combobox", { name: "Search runs" });
  await box.fill(`status:"${IMG}"`);
  await box.press("Enter");
  await page.getByRole("alert").or(page.getByText("No run fits")).first().waitFor();
  await clean(tab);
});
