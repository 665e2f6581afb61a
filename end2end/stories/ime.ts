// Enter that ends a composition is not Enter that sends.
import type { CDPSession } from "@playwright/test";
import { expect, reply, test, text } from "../support/stories.js";

async function compose(input: CDPSession, written: string): Promise<void> {
  await input.send("Input.imeSetComposition", { text: written, selectionStart: written.length, selectionEnd: written.length });
}

test("a composition can be finished with Enter", async ({ chat, page, provider }) => {
  provider.will(reply(text("こんにちは。")));
  await chat.open("/");
  await chat.composer.focus();
  const input = await page.context().newCDPSession(page);
  await compose(input, "こんにち");
  // While composing, browsers send key code 229 for every key.
  await input.send("Input.dispatchKeyEvent", { type: "rawKeyDown", key: "Enter", code: "Enter", windowsVirtualKeyCode: 229 });
  await input.send("Input.insertText", { text: "こんにちは" });
  await expect(chat.composer).toHaveValue("こんにちは");
  await expect(page).toHaveURL(/\/$/);
  await expect(chat.questions).toHaveCount(0);
  await chat.composer.press("Enter");
  await expect(chat.questions).toContainText("こんにちは");
  await expect(chat.answer).toContainText("こんにちは。");
});
