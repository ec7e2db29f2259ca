// The code of a run as it was, and how it differs from another run's.
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
let [first, second] = ["", ""];
beforeAll(async () => {
  const { roost } = studio;
  const train = (epochs: number) => `import util\n\n\ndef train():\n    """Trains."""\n    return util.add(1, ${epochs})\n\n\nprint(train())\n`;
  const util = "def add(a, b):\n    return a + b\n";
  [first, second] = await Promise.all([
    roost.python(train(10), [], { name: "before" }, { "util.py": util, "conf/settings.yaml": "epochs: 10\n" }),
    roost.python(train(20), [], { name: "after" }, { "util.py": util, "extra.md": "# New\n" }),
  ]);
  await Promise.all([first, second].map((id) => roost.wait(id, "Completed")));
});

test("files are browsed with colours and lines that can be linked to", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${first}/code`);
  await page.getByRole("heading", { name: "train.py" }).waitFor();
  await page.locator(".code .hl-keyword", { hasText: "def" }).first().waitFor();
  await page.getByRole("treeitem", { name: /settings\.yaml/ }).click();
  await page.getByRole("region", { name: "Contents of conf/settings.yaml" }).getByText("epochs").waitFor();
  await page.getByRole("treeitem", { name: /train\.py/ }).click();
  await page.getByRole("button", { name: "Line 6" }).click();
  expect(new URL(page.url()).searchParams.get("line")).toBe("6");
  await page.reload();
  expect(await page.locator(".code-line.marked").innerText()).toContain("return util.add(1, 10)");
});

test("the differences to another run, which is picked by name", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${second}/code`);
  await page.getByRole("combobox", { name: "Compare with another run" }).fill("before");
  await page.getByRole("option", { name: /before/ }).click();
  const files = page.getByRole("navigation", { name: "Files that differ" });
  await files.getByText("3 files differ").waitFor();
  expect((await files.getByRole("link").allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim())).toEqual([
    expect.stringContaining("conf/settings.yaml"),
    expect.stringContaining("extra.md"),
    expect.stringContaining("train.py"),
  ]);
  await files.getByRole("link", { name: /train\.py/ }).click();
  const diff = page.getByRole("region", { name: "Changes of train.py" });
  expect(await diff.locator("tr.removed").innerText()).toContain("util.add(1, 10)");
  expect(await diff.locator("tr.added").innerText()).toContain("util.add(1, 20)");
  await page.reload();
  await diff.locator("tr.added").waitFor();
  await page.getByRole("button", { name: "Stop comparing" }).click();
  await page.getByRole("region", { name: "Contents of train.py" }).waitFor();
});

test("the environment of a run, and its differences", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${first}/environment`);
  await page.getByRole("region", { name: "What it is" }).getByText("/usr/bin/python3").waitFor();
  await tab.go(`/runs/${first}/environment?against=${second}`);
  await page.getByRole("heading", { name: "The environments are the same" }).waitFor();
});
