// The log viewer: colours, progress bars, follow, search, and logs too large to load.
import { expect, test } from "vitest";
import { gated } from "./scripts";
import { useStudio } from "./studio";

const studio = useStudio();

test("colours and progress bars are shown as a terminal does", async () => {
  const { roost } = studio;
  const run = await roost.python(`
import sys
print("\\x1b[31mred\\x1b[0m plain \\x1b[1;32mbold green\\x1b[0m \\x1b[38;5;208morange\\x1b[0m")
print("\\x1b]0;a title\\x07\\x1b[2Kafter a title \\x1b]8;;javascript:window.__pwned=1\\x1b\\\\\\\\link\\x1b]8;;\\x1b\\\\\\\\")
for i in range(0, 101, 10):
    sys.stdout.write(f"\\rdone {i:3d} %")
print()
print("the end")
`);
  await roost.wait(run, "Completed");
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${run}/logs`);
  await page.getByText("the end").waitFor();
  const color = (text: string) => page.getByText(text, { exact: true }).evaluate((element) => getComputedStyle(element).color);
  const plain = await page.getByText("the end").evaluate((element) => getComputedStyle(element).color);
  expect(await color("red")).not.toBe(plain);
  expect(await color("bold green")).not.toBe(await color("red"));
  expect(Number(await page.getByText("bold green").evaluate((element) => getComputedStyle(element).fontWeight))).toBeGreaterThanOrEqual(600);
  const text = await page.locator(".log-view").innerText();
  expect(text).toContain("done 100 %");
  expect(text, "the earlier states were overwritten").not.toContain("done  50 %");
  expect(text, "no escape code is left").not.toMatch(/\x1b|\[31m|\[0m/);
  expect(text).not.toContain("a title\x07");
  expect(await page.locator(".log-view a").count()).toBe(0);
});

test("the end is followed until one scrolls away", async () => {
  const { roost } = studio;
  const { source, env, open } = gated(roost, `
for part in range(3):
    for i in range(200):
        print(f"part {part} line {i:03d}", flush=True)
    gate(f"part {part}")
`);
  const run = await roost.python(source, [], { env });
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${run}/logs`);
  await page.getByText("part 0 line 199").waitFor();
  await page.getByText("following").waitFor();
  open("part 0");
  await page.getByText("part 1 line 199").waitFor();

  await page.locator(".log-view").hover();
  await page.mouse.wheel(0, -600);
  const follow = page.getByRole("button", { name: "Follow" });
  await follow.waitFor();
  const before = await page.locator(".log-row").first().innerText();
  open("part 1");
  const size = page.locator(".log-size");
  const old = await size.innerText();
  await tab.until("the log grew", async () => (await size.innerText()) !== old);
  expect(await page.locator(".log-row").first().innerText(), "what is read stays in place").toBe(before);
  await follow.click();
  await page.getByText("part 2 line 199").waitFor();
  open("part 2");
  await page.locator(".run-header [data-status=Completed]").waitFor();
});

test("a search marks what it finds, steps through it and lists it", async () => {
  const { roost } = studio;
  const run = await roost.python(`
for i in range(5000):
    print(f"row {i} " + ("needle" if i in (10, 2500, 4990) else "hay"))
`);
  await roost.wait(run, "Completed");
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${run}/logs`);
  await page.getByLabel("Search in the log").fill("NEEDLE");
  await page.getByText(/3 lines/).waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".log-row.marked mark").waitFor();
  const rows = new Set<string>();
  for (let i = 0; i < 3; i += 1) {
    rows.add(await page.locator(".log-row.marked").innerText());
    const address = page.url();
    await page.getByRole("button", { name: "Next match" }).click();
    await tab.until("the next match", () => page.url() !== address);
    await page.locator(".log-row.marked mark").waitFor();
  }
  expect([...rows].sort()).toEqual(["row 10 needle", "row 2500 needle", "row 4990 needle"]);
  await page.getByRole("button", { name: "List" }).click();
  await page.getByRole("list", { name: "Lines found" }).getByRole("button", { name: "row 2500 needle" }).click();
  await page.locator(".log-row.marked", { hasText: "row 2500 needle" }).waitFor();

  // The place is in the address.
  await page.reload();
  await page.locator(".log-row.marked", { hasText: "row 2500 needle" }).waitFor();
  expect(await page.getByLabel("Search in the log").inputValue()).toBe("NEEDLE");
});

test("a log of 100 MB opens at its end without being loaded", async () => {
  const { roost } = studio;
  const run = await roost.python(`
import sys
block = "".join(f"{'x' * 90} {i:08d}\\n" for i in range(10000))
for i in range(100):
    sys.stdout.write(block)
print("the very last line")
`);
  await roost.wait(run, "Completed", 120);
  const [log] = (await roost.call("GET", `/runs/${run}/logs`)).items;
  expect(log.size).toBeGreaterThan(99_000_000);
  const tab = await studio.tab();
  const { page } = tab;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  let received = 0;
  session.on("Network.dataReceived", ({ encodedDataLength, dataLength }) => (received += encodedDataLength || dataLength));
  await tab.go(`/runs/${run}/logs`);
  await page.getByText("the very last line").waitFor();
  expect(received).toBeLessThan(4_000_000);

  await page.getByRole("button", { name: "Start" }).click();
  await page.locator(".log-row", { hasText: "x 00000000" }).first().waitFor();
  await page.getByLabel(/Go to a part/).fill("50%");
  await page.keyboard.press("Enter");
  await tab.until("the middle", async () => Number(await page.locator(".log-row").first().getAttribute("data-offset")) > 45_000_000);
  expect(received).toBeLessThan(8_000_000);
  expect(await page.locator(".log-row").count()).toBeLessThan(300);
});

test("the lines of all ranks stand in the order in which they came", async () => {
  const { roost } = studio;
  const held = gated(roost, `
import os
rank = int(os.environ["RANK"])
print(f"rank {rank} begins", flush=True)
gate(f"merged {rank}")
print(f"\\x1b[31mrank {rank} goes on\\x1b[0m", flush=True)
gate("merged end")
`);
  const run = await roost.python(held.source, [], { processes: 3, env: held.env });
  const tab = await studio.tab();
  const { page } = tab;
  await roost.wait(run, "Running");
  await tab.go(`/runs/${run}/logs`);
  await page.getByRole("button", { name: "All ranks" }).click();
  const log = page.getByRole("log", { name: "Output of all ranks" });
  for (const rank of [0, 1, 2]) await log.getByText(`rank ${rank} begins`).waitFor();
  for (const rank of [2, 0, 1]) {
    held.open(`merged ${rank}`);
    await log.getByText(`rank ${rank} goes on`).waitFor();
  }
  const lines = await log.locator(".log-merged-line").allInnerTexts();
  expect(lines.slice(3).map((line) => line.replace(/\s+/g, " "))).toEqual(["2 rank 2 goes on", "0 rank 0 goes on", "1 rank 1 goes on"]);
  held.open("merged end");
  await roost.wait(run, "Completed");
  await page.reload();
  await log.getByText("rank 1 goes on").waitFor();
});
