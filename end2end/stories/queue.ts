// Messages that are typed during an answer wait above the field; keys recall what was said.
import { die, ends, expect, hold, reply, test, text } from "../support/stories.js";

test("a waiting message can be sent now, changed, or forgotten", async ({ chat, page, provider }) => {
  provider.will(reply(text("A long"), hold(), text(" answer.")), reply(text("About pears.")));
  await chat.begin("first");
  await expect(chat.answer).toContainText("A long");
  await chat.say("apples");
  await chat.say("nonsense");
  const queue = page.getByRole("list", { name: "Waiting messages" });
  await expect(queue.getByRole("listitem")).toHaveText([/apples/, /nonsense/]);
  await expect(chat.questions).toHaveCount(1);

  await queue.getByRole("listitem").filter({ hasText: "nonsense" }).getByRole("button", { name: /Delete/ }).click();
  await expect(queue.getByRole("listitem")).toHaveText([/apples/]);
  await queue.getByRole("button", { name: /Edit/ }).click();
  await expect(chat.composer).toHaveValue("apples");
  await expect(queue).toHaveCount(0);
  await chat.say("pears");
  await expect(queue.getByRole("listitem")).toHaveText([/pears/]);
  await queue.getByRole("button", { name: "Send now" }).click();
  await expect(chat.answer).toContainText("About pears.");
  await chat.settled();
  await expect(chat.questions).toHaveText([/first/, /pears/]);
  await expect(chat.answers.first()).toContainText("Stopped by you");
  const live = await chat.transcript.getByRole("article").allInnerTexts();
  await chat.reload();
  await expect(chat.questions).toHaveText([/first/, /pears/]);
  // A15: what is seen live is what is stored.
  expect((await chat.transcript.getByRole("article").allInnerTexts()).length).toBe(live.length);
  expect(JSON.stringify(provider.calls.at(-1)?.body.messages)).not.toContain("nonsense");
});

test("arrows recall what was said, and come back to the empty field", async ({ chat, provider }) => {
  provider.will(reply(text("One.")), reply(text("Two.")));
  await chat.begin("first");
  await chat.settled();
  await chat.say("second");
  await chat.settled();
  await chat.composer.press("ArrowUp");
  await expect(chat.composer).toHaveValue("second");
  await chat.composer.press("ArrowUp");
  await expect(chat.composer).toHaveValue("first");
  await chat.composer.press("ArrowDown");
  await expect(chat.composer).toHaveValue("second");
  await chat.composer.press("ArrowDown");
  await expect(chat.composer).toHaveValue("");
  await chat.composer.fill("a draft");
  await chat.composer.press("ArrowUp");
  await expect(chat.composer).toHaveValue("a draft");
});

test("an answer that was stopped or cut off goes on", async ({ chat, page, provider }) => {
  provider.will(reply(text("Half"), hold()), ends("length", text("a bit more")), reply(text("the end."), die()));
  await chat.begin("go");
  await expect(chat.answer).toContainText("Half");
  await page.keyboard.press("Escape");
  await expect(chat.answer).toContainText("Stopped by you");
  await chat.answer.getByRole("button", { name: "Continue" }).click();
  await expect(chat.answer).toContainText("a bit more");
  await expect(chat.answer).toContainText(/cut off|length/i);
  await chat.answer.getByRole("button", { name: "Continue" }).click();
  await expect(chat.answer).toContainText("the end.");
  await expect(chat.answer.getByRole("button", { name: "Retry" })).toBeVisible();
});

// B06: the view is always the session that was clicked.
test("another session never shows what is written in this one", async ({ chat, page, provider }) => {
  provider.will(reply(text("Of bees.")), reply(text("Of cats.")), reply(text("Of ants"), hold(), text(" and more.")));
  const bees = await chat.begin("bees");
  await chat.settled();
  const cats = await chat.begin("cats");
  await chat.settled();
  await chat.begin("ants");
  await expect(chat.answer).toContainText("Of ants");
  await chat.sidebar.locator(`a[href="${bees}"]`).click();
  await chat.sidebar.locator(`a[href="${cats}"]`).click();
  await expect(page).toHaveURL(new RegExp(`${cats}$`));
  await expect(chat.answer).toContainText("Of cats.");
  provider.release();
  await expect(chat.sidebar.getByRole("img", { name: "An answer is being written" })).toHaveCount(0);
  await expect(chat.transcript).not.toContainText("ants");
});
