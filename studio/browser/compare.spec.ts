// Three runs side by side: curves, parameters and metrics with their differences, code.
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();

const TRAIN = (note: string) => `
import sys
from azureml.core import Run
run = Run.get_context()
lr = float(sys.argv[2])
# ${note}
for step in range(30):
    run.log("loss", 1 / (1 + step * lr))
run.log("accuracy", lr * 2)
`;

let ids: string[] = [];
beforeAll(async () => {
  const { roost } = studio;
  ids = await Promise.all(
    [0.1, 0.2, 0.3].map((lr) => roost.python(TRAIN(lr === 0.3 ? "another comment" : "a comment"), ["--lr", String(lr), "--seed", "7"], { name: `rate ${lr}`, experiment: "rates" })),
  );
  await Promise.all(ids.map((id) => roost.wait(id, "Completed")));
});

test("select three in the table and compare them", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  for (const name of ["rate 0.1", "rate 0.2", "rate 0.3"]) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
  await page.getByRole("toolbar", { name: "Selected runs" }).getByRole("button", { name: "Compare" }).click();
  await page.getByRole("heading", { name: "Compare 3 runs" }).waitFor();
  expect(new URL(page.url()).searchParams.getAll("run").sort()).toEqual([...ids].sort());

  // Curves: one chart with a curve of each run.
  const chart = page.getByRole("figure").filter({ hasText: "loss" });
  await chart.locator("canvas").waitFor();
  for (const name of ["rate 0.1", "rate 0.2", "rate 0.3"]) await chart.locator(".chart-legend").getByText(name).waitFor();

  // Table: what differs is marked, what does not is not.
  await page.getByRole("link", { name: "Table", exact: true }).click();
  const line = (name: string) => page.getByRole("region", { name: "Runs side by side" }).getByRole("row").filter({ has: page.getByRole("rowheader", { name }) });
  await line("lr").waitFor();
  expect(await line("lr").getAttribute("class")).toContain("compare-differs");
  expect(await line("lr").getByRole("cell").allInnerTexts()).toEqual(expect.arrayContaining(["0.1", "0.2", "0.3"]));
  expect(await line("seed").getAttribute("class")).not.toContain("compare-differs");
  expect(await line("accuracy").first().innerText()).toMatch(/0\.6/);
  await page.getByRole("checkbox", { name: "Only differences" }).check();
  await line("seed").waitFor({ state: "detached" });
  await line("lr").waitFor();

  // The other views.
  await page.getByRole("link", { name: "Parallel coordinates" }).click();
  await page.locator("main svg path, main canvas").first().waitFor();
  await page.getByRole("link", { name: "Scatter" }).click();
  await page.locator("main svg circle, main canvas").first().waitFor();
  await page.getByRole("link", { name: "Environment", exact: true }).click();
  await page.getByRole("button", { name: "Swap" }).waitFor();
});

test("the code of two of them differs in one line", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  const [a, b] = [ids[0]!, ids[2]!];
  await tab.go(`/w/default/compare?run=${a}&run=${b}&view=code`);
  await page.getByText("# another comment").waitFor();
  await page.getByText("# a comment").waitFor();
  await tab.go(`/w/default/compare?run=${a}&run=${ids[1]}&view=code`);
  await page.getByText("Both runs have the same code").waitFor();
});

test("one run or none says what to do; a run that is not there is told", async () => {
  const tab = await studio.tab();
  tab.allow(/status of 404/);
  await tab.go("/w/default/compare");
  await tab.page.getByRole("heading", { name: "Nothing to compare yet" }).waitFor();
  await tab.page.getByRole("button", { name: "Add runs" }).first().click();
  await tab.page.getByRole("button", { name: "Add rate 0.1" }).click();
  await tab.page.getByRole("button", { name: "Add rate 0.2" }).click();
  await tab.page.keyboard.press("Escape");
  await tab.page.getByRole("heading", { name: "Compare 2 runs" }).waitFor();
  await tab.go(`/w/default/compare?run=${ids[0]}&run=no_such_run`);
  await tab.page.getByRole("alert").filter({ hasText: "no_such_run" }).waitFor();
});
