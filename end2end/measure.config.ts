// Measures the page in a real browser and prints a table: `make measure`. One browser at a time, so that nothing disturbs
// what is measured. A figure never fails; only what could not be measured does.
import { defineConfig } from "@playwright/test";
import stories from "./playwright.config.js";
import { chromium } from "./support/browser.js";

export default defineConfig({
  ...stories,
  testDir: "measure",
  fullyParallel: false,
  workers: 1,
  timeout: 600_000,
  expect: { timeout: 30_000 },
  reporter: "./support/figures-table.ts",
  outputDir: "test-results/measure",
  // The recorder of the stories copies the whole page with each call: in a long chat that is most of what is measured.
  projects: [{ name: "chromium", use: { ...chromium, trace: "off" } }],
});
