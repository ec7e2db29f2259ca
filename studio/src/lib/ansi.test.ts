import { describe, expect, it } from "vitest";
import { parseLine, penAfter, PLAIN } from "./ansi";
import { contrast, type Rgb } from "./ansi_colors";
import { cpuMilliseconds } from "./cpu_time";

const text = (line: string) => parseLine(line).spans.map((span) => span.text).join("");

describe("colours", () => {
  it("makes spans of them", () => {
    const { spans, pen } = parseLine("a\x1b[31mred\x1b[1;4mmore\x1b[0mend");
    expect(spans).toEqual([
      { text: "a", className: "" },
      { text: "red", className: "ansi-fg-1" },
      { text: "more", className: "ansi-bold ansi-underline ansi-fg-1" },
      { text: "end", className: "" },
    ]);
    expect(pen).toEqual({});
  });
  it("knows 256 colours and true colours, with ; and with :", () => {
    expect(parseLine("\x1b[38;5;196mx").spans[0]!.style).toEqual({ "--ansi": "rgb(255, 0, 0)" });
    expect(parseLine("\x1b[38:2:1:2:3mx").spans[0]!.style).toEqual({ "--ansi": "rgb(1, 2, 3)" });
    expect(parseLine("\x1b[38;5;9mx").spans[0]!.className).toBe("ansi-fg-9");
    expect(parseLine("\x1b[38;5;900;1mx").spans[0]!.className).toBe("ansi-bold");
  });
  it("goes on in the next line", () => {
    const first = parseLine("\x1b[32mgreen");
    expect(parseLine("still", first.pen).spans[0]!.className).toBe("ansi-fg-2");
    expect(penAfter("x\x1b[32mgreen", PLAIN)).toEqual(first.pen);
    expect(penAfter("plain", first.pen)).toBe(first.pen);
  });
  it("has text that can be read on every ground", () => {
    const rgb = (css: string) => css.match(/\d+/g)!.map(Number) as Rgb;
    for (let bg = 0; bg < 256; bg += 1) {
      for (const fg of [0, 1, 7, 15, 200]) {
        const style = parseLine(`\x1b[38;5;${fg};48;5;${bg}mx`).spans[0]!.style!;
        expect(contrast(rgb(style.color!), rgb(style.backgroundColor!))).toBeGreaterThanOrEqual(4.5);
      }
    }
  });
  it("turns them round", () => {
    expect(parseLine("\x1b[7mx").spans[0]!.className).toBe("ansi-inverse");
    expect(parseLine("\x1b[7;31mx").spans[0]!.style).toHaveProperty("backgroundColor");
  });
});

describe("a terminal's line", () => {
  it("is overwritten after a carriage return", () => {
    expect(text("10%\r20%\r100%")).toBe("100%");
    expect(text("long text\rshort")).toBe("shorttext");
    expect(text("long text\r\x1b[Kshort")).toBe("short");
    expect(text("done\r")).toBe("done");
    expect(text("abc\b\bX")).toBe("aXc");
    expect(text("a\x1b[5Gb\x1b[2Dc")).toBe("a  cb");
  });
  it("keeps characters of more than one unit whole", () => {
    expect(text("\x1b[1m🚀漢é\x1b[0m\r🛰")).toBe("🛰漢é");
  });
});

describe("hostile text", () => {
  it("stays text", () => {
    expect(parseLine("<script>alert(1)</script>").spans).toEqual([{ text: "<script>alert(1)</script>", className: "" }]);
  });
  it("loses links, titles and other strings, keeps what they were put on", () => {
    expect(text("\x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x1b\\ \x1b]0;title\x07\x1bPq#0\x1b\\x")).toBe("link x");
    expect(text("\x1b[?25l\x1b[2J\x1b[1;1H\x1b(B\x1b7\x1b8\x1b=x\x1bM")).toBe("x");
  });
  it("shows what is not ended", () => {
    expect(text("a\x1b")).toBe("a␛");
    expect(text("a\x1b[31")).toBe("a␛[31");
    expect(text("a\x1b]8;;http://x")).toBe("a␛]8;;http://x");
  });
  it("makes controls and turns of direction visible", () => {
    expect(text("a\x00b\x01\x7f\x9b\x07")).toBe("a␀b␁␡�");
    expect(text("user\u202egnp.exe\u2066")).toBe("user⟨202E⟩gnp.exe⟨2066⟩");
  });
  it("cannot be made long by moving the cursor", () => {
    expect(text("\x1b[999999999Cx").length).toBeLessThanOrEqual(4097);
    expect(text("\x1b[4000C".repeat(10_000) + "x").length).toBeLessThanOrEqual(4097);
    expect(text("\x1b[99999999Gx").length).toBeLessThanOrEqual(4097);
  });
  it("is quick", () => {
    const started = cpuMilliseconds();
    text("\x1b[".repeat(100_000));
    text("\x1b]8;;".repeat(20_000));
    text("\x1b[31m\x1b[0m".repeat(50_000));
    text("\x1b[38;5;1;38;5;2mx".repeat(20_000));
    text(`\x1b[${"1;".repeat(100_000)}m`);
    text("progress 50%\r".repeat(20_000));
    penAfter("\x1b[".repeat(100_000), PLAIN);
    penAfter(`\x1b[${"1;".repeat(100_000)}m`, PLAIN);
    expect(cpuMilliseconds() - started).toBeLessThan(3000);
  });
  it("keeps any random bytes within bounds and never throws", () => {
    let seed = 11;
    const random = (n: number) => (seed = (seed * 48271) % 2147483647) % n;
    const alphabet = "\x1b\x1b\x1b[[]m;:0123456789CGKPD?\x07\\\r\b\tab<é🚀";
    for (let round = 0; round < 3000; round += 1) {
      let line = "";
      for (let i = random(60); i > 0; i -= 1) line += alphabet[random(alphabet.length)]!;
      const shown = text(line);
      expect(shown.length).toBeLessThanOrEqual(4200 + line.length * 4);
      // eslint-disable-next-line no-control-regex
      expect(shown).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
    }
  });
});
