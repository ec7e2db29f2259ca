// Running something again: a dialog says what will run, and nothing starts before it is told to.
import { beforeAll, expect, test } from "vitest";
import type { Run } from "./roost";
import { useStudio } from "./studio";

const studio = useStudio();
const SECRET = "nobody-is-shown-this";
let run = "";

beforeAll(async () => {
  const { roost } = studio;
  await roost.call("POST", "/workspaces/default/computes", { name: "second", max_nodes: 1 });
  run = await roost.python("import os, sys\nprint(sys.argv[1:], os.environ.get('MODE'), os.environ['HF_TOKEN'])", ["--lr", "0.5", "--note", "two words"], {
    name: "the first",
    experiment: "birds",
    env: { HF_TOKEN: SECRET },
  });
  await roost.wait(run, "Completed");
});

const newest = async (): Promise<Run> => (await studio.roost.call("GET", "/workspaces/default/runs?limit=1")).items[0];

test("a run is started again only by the button of the dialog, and as it was written there", async () => {
  const { roost } = studio;
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${run}`);
  await page.getByRole("button", { name: "Run again …" }).click();
  const dialog = page.getByRole("dialog", { name: "Run it again" });
  await dialog.getByText("Nothing differs").waitFor();
  const before = await roost.run(run);
  expect(await dialog.innerText()).toContain(before.snapshot!.slice(0, 12));
  const command = dialog.getByRole("textbox", { name: "Command" });
  expect(await command.inputValue()).toBe("python train.py --lr 0.5 --note 'two words'");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect((await newest()).id).toBe(run);

  await page.getByRole("button", { name: "Run again …" }).click();
  await command.fill("python train.py --lr 0.1");
  await dialog.getByRole("combobox", { name: "Compute" }).selectOption("second");
  await dialog.getByRole("textbox", { name: "Variables" }).fill("MODE=quick");
  const differs = dialog.getByRole("region", { name: "What differs" });
  await differs.getByRole("row", { name: /environment_variables\.MODE – quick/ }).waitFor();
  await differs.getByRole("row", { name: /compute local second/ }).waitFor();
  expect((await newest()).id).toBe(run);
  expect(await page.content()).not.toContain(SECRET);
  await dialog.getByRole("button", { name: "Run it" }).click();
  // The new run has the name of the first: its address tells them apart.
  await page.waitForURL((url) => url.pathname !== `/runs/${run}`);
  await page.getByRole("heading", { name: "the first", level: 1 }).waitFor();
  const made = await newest();
  expect(made.id).not.toBe(run);
  expect(new URL(page.url()).pathname).toContain(made.id);
  const ended = await roost.wait(made.id, "Completed");
  expect(ended.compute).toBe("second");
  expect(ended.properties["roost.rerun_of"]).toBe(run);
  expect((await roost.api("GET", `/runs/${made.id}/logs/output`)).text).toBe("['--lr', '0.1'] quick ***\n");
});

test("what cannot be is said in the dialog, and does not start", async () => {
  const tab = await studio.tab();
  tab.allow(/status of 40\d/);
  const { page } = tab;
  const before = (await newest()).id;
  await tab.go(`/runs/${run}`);
  await page.getByRole("button", { name: "Run again …" }).click();
  const dialog = page.getByRole("dialog", { name: "Run it again" });
  const start = dialog.getByRole("button", { name: "Run it" });
  await dialog.getByText("Nothing differs").waitFor();
  await dialog.getByRole("textbox", { name: "Nodes" }).fill("none");
  await dialog.getByText("A whole number").waitFor();
  expect(await start.isDisabled()).toBe(true);
  await dialog.getByRole("textbox", { name: "Nodes" }).fill("77");
  await dialog.getByText(/wants 77 nodes/).waitFor();
  expect(await start.isDisabled()).toBe(true);
  await dialog.getByRole("textbox", { name: "Nodes" }).fill("1");
  await dialog.getByRole("textbox", { name: "Environment" }).fill("nobodys-env:4");
  await dialog.getByText(/nobodys-env/).last().waitFor();
  await tab.until("it is off", async () => start.isDisabled());
  expect((await newest()).id).toBe(before);
});

test("the code of a run that cannot be repeated is run from its page", async () => {
  const { roost } = studio;
  const { snapshot } = await roost.run(run);
  const made = await roost.call("POST", "/workspaces/default/runs", { experiment: "notebook", interactive: true, snapshot });
  await roost.call("POST", `/runs/${made.id}/complete`);
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${made.id}/code`);
  await page.getByRole("button", { name: "Run this code …" }).click();
  const dialog = page.getByRole("dialog", { name: "Run this code" });
  expect(await dialog.getByRole("textbox", { name: "Command" }).inputValue()).toBe("python train.py");
  await dialog.getByRole("textbox", { name: "Command" }).fill("echo started from the page");
  await dialog.getByRole("button", { name: "Run it" }).click();
  await tab.until("the run is there", async () => (await newest()).experiment === "notebook" && (await newest()).id !== made.id);
  const begun = await roost.wait((await newest()).id, "Completed");
  expect(begun.snapshot).toBe(snapshot);
  expect((await roost.api("GET", `/runs/${begun.id}/logs/output`)).text).toBe("started from the page\n");
});

test("it fits a telephone", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.setViewportSize({ width: 375, height: 700 });
  await tab.go(`/runs/${run}`);
  await page.getByRole("button", { name: "Run again …" }).click();
  const dialog = page.getByRole("dialog", { name: "Run it again" });
  await dialog.getByText("Nothing differs").waitFor();
  const box = await dialog.boundingBox();
  expect(box!.x).toBeGreaterThanOrEqual(0);
  expect(box!.x + box!.width).toBeLessThanOrEqual(375);
});
