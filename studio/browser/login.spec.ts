// Logging in by the link and by a token, and out again.
import { expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
const REFUSED = /status of 40[13]/;

test("the link logs in once", async () => {
  const link = await studio.roost.loginLink();
  const tab = await studio.tab({ logIn: false });
  await tab.page.goto(link);
  await tab.page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
  expect(tab.page.url(), "the code is gone from the address").not.toContain("code");
  expect(await tab.page.evaluate(() => document.cookie), "scripts cannot read the cookie").toBe("");

  const other = await studio.tab({ logIn: false });
  other.allow(REFUSED);
  await other.page.goto(link);
  await other.page.getByRole("alert").waitFor();
  expect(await other.page.getByRole("alert").innerText()).toMatch(/used|expired|not known|no longer/i);
  expect((await other.call("GET", "/session")).status).toBe(401);
});

test("a link that is opened in the tab of the login page logs in, too", async () => {
  const tab = await studio.tab({ logIn: false });
  await tab.go("/login");
  await tab.page.getByLabel("Token").waitFor();
  await tab.page.goto(await studio.roost.loginLink());
  await tab.page.getByRole("heading", { name: "Runs", level: 1 }).waitFor();
});

test("a link leads where the user wanted to go, but never to another host", async () => {
  const tab = await studio.tab({ logIn: false });
  tab.allow(REFUSED);
  await tab.go("/w/default/models?q=birds");
  await tab.page.getByLabel("Token").fill(studio.roost.token);
  await tab.page.getByRole("button", { name: "Log in" }).click();
  await tab.page.getByRole("heading", { name: "Models", level: 1 }).waitFor();
  expect(new URL(tab.page.url()).pathname + new URL(tab.page.url()).search).toBe("/w/default/models?q=birds");

  for (const next of ["//elsewhere.example/", "https://elsewhere.example/", "/\\elsewhere.example/", "javascript:window.__pwned=1"]) {
    const other = await studio.tab({ logIn: false });
    await other.go(`/login?next=${encodeURIComponent(next)}`);
    await other.page.getByLabel("Token").fill(studio.roost.token);
    await other.page.getByRole("button", { name: "Log in" }).click();
    await other.page.getByRole("navigation", { name: "Pages" }).waitFor();
    expect(other.page.url().startsWith(`${studio.roost.studio}/w/`)).toBe(true);
    expect(await other.page.evaluate(() => "__pwned" in window)).toBe(false);
  }
});

test("a wrong token is told, the right one logs in, and logging out ends it for the server too", async () => {
  const tab = await studio.tab({ logIn: false });
  tab.allow(REFUSED);
  await tab.go("/login");
  await tab.page.getByLabel("Token").fill("roost_wrong");
  await tab.page.getByRole("button", { name: "Log in" }).click();
  expect(await tab.page.getByRole("alert").innerText()).toMatch(/not known|revoked/);

  await tab.page.getByLabel("Token").fill(await studio.roost.newToken("contributor", "anna"));
  await tab.page.getByRole("button", { name: "Log in" }).click();
  await tab.page.getByRole("navigation", { name: "Pages" }).waitFor();
  expect((await tab.call("GET", "/session")).status).toBe(200);
  const cookies = await tab.page.context().cookies();
  expect(cookies).toHaveLength(1);
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: "Strict" });

  await tab.page.getByRole("button", { name: /anna/ }).click();
  await tab.page.getByText("Logged in as anna, contributor").waitFor();
  await tab.page.getByRole("button", { name: "Log out" }).click();
  await tab.page.getByLabel("Token").waitFor();
  expect((await tab.call("GET", "/session")).status).toBe(401);
  expect((await tab.call("GET", "/workspaces/default/runs")).status).toBe(401);

  // A stolen cookie is worth nothing after that.
  await tab.page.context().addCookies(cookies);
  expect((await tab.call("GET", "/session")).status).toBe(401);
});

test("a session that ends elsewhere leads to the login page", async () => {
  const made = await studio.roost.call("POST", "/tokens", { name: "short", role: "reader" });
  const tab = await studio.tab({ token: made.token });
  tab.allow(REFUSED);
  await studio.roost.call("DELETE", `/tokens/${made.id}`);
  // It may notice by itself, before it asks for anything.
  await tab.page.getByRole("link", { name: "Computes" }).click({ timeout: 2000 }).catch(() => undefined);
  await tab.page.getByLabel("Token").waitFor();
});
