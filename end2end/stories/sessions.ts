// Keeping chats in order: new, switch, rename in place, delete and undo.
import { expect, reply, test, text } from "../support/stories.js";

test("chats are listed, switched and have addresses of their own", async ({ chat, provider, page }) => {
  provider.will(reply(text("Of herons.")), reply(text("Of otters.")));
  const herons = await chat.begin("tell me of herons");
  await chat.settled();
  await chat.sidebar.getByRole("link", { name: "New chat" }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(chat.composer).toBeFocused();
  await chat.say("tell me of otters");
  await expect(chat.answer).toContainText("Of otters.");
  const otters = new URL(page.url()).pathname;
  expect(otters).not.toBe(herons);

  await chat.sidebar.locator(`a[href="${herons}"]`).click();
  await expect(chat.answer).toContainText("Of herons.");
  await expect(chat.transcript).not.toContainText("otters");
  await page.goBack();
  await expect(chat.answer).toContainText("Of otters.");
  await page.goForward();
  await expect(chat.answer).toContainText("Of herons.");
});

test("a chat is renamed in place", async ({ chat, provider, page }) => {
  provider.will(reply(text("Hello.")));
  const path = await chat.begin("hi");
  await chat.settled();
  await chat.sidebar.locator(`a[href="${path}"]`).focus();
  await page.keyboard.press("F2");
  await expect(page.getByRole("textbox", { name: "Name of the chat" })).toBeFocused();
  await page.keyboard.type("Herons and otters");
  await page.keyboard.press("Enter");
  await expect(chat.session("Herons and otters")).toBeVisible();
  await expect(page).toHaveTitle(/Herons and otters/);

  await chat.choose(path, "Rename");
  await page.keyboard.type("never mind");
  await page.keyboard.press("Escape");
  await expect(chat.session("Herons and otters")).toBeVisible();
  await chat.reload();
  await expect(chat.session("Herons and otters")).toBeVisible();
});

test("a deleted chat comes back by Undo", async ({ chat, provider, page }) => {
  provider.will(reply(text("Precious.")));
  const path = await chat.begin("keep this");
  await chat.settled();
  await chat.choose(path, "Delete");
  await expect(chat.sidebar.locator(`a[href="${path}"]`)).toHaveCount(0);
  await expect(page).toHaveURL(/\/$/);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat.sidebar.locator(`a[href="${path}"]`)).toBeVisible();
  await chat.sidebar.locator(`a[href="${path}"]`).click();
  await expect(chat.answer).toContainText("Precious.");
});
