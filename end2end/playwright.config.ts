// How the stories run: one browser, two at a time, never a second try. Each story starts a server of its own.
import { defineConfig } from "@playwright/test";
import { chromium } from "./support/browser.js";

export default defineConfig({
  testDir: "stories",
  testMatch: "*.ts",
  fullyParallel: true,
  workers: 2,
  retries: 0,
  forbidOnly: true,
  timeout: 40_000,
  expect: { timeout: 8_000 },
  reporter: "list",
  outputDir: "test-results",
  projects: [{ name: "chromium", use: chromium }],
});
