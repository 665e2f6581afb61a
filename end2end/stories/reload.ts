// Somebody reloads the page while the answer is being written.
import { expect, hold, reply, test, text } from "../support/stories.js";

const PIECES = ["One ", "two ", "three ", "four ", "five ", "six."];

test("a reload in mid-stream shows the same text and then the rest", async ({ chat, provider }) => {
  provider.will(reply(text(...PIECES.slice(0, 3)), hold(), text(...PIECES.slice(3))));
  await chat.begin("count");
  await expect(chat.answer).toContainText("One two three");
  await chat.reload();
  await expect(chat.answer).toContainText("One two three");
  await expect(chat.answer).not.toContainText("four");
  await expect(chat.stop).toBeVisible();
  provider.release();
  await expect(chat.answer).toContainText(PIECES.join(""));
  await chat.settled();
  await expect(chat.answers).toHaveCount(1);
  await expect(chat.questions).toHaveCount(1);
  expect(provider.calls).toHaveLength(1);
});

test("leaving for another chat and coming back finds the answer going on", async ({ chat, provider, page }) => {
  provider.will(reply(text("One "), hold(), text("two.")));
  const path = await chat.begin("count");
  await expect(chat.answer).toContainText("One");
  await chat.sidebar.getByRole("link", { name: "New chat" }).click();
  await expect(page).toHaveURL(/\/$/);
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`${path}$`));
  await expect(chat.answer).toContainText("One");
  provider.release();
  await expect(chat.answer).toContainText("One two.");
  await chat.settled();
});
