// What axe finds on a page, told so that the place can be found.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";
import { still } from "./still.js";

/** Nothing is wrong with what is shown now, of whatever gravity. */
export async function isAccessible(page: Page, what: string): Promise<void> {
  await still(page);
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, impact, nodes }) => ({
    rule: `${id} (${impact})`,
    where: nodes.map((node) => node.target.join(" ")),
    why: nodes[0]?.failureSummary,
  }));
  expect.soft(found, what).toEqual([]);
}
