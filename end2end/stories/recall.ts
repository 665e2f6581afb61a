// What was said before comes back into the field by the arrow keys, and can be said in other words where it stands.
import { expect, hold, reply, test, text } from "../support/stories.js";

test("a recalled message is edited in its place, with what was changed already", async ({ chat, page, provider }) => {
  provider.will(reply(text("About apples.")), reply(text("About plums.")), reply(text("About pears.")));
  await chat.begin("apples");
  await chat.settled();
  await chat.say("plums");
  await chat.settled();
  await chat.composer.press("ArrowUp");
  await chat.composer.press("ArrowUp");
  await expect(chat.composer).toHaveValue("apples");
  await chat.composer.fill("pears");
  await page.getByRole("button", { name: "Edit in its place" }).click();
  await expect(chat.composer).toHaveValue("");
  const field = page.getByRole("textbox", { name: "Edit the message" });
  await expect(field).toBeFocused();
  await expect(field).toHaveValue("pears");
  await expect(chat.questions.first().getByRole("textbox")).toBeVisible();
  await field.press("Control+Enter");
  await expect(chat.answer).toContainText("About pears.");
  await chat.settled();
  await expect(chat.questions).toHaveText([/pears/]);
  await expect(chat.questions.getByRole("group", { name: "Version 2 of 2" })).toBeAttached();
});

test("Escape leaves what was recalled, and stops nothing then", async ({ chat, page, provider }) => {
  provider.will(reply(text("One.")), reply(text("Half"), hold(), text(" and whole.")));
  await chat.begin("first");
  await chat.settled();
  await chat.say("second");
  await expect(chat.answer).toContainText("Half");
  const offer = page.getByRole("button", { name: "Edit in its place" });
  await chat.composer.press("ArrowUp");
  await expect(chat.composer).toHaveValue("second");
  await expect(offer).toBeVisible();
  await chat.composer.press("Escape");
  await expect(chat.composer).toHaveValue("");
  await expect(offer).toHaveCount(0);
  // Other words are kept; only the offer goes.
  await chat.composer.press("ArrowUp");
  await chat.composer.pressSequentially(" thoughts");
  await expect(offer).toBeVisible();
  await chat.composer.press("Escape");
  await expect(offer).toHaveCount(0);
  await expect(chat.composer).toHaveValue("second thoughts");
  await chat.composer.fill("");
  await expect(chat.answer).toContainText("writing…");
  provider.release();
  await expect(chat.answer).toContainText("Half and whole.");
  await chat.settled();
});
