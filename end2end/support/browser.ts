// The one browser of the stories: the distribution's Chromium.
import { existsSync } from "node:fs";
import type { PlaywrightTestOptions, PlaywrightWorkerOptions } from "@playwright/test";

const candidates = [process.env.CHROMIUM, "/usr/bin/chromium", "/usr/bin/google-chrome"];
const executablePath = candidates.find((path) => path && existsSync(path));
if (!executablePath) throw new Error("no Chromium: install it, or set CHROMIUM to its path");

const isRoot = process.getuid?.() === 0;

export const chromium: Partial<PlaywrightTestOptions & PlaywrightWorkerOptions> = {
  browserName: "chromium",
  viewport: { width: 1440, height: 900 },
  locale: "en-GB",
  timezoneId: "Europe/Oslo",
  colorScheme: "light",
  trace: "retain-on-failure",
  launchOptions: {
    executablePath,
    args: [
      // A page that a story serves itself counts as one from the internet, which may not call a loopback address.
      "--disable-features=LocalNetworkAccessChecks",
      // Chromium's sandbox does not start for root, which is who runs tests in a container.
      ...(isRoot ? ["--no-sandbox"] : []),
    ],
  },
};
