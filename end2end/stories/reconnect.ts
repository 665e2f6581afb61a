// The server goes away for a while and comes back.
import { expect, reply, test, text } from "../support/stories.js";

test("the page says that it lost the server, and finds it again", async ({ chat, bough, provider, complaints }) => {
  provider.will(reply(text("Before.")), reply(text("After.")));
  await chat.begin("one");
  await chat.settled();
  complaints.expectLoss();
  await bough.stop();
  await expect(chat.banner).toBeVisible();
  await expect(chat.answer).toContainText("Before.");
  await chat.composer.fill("two");
  await bough.start();
  await expect(chat.banner).toBeHidden({ timeout: 25_000 });
  await expect(chat.composer).toHaveValue("two");
  await chat.composer.press("Enter");
  await expect(chat.answer).toContainText("After.");
  await chat.settled();
  await expect(chat.answers).toHaveCount(2);
});

test("what is sent while the server is away is sent once it is back", async ({ chat, bough, provider, complaints }) => {
  provider.will(reply(text("Before.")), reply(text("After.")));
  await chat.begin("one");
  await chat.settled();
  complaints.expectLoss();
  await bough.stop();
  await expect(chat.banner).toBeVisible();
  await chat.say("two");
  await expect(chat.questions.last()).toContainText("two");
  await bough.start();
  await expect(chat.answer).toContainText("After.", { timeout: 25_000 });
  await chat.settled();
  await expect(chat.questions).toHaveCount(2);
  expect(provider.calls).toHaveLength(2);
});
