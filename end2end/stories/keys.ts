// Keys can be changed, one by one; what browsers keep for themselves cannot be taken, and what is taken is said.
import { expect, test } from "../support/stories.js";

test("a key is changed, works at once and in the next visit, and is reset", async ({ chat, page }) => {
  await chat.open("/settings/shortcuts");
  const button = page.getByRole("button", { name: /^New chat: .*Change the keys$/ });
  await expect(button).toHaveText("CtrlShiftO");
  await button.click();
  await expect(button).toHaveText("Press the keys; Esc leaves them");
  await page.keyboard.press("Control+r");
  await expect(page.getByRole("alert")).toHaveText("Ctrl R belongs to the browser.");
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("alert")).toHaveText("Ctrl K is taken: Search and commands.");
  await expect(page.getByRole("dialog", { name: "Search and commands" })).toBeHidden();
  await page.keyboard.press("x");
  await expect(page.getByRole("alert")).toContainText("Hold Ctrl or Command as well");
  await page.keyboard.press("Control+Shift+Y");
  await expect(button).toHaveText("CtrlShiftY");
  await expect(page.getByRole("alert")).toHaveCount(0);

  await page.keyboard.press("Control+Shift+O");
  await expect(page).toHaveURL(/shortcuts$/);
  await page.keyboard.press("Control+Shift+Y");
  await expect(chat.composer).toBeFocused();
  await expect(page).not.toHaveURL(/shortcuts$/);

  await chat.open("/settings/shortcuts");
  await expect(button).toHaveText("CtrlShiftY");
  await page.getByRole("button", { name: "Usual keys for: New chat" }).click();
  await expect(button).toHaveText("CtrlShiftO");
  await expect(page.getByRole("button", { name: "Reset all keys" })).toHaveCount(0);
});

test("keys are changed in the sheet too, and Escape leaves them", async ({ chat, page }) => {
  await chat.open("/");
  const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(async () => {
    await page.keyboard.press("Control+/");
    await expect(sheet).toBeVisible({ timeout: 300 });
  }).toPass();
  const button = sheet.getByRole("button", { name: /^Settings: .*Change the keys$/ });
  await button.click();
  await page.keyboard.press("Escape");
  await expect(sheet).toBeVisible();
  await expect(button).toHaveText("Ctrl.");
  await button.click();
  await page.keyboard.press("F9");
  await expect(button).toHaveText("F9");
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await chat.composer.focus();
  await page.keyboard.press("F9");
  await expect(page).toHaveURL(/\/settings\/models$/);
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Shortcuts" }).click();
  await page.getByRole("button", { name: "Reset all keys" }).click();
  await expect(page.getByRole("button", { name: /^Settings: .*Change the keys$/ })).toHaveText("Ctrl.");
});
