// Models: versions, lineage, stage, tags, download.
import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
let runs: string[] = [];
const NAME = "bird-net";
beforeAll(async () => {
  const { roost } = studio;
  for (const weights of ["one", "two"]) {
    const run = await roost.python(`import os\nos.makedirs("outputs/model", exist_ok=True)\nopen("outputs/model/weights.pt", "w").write("${weights}" * 1000)`, [], { name: `trains ${weights}`, experiment: "birds" });
    await roost.wait(run, "Completed");
    await roost.cli("model", "register", NAME, "--run", run, "--path", "outputs/model", "--framework", "PyTorch", "--tag", `size=${weights}`);
    runs.push(run);
  }
});

test("the list, a model, its lineage back to the run", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("link", { name: "Models", exact: true }).click();
  await page.getByRole("region", { name: "Models" }).getByRole("link", { name: NAME }).click();
  await page.getByRole("heading", { name: NAME, level: 1 }).waitFor();
  const lineage = page.getByRole("region", { name: "Lineage" });
  await lineage.getByRole("link", { name: "Run trains one, Completed" }).waitFor();
  await lineage.getByRole("link", { name: "Run trains two, Completed" }).waitFor();
  expect(await lineage.getByText("No deployment serves it").count()).toBe(1);
  expect(await page.getByRole("region", { name: "Versions" }).getByRole("row").count()).toBe(3);
  await lineage.getByRole("link", { name: "Version 1", exact: true }).click();
  expect(new URL(page.url()).searchParams.get("version")).toBe("1");
  await page.getByText("size=one").first().waitFor();
  await lineage.getByRole("link", { name: "Run trains one, Completed" }).click();
  await page.getByRole("heading", { name: "trains one", level: 1 }).waitFor();
  // And from the run back to the model.
  await page.getByRole("link", { name: `${NAME}, version 1` }).waitFor();
});

test("a model that is registered meanwhile is there when one comes back to the tab", async () => {
  const tab = await studio.tab();
  await tab.go("/w/default/models");
  const models = tab.page.getByRole("region", { name: "Models" });
  await models.getByRole("link", { name: NAME }).waitFor();
  await studio.roost.cli("model", "register", "late-net", "--run", runs[0]!, "--path", "outputs/model");
  expect(await models.getByRole("link", { name: "late-net" }).count()).toBe(0);
  await tab.page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await models.getByRole("link", { name: "late-net" }).waitFor();
});

test("a file of a version is downloaded as it was stored", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/w/default/models/${NAME}?version=2`);
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("link", { name: /Download .*weights\.pt/ }).click()]);
  expect(download.suggestedFilename()).toBe("weights.pt");
  const bytes = Buffer.concat(await (await download.createReadStream()).toArray());
  expect(bytes.toString()).toBe("two".repeat(1000));
  const digest = createHash("sha256").update(bytes).digest("hex");
  await page.getByRole("button", { name: new RegExp(digest.slice(0, 12)) }).waitFor();
});

test("stage, description and tags are edited; a version is deleted", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  const version = () => studio.roost.call("GET", `/workspaces/default/models/${NAME}?version=2`);
  await tab.go(`/w/default/models/${NAME}?version=2`);
  await page.getByLabel("Stage", { exact: true }).selectOption("Production");
  await tab.until("the stage is kept", async () => JSON.stringify((await version()).tags).includes("Production"));
  await page.getByRole("button", { name: /the description$/ }).click();
  await page.getByLabel("The description").fill("tells **birds** apart");
  await page.getByRole("button", { name: "Save" }).click();
  await tab.until("the description is kept", async () => (await version()).description === "tells **birds** apart");
  await page.locator(".markdown strong").getByText("birds").waitFor();
  await page.getByRole("region", { name: "Facts" }).getByRole("button", { name: "+ tag" }).click();
  await page.getByLabel("Tag, as key or key=value").fill("seen=yes");
  await page.keyboard.press("Enter");
  await tab.until("the tag is kept", async () => (await version()).tags.seen === "yes");
  await tab.go("/w/default/models?stage=Production");
  await page.getByRole("link", { name: NAME }).waitFor();

  await tab.go(`/w/default/models/${NAME}?version=1`);
  await page.getByRole("button", { name: "Delete version 1" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await tab.until("version 1 is gone", async () => (await studio.roost.call("GET", `/workspaces/default/models?name=${NAME}`)).items.length === 1);
  await page.getByRole("heading", { name: NAME, level: 1 }).waitFor();
});
