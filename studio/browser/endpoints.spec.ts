// Endpoints, with made answers: the pages, a request, traffic, keys, and what a reader sees.
import { expect, test } from "vitest";
import type { Request } from "playwright-core";
import { answerOf, madeEndpoints, scored, type MadeEndpoints } from "./endpoint_data";
import { findingsOfPage } from "./axe";
import type { Tab } from "./page";
import { useStudio } from "./studio";

const studio = useStudio();

/** A PNG of one pixel. */
const DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

interface Open {
  tab: Tab;
  made: MadeEndpoints;
  /** Changes that were asked for: method, path below the endpoints, body. */
  changes: [string, string, unknown][];
  /** Requests to the endpoints themselves. */
  calls: Request[];
}

async function open(made = madeEndpoints(), options: Parameters<typeof studio.tab>[0] = {}): Promise<Open> {
  const tab = await studio.tab(options);
  const [changes, calls]: [Open["changes"], Request[]] = [[], []];
  await tab.page.route(/\/api\/v1\/workspaces\/default\/endpoints/, (route) => {
    const request = route.request();
    const url = new URL(request.url());
    const body = request.postDataJSON();
    if (request.method() !== "GET") changes.push([request.method(), url.pathname.replace("/api/v1/workspaces/default/endpoints", ""), body]);
    const { status = 200, json } = answerOf(made, request.method(), url, body)!;
    return route.fulfill({ status, json });
  });
  await tab.page.route(/^http:\/\/[^/]+\/endpoints\//, (route) => {
    calls.push(route.request());
    const { status = 200, json } = scored(new URL(route.request().url()), route.request().headers(), made);
    return route.fulfill({ status, json, headers: { "x-roost-deployment": "blue", "x-roost-version": "bird-net:3", "x-request-id": "r-1" } });
  });
  // Not the list of models.
  await tab.page.route(/\/api\/v1\/workspaces\/default\/models\/[^?]+\?version=/, (route) => route.fulfill({ json: { name: "bird-net", tags: { labels: "chicken,turkey,goose,duck" }, properties: {} } }));
  return { tab, made, changes, calls };
}

test("from the list to an endpoint: state, numbers, curves, replicas", async () => {
  const { tab } = await open();
  const { page } = tab;
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Endpoints" }).click();
  const row = page.getByRole("row").filter({ hasText: "birds" });
  await row.getByText("blue 90 %, green 10 %").waitFor();
  await row.getByText("8.9 ms").waitFor();
  await row.getByText("3 (0.2 %)").waitFor();
  await row.getByRole("link", { name: "birds" }).click();
  await page.getByRole("heading", { name: "birds", level: 1 }).waitFor();
  await page.locator(".chart canvas").nth(2).waitFor();
  const blue = page.getByRole("article", { name: "Deployment blue" });
  expect(await blue.getByRole("link", { name: "Logs of endpoint-birds-blue_1_4f1c" }).getAttribute("href")).toBe("/runs/endpoint-birds-blue_1_4f1c/logs");
  expect(await blue.getByRole("link", { name: "bird-net:3" }).getAttribute("href")).toBe("/w/default/models/bird-net?version=3");
  expect(await page.title()).toBe("birds · Endpoints · Roost");
});

test("what went wrong stands first, with the traceback", async () => {
  const { tab } = await open();
  await tab.go("/w/default/endpoints/prices");
  const alert = tab.page.getByRole("alert");
  await alert.getByText("CrashLoopBackOff").waitFor();
  expect(await alert.innerText()).toContain("joblib.load(path)");
  await tab.page.getByText("the next try is in 16 s").first().waitFor();
  tab.allow(/status of 404/);
  await tab.go("/w/default/endpoints/nothing");
  await tab.page.getByRole("heading", { name: "There is no endpoint nothing" }).waitFor();
});

test("a state that changes is followed", async () => {
  const { tab, made } = await open();
  await tab.go("/w/default/endpoints/words");
  await tab.page.locator('.head [data-status="Transitioning"]').waitFor();
  made.endpoints.find((one) => one.name === "words")!.state = "Healthy";
  await tab.page.locator('.head [data-status="Healthy"]').waitFor();
});

