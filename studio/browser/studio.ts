// What every spec begins with: a server, and tabs that must end without an unexpected error.
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium, type Browser, type BrowserContext, type BrowserContextOptions } from "playwright-core";
import { afterAll, afterEach, beforeAll, expect, inject } from "vitest";
import { Tab } from "./page";
import { Roost } from "./roost";

export const FAILURES = join(tmpdir(), "roost-studio-failures");

export interface Studio {
  readonly roost: Roost;
  /** A tab of a browser that nobody used before; `logIn` is the default. */
  tab(options?: { token?: string; logIn?: boolean } & BrowserContextOptions): Promise<Tab>;
}

export function useStudio(): Studio {
  let roost: Roost | undefined;
  let browser: Browser | undefined;
  let contexts: BrowserContext[] = [];
  let tabs: Tab[] = [];

  beforeAll(async () => {
    [roost, browser] = await Promise.all([Roost.start(), chromium.connect(inject("chromium"))]);
  });
  afterAll(async () => {
    await browser?.close();
    await roost?.close();
  });
  afterEach(async ({ task }) => {
    const failed = task.result?.state === "fail";
    const unexpected = tabs.flatMap((tab) => tab.unexpected());
    if (failed || unexpected.length > 0) {
      mkdirSync(FAILURES, { recursive: true });
      for (const [index, tab] of tabs.entries()) {
        const path = join(FAILURES, `${task.name.replace(/\W+/g, "-")}-${index}.png`);
        await tab.page.screenshot({ path }).catch(() => undefined);
        console.error(`${tab.page.url()}: see ${path}`);
      }
    }
    await Promise.all(contexts.map((context) => context.close()));
    contexts = [];
    tabs = [];
    expect(unexpected, "errors that the browser told of").toEqual([]);
  });

  return {
    get roost() {
      if (!roost) throw new Error("the server is not started yet");
      return roost;
    },
    async tab({ token, logIn = true, ...options } = {}) {
      if (!browser || !roost) throw new Error("the browser is not started yet");
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce", ...options });
      contexts.push(context);
      const tab = await Tab.open(context, roost);
      tabs.push(tab);
      if (logIn) await tab.logIn(token);
      return tab;
    },
  };
}
