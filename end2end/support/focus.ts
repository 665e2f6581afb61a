// Where the keyboard is, and whether it can be seen.
import { expect, type Page } from "@playwright/test";

/** What has the focus: its role and name as a person would say them, and whether it shows it. */
export type Focus = { name: string; where: string; isSeen: boolean };

/** More steps than this lead nowhere. */
const STEPS_MAX = 120;

/** What has the focus now; nothing where it is the page itself. */
export async function focus(page: Page): Promise<Focus | undefined> {
  return page.evaluate(() => {
    const at = document.activeElement as HTMLElement | null;
    if (!at || at === document.body) return undefined;
    const shows = (element: Element) => {
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      return outlineStyle !== "none" || boxShadow !== "none";
    };
    const isWriting = at.matches("textarea, input");
    const box = at.getBoundingClientRect();
    const isThere = box.width > 0 && box.bottom > 0 && box.top < innerHeight;
    const label = at.getAttribute("aria-label") ?? at.closest("label")?.textContent ?? at.textContent ?? "";
    const region = at.closest("[role=dialog], [role=region], section, nav, aside, article, main");
    return {
      name: label.trim(),
      where: region?.getAttribute("aria-label") ?? region?.querySelector("h2, h3")?.textContent ?? "",
      // A field shows the caret, and its frame the focus.
      isSeen: isThere && (isWriting || shows(at) || shows(at.parentElement ?? at)),
    };
  });
}

/** The focus is somewhere, and can be seen. */
export async function focusIsSeen(page: Page, when: string): Promise<void> {
  await expect.poll(async () => (await focus(page))?.isSeen ?? false, `the focus is seen: ${when}`).toBe(true);
}

/** Presses a key until what is wanted has the focus; on the way the focus can always be seen. */
export async function reach(page: Page, key: "Tab" | "Shift+Tab", name: RegExp, where = /.*/): Promise<void> {
  const passed: string[] = [];
  for (let step = 0; step < STEPS_MAX; step++) {
    await page.keyboard.press(key);
    const now = await focus(page);
    if (!now) continue;
    expect(now.isSeen, `${now.name} in ${now.where} shows that it has the focus`).toBe(true);
    if (name.test(now.name) && where.test(now.where)) return;
    passed.push(`${now.where}: ${now.name}`);
  }
  throw new Error(`${key} never reaches ${name} in ${where}; it passed\n${passed.join("\n")}`);
}
