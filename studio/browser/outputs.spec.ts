// Outputs: downloaded as they were stored, and shown as what they are.
import { createHash } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { useStudio } from "./studio";

const studio = useStudio();
let run = "";

// Four rows that pyarrow wrote, with a dictionary and snappy.
const PARQUET =
  "UEFSMRUEFUAVOEwVCBUAEgAAIAQBAAkBAAIJB0AAAwAAAAAAAAAEAAAAAAAAABUAFRQVGCwVCBUQFQYVBhwAAAAKJAIAAAAIAQID5AAVBBUWFRpMFQQVABIAAAsoAQAAAGECAAAAw7wVABUSFRYsFQgVEBUGFQYcAAAACSACAAAAAwsBAwIVBBUwFSxMFQYVABIAABgAAAUBBOA/BQcoAPg/AAAAAAAA+H8VABUUFRgsFQgVEBUGFQYcAAAACiQCAAAAAw0CAyQAFQAVDhUSLBUIFQAVBhUGHAAAAAcYAgAAAAgBDRUEFRAVFEwVAhUAEgAACBxA80z2XkcGABUAFRIVFiwVCBUQFQYVBhwAAAAJIAIAAAAIAQEIABUEFQgVDEwVAhUAEgAABAznTwAAFQAVEhUWLBUIFRAVBhUGHAAAAAkgAgAAAAgBAQgAFQQVHhUiTBUGFQASAAAPOAEAAAB4AQAAAHkBAAAAehUAFSIVJiwVChUQFQYVBhwAAAARQAIAAAADCAMAAAAD9wACAyQAFQQZrDUAGAZzY2hlbWEVDgAVBCUCGAJpZAAVDCUCGARuYW1lJQBMHAAAABUKJQIYBXNjb3JlABUAJQIYAm9rABUEJQIYAmF0JRRMjBIcLAAAAAAAFQIlAhgDZGF5JQxMbAAAADUCGAR0YWdzFQIVBkw8AAAANQQYBGxpc3QVAgAVDCUCGAdlbGVtZW50JQBMHAAAABYIGRwZfCYAHBUEGTUABhAZGAJpZBUCFggWlgEWkgEmXCYIKSwVBBUAFQIAFQAVEBUCADwpBhkmAAgAAAAmABwVDBk1AAYQGRgEbmFtZRUCFggWahZyJtABJpoBKSwVBBUAFQIAFQAVEBUCADwWCBkGGSYCBgAAACYAHBUKGTUABhAZGAVzY29yZRUCFggWhgEWhgEm1AImjAIpLBUEFQAVAgAVABUQFQIAPCkGGSYCBgAAACYAHBUAGSUGABkYAm9rFQIWCBY0FjgmkgNJHBUAFQAVAgA8KQYZJgAIAAAAJgAcFQQZNQAGEBkYAmF0FQIWCBZkFmwm+gMmygMpLBUEFQAVAgAVABUQFQIAPCkGGSYACAAAACYAHBUCGTUABhAZGANkYXkVAhYIFlwWZCbeBCa2BCksFQQVABUCABUAFRAVAgA8KQYZJgAIAAAAJgAcFQwZNQAGEBk4BHRhZ3MEbGlzdAdlbGVtZW50FQIWChaCARaKASbYBSaaBSksFQQVABUCABUAFRAVAgA8FgYZJggCGUYCAgAGAAAAFvwFFggmCBacBgAoIHBhcnF1ZXQtY3BwLWFycm93IHZlcnNpb24gMjYuMC4xGXwcAAAcAAAcAAAcAAAcAAAcAAAcAAAAdgIAAFBBUjE=";

