// Addresses that nothing has: a person sees a page, a program an error. And the badge and the page when the server is away.
import { expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();

test("an address that nothing has is a page for a person and an error for a program", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  tab.allow(/status of 404/);
  for (const path of ["/foo", "/runs", "/runs/no-such-run", "/sweeps/none", "/w/default/nothing", "/api", "/api/v1/nothing", "/a/b/c%2Fd"]) {
    const answer = await page.goto(studio.roost.url + path);
    expect(answer!.headers()["content-type"], path).toContain("text/html");
    await page.getByRole("heading", { name: /There is no such/ }).waitFor();
  }
  for (const [method, path, status] of [["GET", "/foo", 404], ["GET", "/api/v1/nothing", 404], ["POST", "/foo", 404], ["GET", "/api/v1/session/x", 404], ["PUT", "/healthz", 405]] as const) {
    const answer = await fetch(studio.roost.url + path, { method, headers: { Accept: "application/json" } });
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([path, status, expect.stringContaining("application/json")]);
    expect((await answer.json()).error.code).toMatch(/not_found|method_not_allowed/);
  }
});

test("the badge tells on every page that the server is away, and the page heals by itself", async () => {
  const { roost } = studio;
  const tab = await studio.tab();
  const { page } = tab;
  tab.allow(/ERR_|status of 50\d/);
  // Pages of which the live stream tells nothing.
  await tab.go("/w/default/tokens");
  await page.locator(".live.on").waitFor();
  await tab.mark();
  await roost.kill("SIGKILL");
  await page.getByRole("alert").filter({ hasText: "disconnected" }).waitFor();
  await page.getByRole("link", { name: "Models" }).click();
  await page.getByText(/does not answer|could not be fetched/).first().waitFor();
  await roost.up();
  await page.locator(".live.on").waitFor();
  await page.getByText("No models").or(page.getByRole("heading", { name: /No model/ })).first().waitFor();
  expect(await page.getByText(/does not answer|could not be fetched/).count()).toBe(0);
  // Its script had not come before the server went, so the page had to be loaded anew; one whose script is here is not.
  expect(await tab.isMarked()).toBe(false);
  await page.getByRole("link", { name: "Tokens" }).click();
  await page.getByRole("heading", { name: "Tokens" }).waitFor();
  await tab.mark();
  await roost.kill("SIGKILL");
  await page.getByRole("alert").filter({ hasText: "disconnected" }).waitFor();
  await page.getByRole("link", { name: "Models" }).click();
  await roost.up();
  await page.locator(".live.on").waitFor();
  await page.getByText("No models").first().waitFor();
  expect(await page.getByText(/does not answer|could not be fetched/).count()).toBe(0);
  expect(await tab.isMarked(), "the page was not loaded anew").toBe(true);
});

test("the tab of the current page is in view at 375 pixels", async () => {
  const run = await studio.roost.python("print(1)");
  await studio.roost.wait(run, "Completed");
  const tab = await studio.tab({ viewport: { width: 375, height: 700 } });
  const { page } = tab;
  for (const [path, name] of [[`/runs/${run}/children`, "Children"], [`/runs/${run}/ranks`, "Ranks"], ["/w/default/tokens", "Tokens"]] as const) {
    await tab.go(path);
    const link = page.getByRole("link", { name, exact: true });
    await link.waitFor();
    const box = (await link.boundingBox())!;
    expect(box.x, name).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width, name).toBeLessThanOrEqual(375);
  }
  await tab.go("/w/default/runs");
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("dialog", { name: "Columns" }).waitFor();
});
