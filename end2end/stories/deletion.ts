// What is deleted can be brought back, and what another version holds is never out of sight.
import { expect, reply, test, text } from "../support/stories.js";

test("a message goes to the trash, and Undo brings it back where it was", async ({ chat, page, provider }) => {
  provider.will(reply(text("One.")), reply(text("Two.")));
  await chat.begin("first");
  await chat.settled();
  await chat.say("second");
  await chat.settled();
  await chat.act(chat.answers.first(), "Delete message");
  await expect(chat.answers).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat.answers).toHaveCount(2);
  await expect(chat.answers.first()).toContainText("One.");

  await chat.act(chat.questions.last(), "Delete with all that follows");
  await expect(chat.questions).toHaveCount(1);
  await expect(chat.answers).toHaveCount(1);
  await page.getByRole("button", { name: "Undo" }).last().click();
  await expect(chat.questions).toHaveCount(2);
  await expect(chat.answer).toContainText("Two.");
});

// C03, C23: switching versions hides nothing silently.
test("a version that ends early says where the rest is, and the focus stays on the switch", async ({ chat, page, provider }) => {
  provider.will(reply(text("First answer.")), reply(text("Second answer.")), reply(text("More.")));
  await chat.begin("go");
  await chat.settled();
  await chat.answer.getByRole("button", { name: "Regenerate" }).click();
  await expect(chat.answer).toContainText("Second answer.");
  await chat.settled();
  await chat.say("on");
  await expect(chat.answer).toContainText("More.");
  await chat.settled();

  const first = chat.answers.first();
  await first.hover();
  await first.getByRole("button", { name: "Previous version" }).click();
  await expect(first).toContainText("First answer.");
  await expect(first.getByRole("button", { name: "Next version" })).toBeFocused();
  await expect(chat.transcript).toContainText("2 later messages on version 2");
  await chat.reload();
  await expect(chat.transcript).toContainText("2 later messages on version 2");
  await page.getByRole("button", { name: "Go there" }).click();
  await expect(chat.answer).toContainText("More.");
  await expect(chat.transcript).not.toContainText("later messages on version");
});

test("what a message cost can be looked up, and what nobody reported is not zero", async ({ chat, page, provider }) => {
  provider.will(reply(text("One.")));
  await chat.begin("first");
  await chat.settled();
  await chat.answer.getByRole("button", { name: "More actions" }).click();
  const menu = page.getByRole("menu", { name: "More actions" });
  await expect(menu).toContainText("Read: 12 tokens");
  await expect(menu).toContainText("Written: 5 tokens");
  await page.keyboard.press("Escape");
  await expect(menu).not.toBeVisible();
  await chat.questions.first().hover();
  await chat.questions.first().getByRole("button", { name: "More actions" }).click();
  await expect(menu.filter({ hasText: "estimated" })).toBeVisible();
});
