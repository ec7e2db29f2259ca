import { defineConfig } from "vitest/config";

// Real servers, real runs, one browser: one file after another, and time enough on a slow machine.
export default defineConfig({
  test: {
    include: ["browser/**/*.spec.ts"],
    environment: "node",
    globalSetup: ["browser/chromium.ts"],
    fileParallelism: false,
    pool: "forks",
    testTimeout: 90_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
    reporters: ["verbose"],
  },
});
