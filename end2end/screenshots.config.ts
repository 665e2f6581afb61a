// Takes the pictures of the papers from the real page: `make screenshots`.
import { defineConfig } from "@playwright/test";
import stories from "./playwright.config.js";

export default defineConfig({ ...stories, testDir: "screenshots", workers: 1 });
