// Runs are deleted into the bin, taken back from the message and from the page Storage, and deleted for good.
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
let ids: string[] = [];
beforeAll(async () => {
  const { roost } = studio;
  ids = await Promise.all(["alpha", "beta"].map((name) => roost.python("print(1)", [], { name, experiment: "birds" })));
  await Promise.all(ids.map((id) => roost.wait(id)));
});

const isGone = async (id: string) => ((await studio.roost.api("GET", `/runs/${id}`)).json as { deleted_at: string | null }).deleted_at !== null;

test("a run is deleted and taken back at once", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  const row = page.locator(`[data-run="${ids[0]}"]`);
  await row.getByRole("checkbox").check();
  await page.getByRole("toolbar", { name: "Selected runs" }).getByRole("button", { name: "Delete" }).click();
  await page.getByText("1 run put into the bin.").waitFor();
  await row.waitFor({ state: "detached" });
  expect(await isGone(ids[0]!)).toBe(true);
  await page.getByRole("button", { name: "Undo" }).click();
  await row.waitFor();
  expect(await isGone(ids[0]!)).toBe(false);
});

test("the bin restores, and can be emptied", async () => {
  const { roost } = studio;
  await Promise.all(ids.map((id) => roost.api("DELETE", `/runs/${id}`)));
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("link", { name: "Storage", exact: true }).click();
  const bin = page.getByRole("region", { name: "In the bin" });
  await bin.getByRole("link", { name: "beta" }).waitFor();
  await bin.getByRole("button", { name: `Restore ${ids[1]}` }).click();
  await bin.getByRole("link", { name: "beta" }).waitFor({ state: "detached" });
  expect(await isGone(ids[1]!)).toBe(false);
  await page.getByRole("button", { name: "Empty the bin" }).click();
  await page.getByRole("dialog", { name: "Empty the bin" }).getByRole("button", { name: "Delete for good" }).click();
  await tab.until("it is gone for good", async () => (await roost.api("GET", `/runs/${ids[0]}`)).status === 404, 15);
});

test("a rule says what it would remove, and is there", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.goto(new URL("/w/default/storage", page.url()).href);
  await page.getByRole("button", { name: "New rule" }).click();
  const form = page.getByRole("dialog", { name: "New retention rule" });
  await form.getByLabel("Name").fill("old-logs");
  await form.getByLabel("Removes").selectOption("logs");
  await form.getByLabel("Days after the end of a run").fill("365");
  await form.getByRole("button", { name: "What would go now?" }).click();
  await form.getByText("It would remove the logs of 0 runs now").waitFor();
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByText("365 days after their end").waitFor();
});
