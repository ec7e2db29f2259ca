// Environments: registered and curated ones, versions compared, a build.
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();

const definition = (version: string) => ({
  name: "birds-env",
  python: { userManagedDependencies: true, interpreterPath: "/usr/bin/python3", condaDependencies: { channels: ["defaults"], dependencies: ["python=3.11", { pip: [`pillow==${version}`] }] } },
  environmentVariables: { LEVEL: "info" },
});
beforeAll(async () => {
  for (const version of ["9.0", "9.4"]) await studio.roost.call("POST", "/workspaces/default/environments", { name: "birds-env", definition: definition(version) });
});

test("the list shows registered and curated environments", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("link", { name: "Environments", exact: true }).click();
  await page.getByRole("region", { name: "Registered environments" }).getByRole("row").filter({ hasText: "birds-env" }).waitFor();
  expect(await page.getByRole("region", { name: "Curated environments" }).getByRole("row").count()).toBeGreaterThan(1);
  await page.getByPlaceholder("Find by name or package").fill("birds");
  await page.getByRole("region", { name: "Curated environments" }).waitFor({ state: "detached" });
  expect(new URL(page.url()).searchParams.get("q")).toBe("birds");
});

test("a definition, and what changed between versions", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/environments/birds-env");
  await page.getByRole("region", { name: "Facts" }).getByText("LEVEL=info").waitFor();
  await page.getByLabel("compared with").selectOption({ label: "version 1" });
  const diff = page.getByRole("region", { name: "Changes of version 1 to 2" });
  expect(await diff.locator("tr.removed").innerText()).toContain("pillow==9.0");
  expect(await diff.locator("tr.added").innerText()).toContain("pillow==9.4");
});

test("building one that uses a Python as it is says so", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/environments/birds-env");
  await page.getByRole("button", { name: "Build now" }).click();
  await page.getByText(/nothing to build/).waitFor();
});

test("one is made of pasted requirements, and its build is shown", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go("/w/default/environments");
  await page.getByRole("button", { name: "New environment" }).click();
  const box = page.getByRole("dialog", { name: "New environment" });
  await box.getByLabel("Name").fill("pasted");
  await box.getByLabel("Packages").fill("-r base.txt");
  await box.getByText("names a file of another machine").waitFor();
  expect(await box.getByRole("button", { name: "Register and build" }).isDisabled()).toBe(true);
  await box.getByLabel("Packages").fill("FROM debian:12\n");
  expect(await box.getByLabel("Dockerfile").isChecked()).toBe(true);
  await box.getByLabel("Packages").fill("# nothing that an index has\nno-such-package-of-roost==1.0\n");
  await box.getByRole("button", { name: "Register and build" }).click();
  await box.waitFor({ state: "detached" });
  await page.getByRole("region", { name: "Registered environments" }).getByRole("row").filter({ hasText: "pasted" }).waitFor();
  await page.getByRole("region", { name: "Build" }).getByRole("region", { name: "Log of the build" }).waitFor();
});
