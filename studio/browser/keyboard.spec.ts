// With keys alone: reach a run, open it, walk its tabs, come back.
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
let ids: string[] = [];
beforeAll(async () => {
  ids = [];
  for (const name of ["one", "two", "three"]) ids.push(await studio.roost.python("print('hello')", [], { name }));
  await Promise.all(ids.map((id) => studio.roost.wait(id, "Completed")));
});

test("the shortcuts of the table lead to a run", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.locator(`[data-run="${ids[2]}"]`).waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  // The newest is first: the cursor is on the second.
  await tab.until("the cursor is on two", () => page.evaluate(() => document.activeElement?.textContent === "two"));
  await page.keyboard.press("x");
  await page.getByText("1 run selected").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("1 run selected").waitFor({ state: "detached" });
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "two", level: 1 }).waitFor();
  await page.goBack();
  await page.locator(`[data-run="${ids[1]}"]`).waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("one");
  await tab.until("only one is left", async () => (await page.locator("[data-run]").count()) === 1);
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("Tab alone reaches the run and its tabs, and the focus is always seen", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.locator(`[data-run="${ids[0]}"]`).waitFor();
  const focused = () =>
    page.evaluate(() => {
      const element = document.activeElement as HTMLElement;
      const style = getComputedStyle(element);
      return { text: element.textContent ?? "", tag: element.tagName, ring: style.outlineStyle !== "none" || style.boxShadow !== "none" };
    });
  await page.keyboard.press("Tab");
  expect((await focused()).text).toContain("Skip to the content");
  let reached = false;
  for (let i = 0; i < 60 && !reached; i += 1) {
    await page.keyboard.press("Tab");
    const now = await focused();
    expect(now.ring, `no ring around ${now.tag} ${now.text.slice(0, 40)}`).toBe(true);
    reached = now.tag === "A" && now.text === "three";
  }
  expect(reached).toBe(true);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "three", level: 1 }).waitFor();
  for (let i = 0; i < 60; i += 1) {
    await page.keyboard.press("Tab");
    const now = await focused();
    expect(now.ring, `no ring around ${now.tag} ${now.text.slice(0, 40)}`).toBe(true);
    if (now.tag === "A" && now.text === "Logs") break;
  }
  await page.keyboard.press("Enter");
  await page.getByText("hello").waitFor();
});
