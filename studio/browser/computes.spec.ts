// Computes: limits edited, the server's refusal told, and why runs wait.
import { beforeAll, expect, test } from "vitest";
import { gated } from "./scripts";
import { useStudio } from "./studio";

const studio = useStudio();

beforeAll(async () => {
  await studio.roost.cli("compute", "create", "farm", "--vm-size", "STANDARD_D2_V2", "--max-nodes", "2");
});
const farm = () => studio.roost.call("GET", "/workspaces/default/computes/farm");

test("limits are edited and kept", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/computes");
  await page.getByRole("button", { name: "Edit the limits of farm" }).click();
  const box = page.getByRole("dialog", { name: "Limits of farm" });
  await box.getByLabel("Most nodes").fill("5");
  await box.getByLabel("Idle seconds").fill("300");
  await box.getByRole("button", { name: "Save" }).click();
  await box.waitFor({ state: "detached" });
  await page.getByRole("article", { name: "farm" }).getByText("0 to 5").waitFor();
  expect(await farm()).toMatchObject({ min_nodes: 0, max_nodes: 5, idle_seconds_before_scaledown: 300 });
});

test("limits that make no sense cannot be saved, and what the server refuses is told", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/computes/farm");
  await page.getByRole("button", { name: "Edit limits" }).click();
  const box = page.getByRole("dialog", { name: "Limits of farm" });
  await box.getByLabel("Least nodes").fill("9");
  await box.getByText("Not more than the most, which is 5.").waitFor();
  expect(await box.getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
  expect(await box.getByLabel("Least nodes").getAttribute("aria-invalid")).toBe("true");

  // Meanwhile someone else lowered the maximum: only the server can know.
  await box.getByLabel("Least nodes").fill("4");
  await studio.roost.call("PATCH", "/workspaces/default/computes/farm", { max_nodes: 3 });
  tab.allow(/status of 4\d\d/);
  await box.getByRole("button", { name: "Save" }).click();
  expect(await box.getByRole("alert").innerText()).toMatch(/min_nodes|max_nodes/);
  expect(await farm()).toMatchObject({ min_nodes: 0, max_nodes: 3 });
});

test("a queued run says why it waits, live", async () => {
  const { roost } = studio;
  await roost.cli("compute", "create", "single", "--vm-size", "STANDARD_D2_V2", "--max-nodes", "1");
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/computes/single");
  await tab.mark();
  await page.getByText(/Nothing waits for nodes/).waitFor();
  const held = gated(roost, 'gate("go")');
  const first = await roost.python(held.source, [], { compute: "single", name: "holds the node", env: held.env });
  const queue = page.getByRole("region", { name: "Queue" });
  await queue.getByRole("row").filter({ hasText: "holds the node" }).locator("[data-status=Running]").waitFor();
  await roost.python("pass", [], { compute: "single", name: "has to wait" });
  const row = queue.getByRole("row").filter({ hasText: "has to wait" });
  await row.waitFor();
  const [reason] = (await roost.call("GET", "/workspaces/default/queue?compute=single")).items.filter((item: any) => item.display_name === "has to wait");
  expect(reason.reason).toBeTruthy();
  await row.getByText(reason.reason).waitFor();
  expect(await page.getByRole("region", { name: "Nodes" }).getByRole("row").count()).toBeGreaterThan(1);
  held.open("go");
  await roost.wait(first, "Completed");
  await row.waitFor({ state: "detached" });
  expect(await tab.isMarked()).toBe(true);
});

test("a compute is made and deleted", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/computes");
  await page.getByRole("button", { name: "New compute" }).click();
  const box = page.getByRole("dialog", { name: /New compute|Make a compute/ });
  await box.getByLabel("Name").fill("made-here");
  await box.getByRole("button", { name: /Create|Make/ }).click();
  await box.waitFor({ state: "detached" });
  expect((await studio.roost.api("GET", "/workspaces/default/computes/made-here")).status).toBe(200);
  await tab.go("/w/default/computes/made-here");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "Computes", level: 1 }).waitFor();
  await tab.until("it is gone", async () => (await studio.roost.api("GET", "/workspaces/default/computes/made-here")).status === 404);
});
