// What axe finds on a page, told so that the place can be found.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** Nothing is wrong with what is shown now, of whatever gravity. */
export async function isAccessible(page: Page, what: string): Promise<void> {
  // What still fades in has not the colours it will have.
  await page.evaluate(() => {
    const ending = document.getAnimations().filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime));
    return Promise.allSettled(ending.map((one) => one.finished));
  });
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, impact, nodes }) => ({
    rule: `${id} (${impact})`,
    where: nodes.map((node) => node.target.join(" ")),
    why: nodes[0]?.failureSummary,
  }));
  expect.soft(found, what).toEqual([]);
}
