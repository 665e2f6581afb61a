// The same session in two tabs: both always agree.
import { Chat, expect, hold, reply, test, text } from "../support/stories.js";

test("what one tab asks the other sees being answered", async ({ chat, bough, context, provider }) => {
  provider.will(reply(text("First.")), reply(text("Second "), hold(), text("answer.")));
  const path = await chat.begin("one");
  await chat.settled();
  const other = new Chat(await context.newPage(), bough.url);
  await other.open(path);
  await expect(other.answer).toContainText("First.");

  await chat.say("two");
  await expect(other.questions.last()).toContainText("two");
  await expect(other.answer).toContainText("Second");
  await expect(other.stop).toBeVisible();
  provider.release();
  for (const tab of [chat, other]) {
    await expect(tab.answer).toContainText("Second answer.");
    await tab.settled();
    await expect(tab.questions).toHaveCount(2);
    await expect(tab.answers).toHaveCount(2);
  }
});

test("the tab that did not ask may stop the answer", async ({ chat, bough, context, provider }) => {
  provider.will(reply(text("Endless "), hold()));
  const path = await chat.begin("go");
  await expect(chat.answer).toContainText("Endless");
  const other = new Chat(await context.newPage(), bough.url);
  await other.open(path);
  await other.stop.click();
  for (const tab of [chat, other]) {
    await tab.settled();
    await expect(tab.answer).toContainText("Endless");
    await expect(tab.answer).toContainText("Stopped by you");
  }
});

test("lists of sessions agree", async ({ chat, bough, context, provider }) => {
  provider.will(reply(text("Hello.")));
  const other = new Chat(await context.newPage(), bough.url);
  await other.open("/");
  const path = await chat.begin("a chat about herons");
  await chat.settled();
  await expect(other.sidebar.locator(`a[href="${path}"]`)).toBeVisible();
});