// A picture of 6 x 4 pixels needs no library.
const WRITES = `
import json, os, random, struct, zlib
os.makedirs("outputs/deep/er", exist_ok=True)
def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
raw = b"".join(b"\\0" + b"".join(bytes([40 * x, 60 * y, 128]) for x in range(6)) for y in range(4))
png = b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 6, 4, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b"")
open("outputs/picture.png", "wb").write(png)
open("outputs/weights.bin", "wb").write(random.Random(7).randbytes(3_000_000))
open("outputs/deep/er/notes.txt", "w").write("first line\\nsecond <b>line</b>\\n")
json.dump({"name": "birds", "scores": [1, 2.5, None], "nested": {"ok": True}}, open("outputs/facts.json", "w"))
open("outputs/table.csv", "w").write("kind,count\\nchicken,12\\n\\"turkey, wild\\",7\\n")
open("outputs/report.html", "w").write("""<!doctype html><title>r</title><h1 id=h>Report</h1><p style="color: rgb(1, 2, 3)">styled</p>
<script>document.getElementById("h").textContent = "a script ran"; parent.__pwned = 1; top.__pwned = 1</script>
<img src=x onerror="parent.__pwned = 1"><a href="javascript:parent.__pwned=1">link</a><form action="/api/v1/tokens" method=post><button>send</button></form>""")
open("outputs/broken.json", "w").write("{not json")
open("outputs/empty.txt", "w").close()

import base64, wave
head = "{'descr': '<f4', 'fortran_order': False, 'shape': (16, 24), }".ljust(117) + "\\n"
open("outputs/array.npy", "wb").write(b"\\x93NUMPY\\x01\\x00" + struct.pack("<H", len(head)) + head.encode() + struct.pack("<384f", *range(384)))
open("outputs/table.parquet", "wb").write(base64.b64decode("${PARQUET}"))
open("outputs/cut.parquet", "wb").write(base64.b64decode("${PARQUET}")[:-9])
open("outputs/read.md", "w").write("# Read\\n\\n![picture](picture.png) ![remote](https://evil.example/x.png) <b>no tag</b>\\n")
with wave.open("outputs/tone.wav", "wb") as tone:
    tone.setnchannels(1); tone.setsampwidth(2); tone.setframerate(8000); tone.writeframes(bytes(16000))
open("outputs/paper.pdf", "wb").write(b"%PDF-1.4\\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj 2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj "
    b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]>>endobj trailer<</Root 1 0 R>>")
`;

beforeAll(async () => {
  run = await studio.roost.python(WRITES, [], { name: "writes files" });
  await studio.roost.wait(run, "Completed");
});

