// What axe finds serious on a page as it is now.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type axe from "axe-core";
import type { Tab } from "./page";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const readable = (violation: axe.Result): string =>
  `${violation.impact}: ${violation.id}: ${violation.help}\n${violation.nodes
    .slice(0, 4)
    .map((node) => `    ${node.target.join(" ")}\n      ${node.html.slice(0, 160)}\n      ${(node.any[0] ?? node.all[0] ?? node.none[0])?.message ?? ""}`)
    .join("\n")}`;

export const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

export async function findings(tab: Tab, rules: string[] = ALL_RULES): Promise<string[]> {
  const { page } = tab;
  await tab.settled();
  await page.evaluate(AXE);
  const result = await page.evaluate((runOnly) => (window as any).axe.run(document, { resultTypes: ["violations"], iframes: false, runOnly }) as Promise<axe.AxeResults>, rules);
  return result.violations.filter((violation) => violation.impact === "serious" || violation.impact === "critical").map(readable);
}

/** Also that nothing makes the page wider than the screen. */
export async function findingsOfPage(tab: Tab, rules: string[] = ALL_RULES): Promise<string[]> {
  const found = await findings(tab, rules);
  const wide = await tab.page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  return wide > 1 ? [...found, `the page is ${wide} px wider than the screen`] : found;
}
