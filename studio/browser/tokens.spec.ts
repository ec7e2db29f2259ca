// Tokens: made, shown once, good for what they say, revoked.
import { expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();

test("a token is made, opens the server, and is revoked", async () => {
  const { roost } = studio;
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("link", { name: "Tokens", exact: true }).click();
  await page.getByRole("button", { name: "New token" }).click();
  const form = page.getByRole("dialog", { name: "New token" });
  expect(await form.getByRole("button", { name: "Create" }).isDisabled()).toBe(true);
  await form.getByLabel("Name").fill("anna");
  await form.getByLabel("Role").selectOption("contributor");
  await form.getByRole("button", { name: "Create" }).click();
  const shown = page.getByRole("dialog", { name: "Token anna" });
  await shown.getByText("This is shown once.").waitFor();
  const secret = /roost_\S+/.exec(await shown.innerText())![0];
  expect((await roost.api("GET", "/session", undefined, secret)).json).toMatchObject({ name: "anna", role: "contributor" });
  await shown.getByRole("button", { name: "I have copied it" }).click();
  expect(await page.content()).not.toContain(secret);

  const row = page.getByRole("row").filter({ hasText: "anna" });
  await row.getByText("valid").waitFor();
  await row.getByRole("button", { name: "Revoke anna" }).click();
  await page.getByRole("dialog", { name: "Revoke anna" }).getByRole("button", { name: "Revoke" }).click();
  await row.getByText("revoked").waitFor();
  expect((await roost.api("GET", "/session", undefined, secret)).status).toBe(401);
});