test("a downloaded output has the digest that is shown", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${run}/outputs`);
  await page.getByRole("treeitem", { name: /weights\.bin/ }).click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("article").getByRole("link", { name: "Download" }).click()]);
  expect(download.suggestedFilename()).toBe("weights.bin");
  const parts = await (await download.createReadStream()).toArray();
  const digest = createHash("sha256").update(Buffer.concat(parts)).digest("hex");
  const listed = (await studio.roost.call("GET", `/runs/${run}/artifacts`)).items.find((item: any) => item.path === "outputs/weights.bin");
  expect(digest).toBe(listed.digest);
  expect(Buffer.concat(parts).length).toBe(3_000_000);
  await page.getByRole("article").getByText(digest).first().waitFor();
});

test("pictures, text, JSON and tables are shown", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  await tab.go(`/runs/${run}/outputs/outputs/picture.png`);
  await page.getByText("6 × 4").waitFor();
  await page.getByRole("treeitem", { name: /notes\.txt/ }).click();
  await page.getByText("second <b>line</b>").waitFor();
  expect(new URL(page.url()).pathname).toBe(`/runs/${run}/outputs/outputs/deep/er/notes.txt`);
  await page.getByRole("treeitem", { name: /facts\.json/ }).click();
  const json = page.getByRole("region", { name: "JSON" });
  await json.getByText('"birds"').waitFor();
  await json.getByText("scores").click();
  await json.getByText("2.5").waitFor();
  await page.getByRole("button", { name: "Raw" }).click();
  await page.getByRole("treeitem", { name: /table\.csv/ }).click();
  const table = page.getByRole("region", { name: "Table outputs/table.csv" });
  await table.getByRole("cell", { name: "turkey, wild" }).waitFor();
  expect(await table.getByRole("columnheader").count()).toBe(3);
  await page.getByRole("treeitem", { name: /broken\.json/ }).click();
  await page.getByText("This is no valid JSON").waitFor();
  await page.getByRole("treeitem", { name: /empty\.txt/ }).click();
  await page.getByText("This file is empty").waitFor();
});

test("arrays, Parquet, markdown, recordings and PDF are shown", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  const show = (name: string) => page.getByRole("treeitem", { name }).click();
  await tab.go(`/runs/${run}/outputs`);
  await show("array.npy");
  await page.getByText("16 × 24", { exact: true }).waitFor();
  await page.getByRole("img", { name: "24 × 16 pixels" }).waitFor();
  expect(await page.getByRole("region", { name: "Values" }).innerText()).toMatch(/^0\s+1\s+2\s+3/);
  await show("table.parquet");
  const rows = page.getByRole("region", { name: "First rows" });
  await rows.getByRole("cell", { name: "2026-01-02 03:04:05" }).first().waitFor();
  expect(await rows.getByRole("row").nth(2).innerText()).toMatch(/^2\s+ü\s+null\s+false/);
  await page.getByText("tags.list.element (a list or structure)").waitFor();
  await show("cut.parquet");
  await page.getByText(/cannot be shown: it does not end as a Parquet file/).waitFor();
  await show("read.md");
  await page.locator(".markdown img").waitFor();
  expect(await page.locator(".markdown img").getAttribute("src")).toContain("/artifacts/outputs/picture.png");
  expect(await page.locator(".markdown").innerText()).toContain("<b>no tag</b>");
  expect(await page.getByRole("link", { name: "remote" }).getAttribute("href")).toBe("https://evil.example/x.png");
  await page.getByRole("button", { name: "Source" }).click();
  await page.getByText("![picture](picture.png)").waitFor();
  await show("tone.wav");
  await page.waitForFunction(() => (document.querySelector("audio")?.duration ?? 0) === 1);
  await show("paper.pdf");
  await page.locator("iframe").waitFor();
  const answer = await page.request.get(`${studio.roost.url}/api/v1/runs/${run}/artifacts/outputs/paper.pdf?show=inline`);
  expect(answer.headers()["content-type"]).toBe("application/pdf");
  expect(answer.headers()["content-security-policy"]).not.toContain("sandbox");
});

test("a page is shown in a frame where no script runs", async () => {
  const tab = await studio.tab();
  const { page } = tab;
  // The frame's own policy refuses its scripts and pictures, and says so.
  tab.allow(/sandbox|report\.html|Content Security Policy/);
  await tab.go(`/runs/${run}/outputs/outputs/report.html`);
  const frame = page.frameLocator("iframe");
  await frame.getByText("styled").waitFor();
  expect(await frame.locator("#h").textContent()).toBe("Report");
  expect(await page.locator("iframe").getAttribute("sandbox")).toBe("");
  expect(await page.evaluate(() => "__pwned" in window)).toBe(false);
  await page.getByRole("button", { name: "Source" }).click();
  await page.getByText("a script ran").waitFor();

  // The same file in a tab of its own: sandboxed too, by its header.
  const address = `${studio.roost.studio}/api/v1/runs/${run}/artifacts/outputs/report.html?show=inline`;
  const answer = await page.goto(address);
  expect(answer!.headers()["content-security-policy"]).toMatch(/^sandbox;/);
  expect(answer!.headers()["x-content-type-options"]).toBe("nosniff");
  expect(await page.locator("#h").textContent()).toBe("Report");
  expect(await page.evaluate(() => self.origin)).toBe("null");
});
