// Somebody starts Bough with nothing configured and asks for help.
import { expect, guide, test } from "../support/stories.js";

test.use({ settings: guide });

test("a first question gets an answer that is still there tomorrow", async ({ chat, bough, page, complaints }) => {
  await chat.open("/");
  await expect(page).toHaveTitle(/Bough/);
  await chat.say("help");
  await expect(page).toHaveURL(/\/s\/[^/]+$/);
  await expect(chat.questions).toHaveText(/help/);
  await expect(chat.answer).toContainText(/guide/i);
  await chat.settled();
  const answer = await chat.answer.innerText();

  complaints.expectLoss();
  await bough.stop();
  await bough.start();
  await chat.reload();
  await expect(chat.answers).toHaveCount(1);
  expect(await chat.answer.innerText()).toBe(answer);
});

test("the composer empties, keeps the focus, and the next question follows", async ({ chat }) => {
  await chat.begin("help");
  await chat.settled();
  await expect(chat.composer).toHaveValue("");
  await expect(chat.composer).toBeFocused();
  await chat.say("help");
  await expect(chat.questions).toHaveCount(2);
  await expect(chat.answers).toHaveCount(2);
  await chat.settled();
});
