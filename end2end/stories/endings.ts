// Answers that do not end well say so, in their own turn, with a way on.
import { die, ends, errorChunk, expect, httpError, reply, test, text } from "../support/stories.js";

test("a call that fails is told in the turn and can be tried again", async ({ chat, provider }) => {
  provider.will(httpError(429, "quota is used up"), reply(text("Now it works.")));
  await chat.begin("go");
  await expect(chat.transcript).toContainText("quota is used up");
  await chat.reload();
  await expect(chat.transcript).toContainText("quota is used up");
  await chat.page.getByRole("button", { name: "Retry" }).click();
  await expect(chat.answer).toContainText("Now it works.");
  await chat.settled();
  await expect(chat.questions).toHaveCount(1);
});

test("an error in mid-stream keeps what had come", async ({ chat, provider }) => {
  provider.will(reply(text("Half an "), errorChunk("the model fell over")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("Half an");
  await expect(chat.transcript).toContainText("the model fell over");
  await chat.settled();
  await chat.reload();
  await expect(chat.answer).toContainText("Half an");
  await expect(chat.transcript).toContainText("the model fell over");
});

test("a connection that breaks is a cut, not an end", async ({ chat, provider }) => {
  provider.will(reply(text("Half a"), die()));
  await chat.begin("go");
  await expect(chat.answer).toContainText("Half a");
  await expect(chat.transcript).toContainText(/closed the connection|cut off/i);
  await chat.settled();
});

test("an answer that hits the length limit is cut off", async ({ chat, provider }) => {
  provider.will(ends("length", text("And so on and")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("And so on and");
  await expect(chat.transcript).toContainText(/cut off|length/i);
  await chat.settled();
});

test("a refusal is a refusal", async ({ chat, provider }) => {
  provider.will(ends("content_filter", text("I")));
  await chat.begin("go");
  await expect(chat.transcript).toContainText(/refused/i);
  await chat.settled();
});

test("a turn that left no word stays below its question, with the way to another try", async ({ chat, provider, page }) => {
  provider.will(httpError(429, "quota is used up"), reply(text("Second answer.")), reply(text("Now it works.")));
  await chat.begin("first question");
  await expect(chat.transcript).toContainText("quota is used up");
  await chat.say("second question");
  await expect(chat.answer).toContainText("Second answer.");
  await chat.settled();
  const failed = chat.answers.first();
  for (const when of ["at once", "after a reload"]) {
    await expect(failed, when).toContainText("quota is used up");
    await expect(chat.answers, when).toHaveCount(2);
    await expect(failed.getByRole("button", { name: "Edit" }), when).toHaveCount(0);
    await failed.hover();
    await expect(failed.getByRole("button", { name: "Retry" }), when).toBeVisible();
    if (when === "at once") await chat.reload();
  }
  await failed.getByRole("button", { name: "Retry" }).click();
  await expect(chat.answer).toContainText("Now it works.");
  await chat.settled();
  await expect(chat.transcript).not.toContainText("quota is used up");
  await page.reload();
  await expect(chat.transcript).not.toContainText("quota is used up");
});
