// An endpoint that really serves: deployed from the model's page, asked with a picture, split, rolled back, deleted.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { colourModel } from "./onnx_model";
import { useStudio } from "./studio";

const studio = useStudio();

beforeAll(async () => {
  const { roost } = studio;
  const file = join(roost.folder, "model.onnx");
  writeFileSync(file, colourModel());
  for (const _ of ["first", "second"]) await roost.cli("model", "register", "colours", file, "--tag", "labels=red,green,blue");
});

test("from a model to an answer, and back", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  const deploy = async (version: number, deployment: string) => {
    await tab.go(`/w/default/models/colours?version=${version}`);
    await page.getByRole("button", { name: "Deploy …" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Deployment").fill(deployment);
    await dialog.getByRole("button", { name: "Deploy" }).click();
    await page.getByRole("heading", { name: "colours", level: 1 }).waitFor();
    await page.getByRole("article", { name: `Deployment ${deployment}` }).getByText("1 of 1 ready").waitFor({ timeout: 60_000 });
  };
  await deploy(1, "blue");
  await page.locator('.head [data-status="Healthy"]').waitFor();

  await page.getByRole("link", { name: "Try it" }).click();
  const body = page.getByLabel("Body");
  await tab.until("the sample is there", async () => (await body.inputValue()).includes('"picture"'));
  expect(JSON.parse(await body.inputValue())).toEqual({ inputs: [{ name: "picture", shape: [1, 3, 32, 32], datatype: "FP32", data: "zeros" }] });
  await page.getByRole("button", { name: "Picture", exact: true }).click();
  const drawn = await page.evaluate(async () => {
    const canvas = new OffscreenCanvas(60, 40);
    const context = canvas.getContext("2d")!;
    context.fillStyle = "rgb(20, 240, 60)";
    context.fillRect(0, 0, 60, 40);
    return [...new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer())];
  });
  await page.getByLabel("Picture", { exact: true }).setInputFiles({ name: "green.png", mimeType: "image/png", buffer: Buffer.from(drawn) });
  await page.getByRole("group", { name: "Values" }).getByRole("button", { name: "0 to 255" }).click();
  const answer = page.getByRole("region", { name: "Answer" });
  for (const as of ["v2 binary", "v2 JSON"]) {
    await page.getByRole("group", { name: "Sent as" }).getByRole("button", { name: as }).click();
    await page.getByRole("button", { name: "Send" }).click();
    await tab.until("the greatest is green", async () => (await answer.locator(".endpoint-top li").first().innerText().catch(() => "")).startsWith("green"));
    await answer.getByText("from blue").waitFor();
    expect(await answer.locator(".code").innerText()).toContain("[20,240,60]");
  }

  await deploy(2, "green");
  await page.getByRole("slider", { name: "Traffic to green" }).fill("25");
  await page.getByRole("button", { name: "Apply …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await page.getByText("blue 75 %, green 25 %").first().waitFor();
  await page.getByRole("button", { name: "Roll back …" }).click();
  await page.getByRole("dialog").getByRole("radio").first().waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Roll back" }).click();
  await page.getByText("blue 100 %").first().waitFor();

  await page.getByRole("link", { name: "Logs", exact: true }).first().click();
  await page.getByRole("region", { name: "Log of the replica" }).waitFor();
  await page.getByRole("link", { name: "Overview" }).click();
  const counted = async () => Number(/(\d+) requests/.exec(await page.getByRole("article", { name: "Deployment blue" }).innerText())?.[1]);
  await tab.until("the requests are counted", async () => (await counted()) >= 2);

  // A question that was on its way as it went.
  tab.allow(/status of 404/);
  await page.getByRole("button", { name: "Delete …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No endpoints yet" }).waitFor();
  await tab.go("/w/default/models/colours?version=1");
  await page.getByText("No deployment serves it").waitFor();
}, 240_000);
