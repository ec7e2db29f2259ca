// One Chromium for the whole suite; each test has a context of its own in it.
import { chromium } from "playwright-core";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  export interface ProvidedContext {
    chromium: string;
  }
}

export const EXECUTABLE = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const ARGUMENTS = ["--no-sandbox", "--disable-dev-shm-usage", "--force-color-profile=srgb"];

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await chromium.launchServer({ executablePath: EXECUTABLE, args: ARGUMENTS, headless: true });
  project.provide("chromium", server.wsEndpoint());
  return () => server.close();
}
