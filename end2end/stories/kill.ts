// The server dies in the middle of an answer, without any warning.
import { expect, hold, reply, test, text } from "../support/stories.js";

test("after kill -9 nothing that was shown is lost", async ({ chat, bough, provider, complaints }) => {
  provider.will(reply(text("All ", "of ", "this ", "was ", "shown"), hold(), text(" never")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("All of this was shown");
  // The socket is refused while nobody listens.
  complaints.expectLoss();
  await bough.kill9();
  await expect(chat.answer).toContainText("All of this was shown");
  await bough.start();
  await expect(chat.answer).toContainText("The server stopped in the middle of this answer");
  await chat.settled();

  await chat.reload();
  await expect(chat.answers).toHaveCount(1);
  await expect(chat.answer).toContainText("All of this was shown");
  await expect(chat.answer).toContainText("The server stopped in the middle of this answer");
  expect(provider.calls).toHaveLength(1);
});

test("an interrupted answer can be tried again", async ({ chat, bough, provider, complaints }) => {
  provider.will(reply(text("Half"), hold()), reply(text("Whole.")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("Half");
  complaints.expectLoss();
  await bough.kill9();
  await bough.start();
  await chat.reload();
  await chat.page.getByRole("button", { name: "Retry" }).click();
  await expect(chat.answer).toContainText("Whole.");
  await chat.settled();
  await expect(chat.questions).toHaveCount(1);
});
