// When a page stands still.
import type { Page } from "@playwright/test";

/** Waits until what slides or fades in has come: only then has it its place and its colours. */
export async function still(page: Page): Promise<void> {
  await page.evaluate(() => {
    const ending = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime));
    return Promise.allSettled(ending.map((one) => one.finished));
  });
}
