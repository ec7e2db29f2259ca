// The server goes away and comes back: the page says so, goes on, and no line of the log is lost or doubled.
import { expect, test } from "vitest";
import { gated } from "./scripts";
import { useStudio } from "./studio";

const studio = useStudio();

const COUNTS = `
number = 0
def count(to):
    global number
    while number < to:
        number += 1
        print(f"line {number:05d}", flush=True)
for part, to in (("one", 100), ("two", 200), ("three", 300), ("end", 320)):
    count(to)
    gate(part)
`;

/** Every line of the log that the page has, from top to bottom. */
async function lines(page: import("playwright-core").Page): Promise<string[]> {
  return page.locator(".log-row .log-text").allInnerTexts();
}

for (const signal of ["SIGTERM", "SIGKILL"] as const) {
  test(`after ${signal} of the server the log goes on where it was`, async () => {
    const { roost } = studio;
    const { source, env, open } = gated(roost, COUNTS.replaceAll("gate(part)", `gate("${signal} " + part)`));
    const run = await roost.python(source, [], { name: `counts ${signal}`, env });
    const tab = await studio.tab({ viewport: { width: 1280, height: 9000 } });
    const { page } = tab;
    tab.allow(/ERR_CONNECTION_REFUSED|ERR_SOCKET_NOT_CONNECTED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_NETWORK|status of 50\d/);
    await tab.go(`/runs/${run}/logs`);
    await page.getByText("line 00100").waitFor();
    await tab.mark();

    await roost.kill(signal);
    await page.getByRole("alert").filter({ hasText: "disconnected" }).waitFor();
    // What is printed while nobody listens.
    open(`${signal} one`);
    await roost.up();
    await page.getByRole("button", { name: "Try now" }).click({ timeout: 1000 }).catch(() => undefined);
    await page.locator(".live.on").first().waitFor();
    await page.getByText("line 00200").waitFor();
    open(`${signal} two`);
    await page.getByText("line 00300").waitFor();
    open(`${signal} three`);
    open(`${signal} end`);
    await page.locator(".run-header [data-status=Completed]").waitFor();
    await page.getByText("line 00320").waitFor();
    const shown = (await lines(page)).filter((line) => line.startsWith("line "));
    expect(shown).toEqual(Array.from({ length: 320 }, (_, i) => `line ${String(i + 1).padStart(5, "0")}`));
    expect(await tab.isMarked(), "the page was not loaded anew").toBe(true);
  });
}

test("the table and the curves go on too", async () => {
  const { roost } = studio;
  const held = gated(roost, `
from azureml.core import Run
run = Run.get_context()
for part in range(3):
    for i in range(10):
        run.log("loss", part * 10 + i)
    gate(f"part {part}")
`);
  const run = await roost.python(held.source, [], { name: "goes on", env: held.env });
  await roost.wait(run, "Running");
  const table = await studio.tab();
  const curve = await studio.tab();
  for (const tab of [table, curve]) tab.allow(/ERR_CONNECTION_REFUSED|ERR_SOCKET_NOT_CONNECTED|ERR_INCOMPLETE_CHUNKED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_NETWORK|status of 50\d/);
  await table.page.locator(`[data-run="${run}"] [data-status=Running]`).waitFor();
  await curve.go(`/runs/${run}/metrics`);
  const chart = curve.page.getByRole("figure").filter({ hasText: "loss" });
  await curve.until("the curve is at 9", async () => /last 9\b/.test((await chart.textContent()) ?? ""));

  await roost.kill("SIGKILL");
  await table.page.getByText("disconnected").waitFor();
  held.open("part 0");
  await roost.up();
  await curve.until("the curve is at 19", async () => /last 19\b/.test((await chart.textContent()) ?? ""));
  held.open("part 1");
  held.open("part 2");
  await table.page.locator(`[data-run="${run}"] [data-status=Completed]`).waitFor();
  await curve.until("the curve is at 29", async () => /last 29\b/.test((await chart.textContent()) ?? ""));
});
