// The same on a phone.
import { expect, reply, test, text } from "../support/stories.js";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test("a chat fits, the list is a drawer, nothing scrolls sideways", async ({ chat, page, provider }) => {
  const long = `${"averylongword".repeat(12)} and a table\n\n| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n| ${"wide ".repeat(8)}| 2 | 3 | 4 | 5 | 6 |\n`;
  provider.will(reply(text(long, "\n```sh\n", "x".repeat(200), "\n```\n")));
  await chat.open("/");
  await chat.composer.fill("go");
  await chat.composer.press("Enter"); // breaks the line here: fingers send by the button
  await expect(chat.composer).toHaveValue("go\n");
  await chat.send.tap();
  await page.waitForURL(/\/s\/[^/]+$/);
  await expect(chat.answer).toContainText("averylongword");
  await chat.settled();
  const path = new URL(page.url()).pathname;
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await overflow()).toBeLessThanOrEqual(0);
  await expect(chat.composer).toBeInViewport();

  const link = chat.sidebar.locator(`a[href="${path}"]`);
  await expect(link).not.toBeInViewport();
  await page.getByRole("button", { name: "Open the list of chats" }).click();
  await expect(link).toBeInViewport();
  expect(await overflow()).toBeLessThanOrEqual(0);
  await link.click();
  await expect(link).not.toBeInViewport();
});
