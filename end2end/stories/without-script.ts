// The first paint is complete before any script runs, and stays as it was once it does.
import { Chat, expect, hold, reply, test, text } from "../support/stories.js";

test("a chat can be read without any script", async ({ chat, browser, bough, provider }) => {
  provider.will(reply(text("Herons **wade**.")));
  const path = await chat.begin("tell me of herons");
  await chat.settled();

  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = new Chat(await context.newPage(), bough.url);
  await plain.page.goto(bough.url + path);
  await expect(plain.questions).toContainText("tell me of herons");
  await expect(plain.answer.locator("strong")).toHaveText("wade");
  await expect(plain.sidebar.locator(`a[href="${path}"]`)).toBeVisible();
  await expect(plain.composer).toBeVisible();
  await context.close();
});

test("an answer in motion is in the first paint as far as it is", async ({ chat, browser, bough, provider }) => {
  provider.will(reply(text("So far"), hold(), text(".")));
  const path = await chat.begin("go");
  await expect(chat.answer).toContainText("So far");
  const context = await browser.newContext({ javaScriptEnabled: false });
  const plain = new Chat(await context.newPage(), bough.url);
  await plain.page.goto(bough.url + path);
  await expect(plain.answer).toContainText("So far");
  await context.close();
  provider.release();
  await chat.settled();
});
