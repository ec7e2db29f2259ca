import { expect, test } from "vitest";
import { inlineOf, parseMarkdown, safeHref, type Block } from "./parse";

const words = (block: Block | undefined): unknown => (block && "children" in block ? block.children.map((one) => ("text" in one ? one.text : one.kind)).join("") : undefined);

test("blocks", () => {
  const blocks = parseMarkdown("# Title #\nSome *words*\nof two lines\n\n- one\n- [x] two\n  - inner\n\n3. three\n\n> said\n\n```py\nx = 1 < 2\n```\n---\n| a | b |\n|---|--:|\n| 1 | `x\\|y` |\n");
  expect(blocks.map((block) => block.kind)).toEqual(["heading", "paragraph", "list", "list", "quote", "code", "rule", "table"]);
  expect(blocks[2]).toMatchObject({ ordered: false, items: [{}, { done: true, blocks: [{ kind: "paragraph" }, { kind: "list" }] }] });
  expect(blocks[3]).toMatchObject({ ordered: true, start: 3 });
  expect(blocks[5]).toMatchObject({ language: "py", text: "x = 1 < 2" });
  expect(blocks[7]).toMatchObject({ align: ["left", "right"], rows: [[[{ text: "1" }], [{ kind: "code" }]]] });
});
test("marks within a line", () => {
  expect(inlineOf("a **b _c_** ~~d~~ `e*f*` snake_case_name 2*3*4")).toEqual([
    { kind: "text", text: "a " },
    { kind: "strong", children: [{ kind: "text", text: "b " }, { kind: "em", children: [{ kind: "text", text: "c" }] }] },
    { kind: "text", text: " " },
    { kind: "del", children: [{ kind: "text", text: "d" }] },
    { kind: "text", text: " " },
    { kind: "code", text: "e*f*" },
    { kind: "text", text: " snake_case_name 2" },
    { kind: "em", children: [{ kind: "text", text: "3" }] },
    { kind: "text", text: "4" },
  ]);
  expect(inlineOf("see https://example.org/a_b, [here](/runs/x) and \\*this\\*")).toMatchObject([{}, { kind: "link", href: "https://example.org/a_b" }, {}, { kind: "link", href: "/runs/x" }, { text: " and *this*" }]);
});
test("underlines before a word do not end what others began", () => {
  expect(inlineOf("window.__one = 1 and window.__two = 2")).toEqual([{ kind: "text", text: "window.__one = 1 and window.__two = 2" }]);
  expect(inlineOf("__bold__, x")).toEqual([{ kind: "strong", children: [{ kind: "text", text: "bold" }] }, { kind: "text", text: ", x" }]);
});
test("HTML is text", () => {
  const blocks = parseMarkdown('<script>alert(1)</script>\n<img src=x onerror="alert(1)">');
  expect(blocks.length).toBe(1);
  expect(words(blocks[0])).toBe('<script>alert(1)</script>\n<img src=x onerror="alert(1)">');
});
test("links that lead to scripts or files are none", () => {
  const bad = ["javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\nscript:alert(1)", "\u0001javascript:alert(1)", " javascript:x", "vbscript:x", "data:text/html,x", "file:///etc/passwd", "//evil.example", "/\\evil.example", "\\\\evil", "blob:x", "javascript&colon;alert(1)"];
  for (const href of bad) expect(safeHref(href), href).toBeUndefined();
  for (const href of ["https://a.example/x?y#z", "http://a.example", "mailto:a@b.example", "/runs/x", "#part", "?view=table"]) expect(safeHref(href)).toBe(href);
});
test("what is nested without end or never closed is read quickly", () => {
  const started = performance.now();
  for (const text of [">".repeat(5000) + "x", "- ".repeat(5000) + "x", "*".repeat(20000), "[".repeat(20000), "`".repeat(20001) + "x", "**a".repeat(5000), "[a](".repeat(5000), "_a ".repeat(8000), "|".repeat(8000) + "\n" + "|-".repeat(4000), "![".repeat(9000)]) parseMarkdown(text);
  expect(performance.now() - started).toBeLessThan(3000);
});