test("a request in JSON begins with a sample, and its answer is ranked", async () => {
  const { tab, calls } = await open();
  const { page } = tab;
  await tab.go("/w/default/endpoints/birds/try");
  const body = page.getByLabel("Body");
  await tab.until("the sample is there", async () => (await body.inputValue()).includes('"picture"'));
  expect(JSON.parse(await body.inputValue())).toEqual({ inputs: [{ name: "picture", shape: [1, 3, 32, 32], datatype: "FP32", data: "zeros" }] });
  await body.fill("{");
  await page.locator("#body-help.form-wrong").waitFor();
  expect(await page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: "Back to the sample" }).click();
  await page.getByLabel("Deployment", { exact: true }).selectOption("green");
  await tab.until("the sample of green is there", async () => (await body.inputValue()).includes('"picture"'));
  await body.press("Control+Enter");
  const answer = page.getByRole("region", { name: "Answer" });
  await answer.getByText("from blue").waitFor();
  expect(await answer.locator(".endpoint-top li").first().innerText()).toMatch(/turkey\s+92\.\d %/);
  const sent = calls.at(-1)!;
  expect(sent.headers()).toMatchObject({ authorization: "Bearer pk-111111111111111111111111", "azureml-model-deployment": "green" });
  expect(sent.headers().cookie).toBeUndefined();
  expect(sent.postDataJSON().inputs[0].data).toHaveLength(3 * 32 * 32);
});

