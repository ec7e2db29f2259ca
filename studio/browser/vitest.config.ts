import { defineConfig } from "vitest/config";

// Real servers, real runs, one browser: one file after another, and time enough on a slow machine.
export default defineConfig({
  test: {
    include: ["browser/**/*.spec.ts"],
    environment: "node",
    globalSetup: ["browser/chromium.ts"],
    fileParallelism: false,
    pool: "forks",
    // A machine that stalls can fail a test that waits for a page; the report names those that needed a second try.
    retry: 1,
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    reporters: ["verbose"],
  },
});
