// Channels are made and tested, rules say who is told, and what was sent is shown; this browser shows what is for it.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
const calls: Record<string, unknown>[] = [];
let receiver: Server;
beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (piece) => (body += piece));
    request.on("end", () => {
      calls.push(JSON.parse(body));
      response.end();
    });
  });
  await new Promise<void>((done) => receiver.listen(0, "127.0.0.1", done));
});
afterAll(() => receiver.close());

test("a webhook is made, tested and told of a failure", async () => {
  const { roost } = studio;
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("link", { name: "Alerts", exact: true }).click();
  await page.getByText("Nobody is told yet").waitFor();
  await page.getByRole("button", { name: "New channel" }).click();
  const form = page.getByRole("dialog", { name: "New channel" });
  await form.getByLabel("Name").fill("team");
  await form.getByLabel("Address").fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/secret-path`);
  await form.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Test team" }).click();
  await page.getByText("Sent to team.").waitFor();
  expect(calls[0]).toMatchObject({ event: "test" });
  expect(await page.content()).not.toContain("secret-path");

  await page.getByRole("button", { name: "New rule" }).click();
  await page.getByRole("dialog", { name: "New rule" }).getByRole("button", { name: "Save" }).click();
  await page.getByText("failure of all runs to team").waitFor();
  const run = await roost.python("raise SystemExit(3)", [], { name: "bad", experiment: "birds" });
  await roost.wait(run);
  await tab.until("it was told", async () => calls.length === 2, 15);
  expect(calls[1]).toMatchObject({ event: "failure", run });
  await page.reload();
  await page.getByRole("region", { name: "What was sent" }).getByRole("link", { name: /bad is Failed/ }).waitFor();
});

test("this browser shows what a desktop channel is told", async () => {
  const { roost } = studio;
  await roost.api("PUT", "/alerts/channels/screen", { kind: "desktop" });
  const tab = await studio.tab();
  const { page } = tab;
  // Headless Chromium shows no notifications: what the page asks for is what counts.
  await page.addInitScript(() => {
    const shown: unknown[] = ((window as any).__shown = []);
    class Fake {
      static permission = "granted";
      static requestPermission = async () => "granted";
      onclick: unknown;
      constructor(title: string, options: { body: string }) {
        shown.push({ title, body: options.body });
      }
    }
    (window as any).Notification = Fake;
  });
  await page.goto(new URL("/w/default/alerts", page.url()).href);
  await page.getByRole("checkbox", { name: /notifications of this browser/ }).check();
  await page.locator('body[data-desktop-alerts="on"]').waitFor();
  // What came before the page listens is not shown, so it is told until one is.
  const told = async () => {
    expect((await roost.api("POST", "/alerts/channels/screen/test")).status).toBe(200);
    return (await page.evaluate(() => (window as any).__shown.length)) > 0;
  };
  await tab.until("it was shown", told, 15);
});