test("a picture that is dropped in is resized, scaled and sent as binary", async () => {
  const { tab, calls } = await open();
  const { page } = tab;
  await tab.go("/w/default/endpoints/birds/try");
  await tab.until("the sample is there", async () => (await page.getByLabel("Body").inputValue()).includes('"picture"'));
  // Red, 60 by 40, dropped onto the form.
  const dropped = await page.evaluateHandle(async () => {
    const canvas = new OffscreenCanvas(60, 40);
    const context = canvas.getContext("2d")!;
    context.fillStyle = "rgb(255, 0, 0)";
    context.fillRect(0, 0, 60, 40);
    const transfer = new DataTransfer();
    transfer.items.add(new File([await canvas.convertToBlob()], "red.png", { type: "image/png" }));
    return transfer;
  });
  await page.getByRole("form", { name: "Request" }).dispatchEvent("drop", { dataTransfer: dropped });
  await page.getByRole("img", { name: "red.png as the model gets it, 32 by 32" }).waitFor();
  await page.getByRole("group", { name: "Values" }).getByRole("button", { name: "0 to 1", exact: true }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await page.getByRole("region", { name: "Answer" }).getByText("from blue").waitFor();
  const sent = calls.at(-1)!;
  const head = Number(sent.headers()["inference-header-content-length"]);
  const bytes = sent.postDataBuffer()!;
  expect(JSON.parse(bytes.subarray(0, head).toString())).toEqual({ inputs: [{ name: "picture", shape: [1, 3, 32, 32], datatype: "FP32", parameters: { binary_data_size: 4 * 3 * 32 * 32 } }] });
  const values = new Float32Array(bytes.buffer.slice(bytes.byteOffset + head, bytes.byteOffset + bytes.byteLength));
  expect([values.length, values[0], values[32 * 32], values[2 * 32 * 32]]).toEqual([3 * 32 * 32, 1, 0, 0]);
  await page.getByRole("group", { name: "Sent as" }).getByRole("button", { name: "v2 JSON" }).click();
  await page.getByRole("button", { name: "Send" }).click();
  await tab.until("JSON was sent", () => calls.at(-1)!.headers()["content-type"] === "application/json");
  expect(calls.at(-1)!.postDataJSON().inputs[0].data.slice(0, 2)).toEqual([1, 1]);
});

test("a file that is no picture is told", async () => {
  const { tab } = await open();
  await tab.go("/w/default/endpoints/birds/try");
  await tab.page.getByRole("button", { name: "Picture", exact: true }).click();
  await tab.page.getByLabel("Picture", { exact: true }).setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
  await tab.page.getByText("notes.txt is no picture").waitFor();
  expect(await tab.page.getByRole("button", { name: "Send" }).isDisabled()).toBe(true);
});

test("an endpoint that sleeps is not woken by looking at it", async () => {
  const { tab, calls } = await open();
  await tab.go("/w/default/endpoints/sleepy/try");
  await tab.page.getByText("No replica is up").waitFor();
  expect(calls).toHaveLength(0);
});

test("traffic: the shares make a hundred, and are applied once it is confirmed", async () => {
  const { tab, changes } = await open();
  const { page } = tab;
  await tab.go("/w/default/endpoints/birds");
  const slider = page.getByRole("slider", { name: "Traffic to green" });
  await slider.focus();
  for (let i = 0; i < 15; i += 1) await page.keyboard.press("ArrowRight");
  expect(await page.getByLabel("Percent to blue").inputValue()).toBe("75");
  await page.getByText("blue: 90 % → 75 %; green: 10 % → 25 %").waitFor();
  await page.getByRole("checkbox", { name: "shadow for green" }).check();
  expect(changes).toEqual([]);
  await page.getByRole("button", { name: "Apply …" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Apply" }).click();
  await page.getByText("blue 75 %, green 25 %").first().waitFor();
  await page.getByRole("button", { name: "Roll back …" }).click();
  await page.getByRole("radio", { name: /deployment green/ }).check();
  await page.getByRole("dialog").getByRole("button", { name: "Roll back" }).click();
  await page.getByText("blue 100 %").first().waitFor();
  expect(changes).toEqual([
    ["PATCH", "/birds", { traffic: { blue: 75, green: 25 }, shadow: { green: 100 } }],
    ["POST", "/birds/rollback", { revision: 2 }],
  ]);
});

test("keys are hidden until asked for, and made anew once it is confirmed", async () => {
  const { tab, changes } = await open();
  const { page } = tab;
  await tab.go("/w/default/endpoints/birds/call");
  await page.getByText("ENDPOINT_KEY").first().waitFor();
  expect(await page.locator("main").innerText()).not.toContain("pk-1111");
  await page.getByRole("button", { name: "Show the keys" }).click();
  await page.getByText("pk-1111").waitFor();
  await page.getByRole("button", { name: "Regenerate the secondary key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Regenerate" }).click();
  await page.getByText("new-3333").waitFor();
  expect(changes).toEqual([["POST", "/birds/keys", { key: "secondary", value: null }]]);
  await page.getByRole("group", { name: "Language" }).getByRole("button", { name: "tritonclient" }).click();
  await page.getByText("InferenceServerClient").waitFor();
});

test("logs are followed", async () => {
  const { tab, made } = await open();
  await tab.go("/w/default/endpoints/birds/logs?deployment=blue");
  const log = tab.page.getByRole("region", { name: "Log of the replica" });
  await log.getByText("ready").waitFor();
  made.log += "\nlate line";
  await log.getByText("late line").waitFor();
});

test("deleting asks first", async () => {
  const { tab, changes } = await open();
  const { page } = tab;
  await tab.go("/w/default/endpoints/birds");
  await page.getByRole("button", { name: "Delete …" }).click();
  expect(changes).toEqual([]);
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "Endpoints", level: 1 }).waitFor();
  await tab.until("it is gone from the list", async () => (await page.getByRole("link", { name: "birds" }).count()) === 0);
  expect(changes).toEqual([["DELETE", "/birds", null]]);
});

test("a reader sees everything but the buttons and keys, and tries with a key of theirs", async () => {
  const { tab, calls } = await open(madeEndpoints(), { token: await studio.roost.newToken("reader") });
  const { page } = tab;
  await tab.go("/w/default/endpoints/birds");
  await page.getByText("blue 90 %, green 10 %").waitFor();
  for (const name of [/Delete/, /Restart/, /Roll back/, /Apply/]) expect(await page.getByRole("button", { name }).count()).toBe(0);
  expect(await page.getByRole("slider", { name: /Traffic/ }).count()).toBe(0);
  await tab.go("/w/default/endpoints/birds/call");
  await page.getByText("A contributor sees them here").waitFor();
  await tab.go("/w/default/endpoints/birds/try");
  expect(calls).toHaveLength(0);
  await page.getByLabel("Key").fill("pk-111111111111111111111111");
  await tab.until("the sample is there", async () => (await page.getByLabel("Body").inputValue()).includes('"picture"'));
});

test("a model with an .onnx file is deployed from its page, and its lineage ends there", async () => {
  const { roost } = studio;
  const run = await roost.python("import os\nos.makedirs('outputs', exist_ok=True)\nopen('outputs/model.onnx', 'w').write('onnx')\nopen('outputs/model.pt', 'w').write('pt')", [], { name: "exports" });
  await roost.wait(run, "Completed");
  await roost.cli("model", "register", "bird-net", "--run", run, "--path", "outputs/model.pt");
  await roost.cli("model", "register", "bird-net", "--run", run, "--path", "outputs/model.onnx");
  const { tab, changes } = await open();
  const { page } = tab;
  await page.route(/\/api\/v1\/workspaces\/default\/models\?/, async (route) => {
    const answer = await route.fetch();
    const json = await answer.json();
    for (const model of json.items) model.serves = model.version === 2 ? [{ workspace: "default", endpoint: "birds", deployment: "blue" }] : [];
    return route.fulfill({ response: answer, json });
  });
  await tab.go("/w/default/models/bird-net?version=1");
  await page.getByRole("region", { name: "Files" }).getByText("model.pt").waitFor();
  expect(await page.getByRole("button", { name: "Deploy …" }).count()).toBe(0);
  await tab.go("/w/default/models/bird-net?version=2");
  await page.getByRole("region", { name: "Lineage" }).getByRole("link", { name: "Endpoint birds, deployment blue" }).waitFor();
  await page.getByRole("button", { name: "Deploy …" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Endpoint").fill("Bad Name");
  await dialog.getByText("Lower-case letters").waitFor();
  await dialog.getByLabel("Endpoint").fill("birds");
  await dialog.getByText("It is there").waitFor();
  await dialog.getByLabel("Endpoint").fill("fresh");
  await dialog.getByLabel("Most replicas").fill("3");
  await dialog.getByRole("button", { name: "Deploy" }).click();
  await page.getByRole("heading", { name: "fresh", level: 1 }).waitFor();
  expect(changes).toEqual([["POST", "", { name: "fresh", auth: "key", traffic: { default: 100 }, deployments: [{ name: "default", models: ["bird-net:2"], replicas: { min: 1, max: 3 } }] }]]);
});

for (const [width, colorScheme] of [[390, "light"], [1024, "dark"], [1920, "light"]] as const) {
  test(`no serious finding: ${colorScheme}, ${width} px`, async () => {
    const { tab } = await open(madeEndpoints(), { viewport: { width, height: 900 }, colorScheme });
    const { page } = tab;
    const all: string[] = [];
    for (const path of ["", "/birds", "/prices", "/sleepy", "/words", "/birds/try", "/birds/logs", "/birds/call"]) {
      await tab.go(`/w/default/endpoints${path}`);
      await page.getByRole("heading", { level: 1 }).waitFor();
      all.push(...(await findingsOfPage(tab)).map((one) => `${path}: ${one}`));
    }
    await tab.go("/w/default/endpoints/birds/try");
    await page.getByRole("button", { name: "Picture", exact: true }).click();
    await page.getByLabel("Picture", { exact: true }).setInputFiles({ name: "dot.png", mimeType: "image/png", buffer: Buffer.from(DOT, "base64") });
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByText("from blue").waitFor();
    all.push(...(await findingsOfPage(tab)).map((one) => `picture: ${one}`));
    await tab.go("/w/default/endpoints/birds");
    for (const name of ["Roll back …", "Delete …"]) {
      await page.getByRole("button", { name }).click();
      all.push(...(await findingsOfPage(tab)).map((one) => `${name}: ${one}`));
      await page.keyboard.press("Escape");
    }
    if (all.length > 0) console.error(all.join("\n\n"));
    expect(all.map((one) => one.split("\n")[0])).toEqual([]);
  });
}
