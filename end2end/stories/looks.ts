// Both themes, without a flash; the chat on paper; colours that the system forces.
import type { Page } from "@playwright/test";
import { expect, reply, test, text } from "../support/stories.js";

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("the system's theme is there before any script", async ({ browser, bough }) => {
      const context = await browser.newContext({ javaScriptEnabled: false, colorScheme });
      const page = await context.newPage();
      await page.goto(bough.url);
      expect(await brightness(page)).toBe(colorScheme);
      await context.close();
    });
  });
}

test("a chosen theme wins over the system's and stays", async ({ chat, page }) => {
  await page.emulateMedia({ colorScheme: "light" });
  await chat.open("/");
  const button = page.getByRole("button", { name: /theme/i });
  for (let presses = 0; presses < 3 && (await brightness(page)) !== "dark"; presses++) await button.click();
  expect(await brightness(page)).toBe("dark");
  await chat.reload();
  expect(await brightness(page)).toBe("dark");
});

test("on paper stands the whole chat, and nothing else", async ({ chat, page, provider }) => {
  provider.will(reply(text("A line.\n\n".repeat(80), "The end.")));
  await chat.begin("write much");
  await chat.settled();
  await page.emulateMedia({ media: "print" });
  const tall = () => page.evaluate(() => document.documentElement.scrollHeight / innerHeight);
  await expect.poll(tall).toBeGreaterThan(2);
  for (const around of [chat.sidebar, chat.composer, page.getByRole("button", { name: "Regenerate" })]) await expect(around).toBeHidden();
  await expect(chat.questions.first()).toBeVisible();
  await page.emulateMedia({ media: null });
  await expect.poll(tall).toBe(1);
});

test("where the system chooses the colours, the rail and the chosen tab are still seen", async ({ chat, page, provider }) => {
  await page.emulateMedia({ forcedColors: "active" });
  provider.will(reply(text("Yes.")));
  await chat.begin("hi");
  await chat.settled();
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("tab", { name: "Tree" }).click();
  const look = (selector: string, property: string, pseudo?: string) =>
    page.locator(selector).first().evaluate((at, [property, pseudo]) => getComputedStyle(at, pseudo).getPropertyValue(property as string), [property, pseudo]);
  const ground = await look("body", "background-color");
  expect(await look(".rail", "background-color", "::before")).not.toBe(ground);
  const underline = (isChosen: boolean) => look(`.panel-tab[aria-selected="${isChosen}"]`, "border-bottom-color");
  expect(await underline(true)).not.toBe(ground);
  expect(await underline(false)).toBe(ground);
});

/** Whether the page's ground is light or dark. */
async function brightness(page: Page): Promise<"light" | "dark"> {
  const picture = await page.screenshot({ clip: { x: 2, y: 2, width: 1, height: 1 }, type: "png" });
  const level = await page.context().newPage().then(async (blank) => {
    const value = await blank.evaluate(async (data) => {
      const bitmap = await createImageBitmap(await (await fetch(data)).blob());
      const canvas = new OffscreenCanvas(1, 1);
      const painter = canvas.getContext("2d");
      painter?.drawImage(bitmap, 0, 0);
      return painter?.getImageData(0, 0, 1, 1).data.slice(0, 3).reduce((sum, part) => sum + part, 0) ?? 0;
    }, `data:image/png;base64,${picture.toString("base64")}`);
    await blank.close();
    return value;
  });
  return level > 380 ? "light" : "dark";
}
