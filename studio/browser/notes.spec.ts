// Notes in markdown on runs, experiments and models: they look as they are meant to, and nothing in them acts.
import { beforeAll, expect, test } from "vitest";
import type { Page } from "playwright-core";
import { useStudio } from "./studio";

const studio = useStudio();
let run = "";

beforeAll(async () => {
  const { roost } = studio;
  run = await roost.python("print('done')", [], { name: "noted", experiment: "notes" });
  await roost.wait(run, "Completed");
});

const HOSTILE = `# Results
**bold** and \`code\`

| rate | loss |
|------|-----:|
| 0.1  | 0.5  |

<script>window.__pwned = 1</script>
<img src=x onerror="window.__pwned = 2">
[click](javascript:window.__pwned=3) [click](JAVASCRIPT:window.__pwned=3) <javascript:window.__pwned=3>
[data](data:text/html,<script>window.__pwned=4</script>) [elsewhere](//evil.example/x)
![remote](https://evil.example/track.png) ![odd](javascript:window.__pwned=5)
<a href="javascript:window.__pwned=6">link</a> <iframe srcdoc="<script>parent.__pwned=7</script>"></iframe>
[good](https://example.org/page) and https://example.org/bare
`;

async function harmless(page: Page): Promise<void> {
  const note = page.locator(".markdown").first();
  await note.getByRole("cell", { name: "0.5" }).waitFor();
  expect(await note.locator("strong").innerText()).toBe("bold");
  expect(await note.locator("img, script, iframe, object, style").count()).toBe(0);
  const links = await note.locator("a").evaluateAll((all) => all.map((one) => one.getAttribute("href")));
  expect(links).toEqual(["https://evil.example/track.png", "https://example.org/page", "https://example.org/bare"]);
  for (const link of await note.locator("a").all()) expect(await link.getAttribute("rel")).toContain("noopener");
  for (const one of await note.getByText("click").all()) await one.click({ trial: false }).catch(() => undefined);
  expect(await note.innerText()).toContain("<script>window.__pwned = 1</script>");
  expect(await page.evaluate(() => "__pwned" in window)).toBe(false);
}

test("a note on a run is written, read by a reader, and taken away", async () => {
  const { roost } = studio;
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${run}`);
  await page.getByRole("button", { name: "Write the note" }).click();
  await page.getByLabel("The note, in markdown").fill(HOSTILE);
  await page.getByRole("button", { name: "Save" }).click();
  await harmless(page);
  expect((await roost.run(run)).tags["mlflow.note.content"]).toBe(HOSTILE.trim());
  // It is no tag among the others, and the table of runs has no room for it.
  expect(await page.getByRole("region", { name: "Tags" }).innerText()).not.toContain("mlflow");
  const rows = await roost.call("GET", "/workspaces/default/run-table");
  expect(rows.items[0].tags).toEqual({});

  const reader = await studio.tab({ token: await roost.newToken("reader") });
  await reader.go(`/runs/${run}`);
  await harmless(reader.page);
  expect(await reader.page.getByRole("button", { name: /the note$/ }).count()).toBe(0);

  await page.getByRole("button", { name: "Edit the note" }).click();
  await page.getByLabel("The note, in markdown").fill("");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Write the note" }).waitFor();
  expect((await roost.run(run)).tags).toEqual({});
});

test("a note on an experiment, and its states and best", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/experiments");
  await page.getByRole("button", { name: "Write a note on notes" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Write the note" }).click();
  await dialog.getByLabel("The note, in markdown").fill(HOSTILE);
  await dialog.getByRole("button", { name: "Save" }).click();
  await harmless(page);
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Note on notes" }).waitFor();
  await page.getByTitle("1 Completed").waitFor();
});

test("a note that is too long is refused in words", async () => {
  const { roost } = studio;
  const answer = await roost.api("PATCH", `/runs/${run}`, { tags: { "mlflow.note.content": "x".repeat(16_001) } });
  expect([answer.status, answer.json.error.message]).toEqual([400, expect.stringContaining("at most 16000")]);
  const odd = await roost.api("PATCH", `/runs/${run}`, { tags: { "mlflow.note.content": "a\u0007b" } });
  expect(odd.status).toBe(400);
});
