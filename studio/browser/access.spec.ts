// What a reader may not do, and what another site may not do with one's cookie.
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
let run = "";
let token = "";

beforeAll(async () => {
  const { roost } = studio;
  await roost.cli("compute", "create", "farm", "--vm-size", "STANDARD_D2_V2", "--max-nodes", "2");
  run = await roost.python("import os\nos.makedirs('outputs', exist_ok=True)\nopen('outputs/model.txt', 'w').write('weights')", [], { name: "looked at", tags: { owner: "anna" } });
  await roost.wait(run, "Completed");
  await roost.cli("model", "register", "bird-net", "--run", run, "--path", "outputs/model.txt");
  token = await roost.newToken("reader", "rita");
});

/** Every change that the studio can ask for. */
const changes = (): [string, string, unknown?][] => [
  ["PATCH", `/runs/${run}`, { display_name: "mine" }],
  ["PATCH", `/runs/${run}`, { tags: { owner: "rita" } }],
  ["PATCH", `/runs/${run}`, { archived: true }],
  ["POST", `/runs/${run}/cancel`],
  ["POST", `/runs/${run}/rerun`],
  ["PUT", "/workspaces/default/views/mine", { state: "q=birds" }],
  ["DELETE", "/workspaces/default/views/mine"],
  ["PATCH", "/workspaces/default/computes/farm", { max_nodes: 9 }],
  ["POST", "/workspaces/default/computes", { name: "mine", vm_size: "STANDARD_D2_V2", max_nodes: 1 }],
  ["DELETE", "/workspaces/default/computes/farm"],
  ["PATCH", "/workspaces/default/models/bird-net/versions/1", { description: "mine" }],
  ["DELETE", "/workspaces/default/models/bird-net/versions/1"],
  ["POST", "/workspaces/default/endpoints", { name: "mine" }],
  ["PATCH", "/workspaces/default/endpoints/birds", { traffic: { default: 100 } }],
  ["PUT", "/workspaces/default/endpoints/birds/deployments/mine", { models: ["bird-net:1"] }],
  ["DELETE", "/workspaces/default/endpoints/birds/deployments/mine"],
  ["POST", "/workspaces/default/endpoints/birds/rollback", {}],
  ["POST", "/workspaces/default/endpoints/birds/restart", {}],
  ["POST", "/workspaces/default/endpoints/birds/keys", { key: "primary" }],
  ["GET", "/workspaces/default/endpoints/birds/keys"],
  ["DELETE", "/workspaces/default/endpoints/birds"],
  ["PATCH", "/workspaces/default/experiments/tests", { archived: true }],
  ["POST", "/workspaces/default/environments", { name: "mine", definition: {} }],
  ["POST", "/tokens", { name: "mine", role: "owner" }],
  ["GET", "/tokens"],
  ["POST", "/server/shutdown"],
];

async function facts(): Promise<unknown> {
  const { roost } = studio;
  const { durations: _, ...one } = await roost.run(run);
  return [one, await roost.call("GET", "/workspaces/default/computes/farm"), await roost.call("GET", "/workspaces/default/models"), await roost.call("GET", "/workspaces/default/views")];
}

test("a reader's token can change nothing", async () => {
  const before = await facts();
  const tab = await studio.tab({ token });
  tab.allow(/status of 403/);
  for (const [method, path, body] of changes()) {
    expect((await tab.call(method, path, body)).status, `${method} ${path}`).toBe(403);
  }
  expect(await facts()).toEqual(before);
});

test("a reader sees everything but the buttons", async () => {
  const tab = await studio.tab({ token });
  const { page } = tab;
  const none = async (...names: RegExp[]) => {
    for (const name of names) expect(await page.getByRole("button", { name }).count(), `${name} on ${page.url()}`).toBe(0);
  };
  await page.getByRole("checkbox", { name: "Select looked at" }).check();
  await none(/^Cancel/, /^Run again/, /^Archive/, /Edit the tags/);
  expect(await page.locator("[data-run]").innerText()).toContain("owner=anna");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByText("No view is saved yet").waitFor();
  await none(/^Save/);
  await tab.go(`/runs/${run}`);
  await page.getByRole("heading", { name: "looked at", level: 1 }).waitFor();
  await page.getByRole("heading", { name: "Stages" }).waitFor();
  await none(/Rename/, /^Cancel/, /^Run again/, /^Archive/, /tag/);
  await tab.go("/w/default/computes");
  await page.getByRole("article", { name: "farm" }).waitFor();
  await none(/limits/, /New compute/);
  await tab.go("/w/default/computes/farm");
  await page.getByRole("heading", { name: "farm", level: 1 }).waitFor();
  await none(/limits/, /Delete/, /Preempt/);
  await tab.go("/w/default/models/bird-net");
  await page.getByRole("heading", { name: "bird-net", level: 1 }).waitFor();
  await none(/Delete/, /Edit/, /tag/, /property/);
  expect(await page.getByLabel("Stage").count()).toBe(0);
  await tab.go("/w/default/experiments");
  await page.getByRole("link", { name: "tests" }).waitFor();
  await none(/Archive/, /tag/);
  await tab.go("/w/default/environments");
  await page.getByRole("heading", { name: "Environments", level: 1 }).waitFor();
  await none(/Build/, /Remove/);
  await tab.go("/w/default/tokens");
  await page.getByRole("heading", { name: "Only an owner sees the tokens" }).waitFor();
  await none(/New token/, /Revoke/);
});

test("a cookie alone changes nothing: another site could make the browser send it", async () => {
  const before = await facts();
  const tab = await studio.tab();
  tab.allow(/status of 40\d/);
  for (const [method, path, body] of changes().filter(([method]) => method !== "GET")) {
    const answer = await tab.call(method, path, body, {});
    expect(answer.status, `${method} ${path}`).toBe(403);
    expect(answer.text).toContain("X-Roost-Studio");
  }
  expect(await facts()).toEqual(before);

  // As a form of another site would send it.
  const [form] = await Promise.all([
    tab.page.waitForResponse((response) => response.url().endsWith(`/runs/${run}/rerun`)),
    tab.page.evaluate((path) => {
      const form = document.createElement("form");
      form.method = "POST";
      form.action = path;
      document.body.append(form);
      form.submit();
    }, `/api/v1/runs/${run}/rerun`),
  ]);
  expect(form.status()).toBe(403);
});

test("with the header the same requests are let through", async () => {
  const tab = await studio.tab();
  expect((await tab.call("PATCH", `/runs/${run}`, { tags: { seen: "yes" } })).status).toBe(200);
  expect((await studio.roost.run(run)).tags).toMatchObject({ seen: "yes" });
});
