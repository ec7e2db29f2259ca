// Four ranks, one of which raised: two clicks from the table to the line.
import { expect, test } from "vitest";
import { ONE_RANK_FAILS } from "./scripts";
import { useStudio } from "./studio";

const studio = useStudio();
const MESSAGE = "the gradients of rank 2 are not finite";

test("the first error of a failed 4-rank run is two clicks away", async () => {
  const { roost } = studio;
  const run = await roost.python(ONE_RANK_FAILS, [], { name: "four ranks", nodes: 2, processes: 4 });
  await roost.wait(run, "Failed");
  const tab = await studio.tab();
  const { page } = tab;

  await page.getByRole("link", { name: "four ranks" }).click();
  const card = page.getByRole("region", { name: "Root cause" });
  await card.getByText(`ValueError: ${MESSAGE}`).first().waitFor();
  expect(await card.innerText()).toMatch(/Rank\s+2/);
  await card.getByRole("link", { name: "Show in the log" }).click();

  const line = page.locator(".log-row.marked");
  await line.waitFor();
  // The line that begins the traceback, or that names the exception.
  expect(await line.innerText()).toMatch(/Traceback|ValueError/);
  const [box, frame] = await Promise.all([line.boundingBox(), page.locator(".log-view").boundingBox()]);
  expect(box!.y).toBeGreaterThanOrEqual(frame!.y);
  expect(box!.y + box!.height).toBeLessThanOrEqual(frame!.y + frame!.height);
  expect(await page.locator(".log-view").innerText()).toContain(MESSAGE);
  const background = await line.evaluate((row) => getComputedStyle(row).backgroundColor);
  expect(background).not.toBe(await page.locator(".log-row:not(.marked)").first().evaluate((row) => getComputedStyle(row).backgroundColor));
  expect(await page.getByRole("button", { name: /Rank 2/ }).getAttribute("aria-pressed")).toBe("true");
});

test("the layout of ranks says which failed first", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await page.getByRole("link", { name: "four ranks" }).click();
  await page.getByRole("link", { name: "Ranks", exact: true }).click();
  await page.getByText("Rank 2 failed first.").waitFor();
  expect(await page.locator("section[aria-label^='Node '] .rank").count()).toBe(4);
  expect(await page.getByRole("table", { name: "Processes of the run" }).getByRole("row").count()).toBe(5);
  await page.getByRole("link", { name: "Show its error" }).click();
  await page.locator(".log-row.marked").waitFor();
});
