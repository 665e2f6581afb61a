// Versions of one message side by side: one of them is kept; and several models answer the same question.
import { expect, hold, reply, test, text } from "../support/stories.js";

const sheet = "Versions side by side";

test("the versions of an answer stand side by side, and one is kept by keys", async ({ chat, page, provider }) => {
  provider.will(reply(text("First answer.")), reply(text("Second answer.")));
  await chat.begin("go");
  await chat.settled();
  await chat.answer.getByRole("button", { name: "Regenerate" }).click();
  await expect(chat.answer).toContainText("Second answer.");
  await chat.settled();
  await chat.answer.getByRole("button", { name: "Compare the versions" }).click();
  const dialog = page.getByRole("dialog", { name: sheet });
  await expect(dialog.getByRole("heading", { level: 2 })).toHaveText("2 versions");
  const [first, second] = [dialog.getByRole("article", { name: "Version 1" }), dialog.getByRole("article", { name: "Version 2" })];
  await expect(first).toContainText("First answer.");
  await expect(second).toContainText("Second answer.");
  await expect(second).toContainText("Shown now");
  await expect(first).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await expect(second).toBeFocused();
  await page.keyboard.press("1");
  await expect(first).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(dialog).toHaveCount(0);
  await expect(chat.answer).toContainText("First answer.");
  await expect(chat.answer.getByRole("group", { name: "Version 1 of 2" })).toBeVisible();
  await chat.reload();
  await expect(chat.answer).toContainText("First answer.");
});

test("Escape leaves everything as it was, and wordings of a question can be compared too", async ({ chat, page, provider }) => {
  provider.will(reply(text("About apples.")), reply(text("About pears.")));
  await chat.begin("apples");
  await chat.settled();
  await chat.questions.first().hover();
  await chat.questions.first().getByRole("button", { name: "Edit" }).click();
  const field = page.getByRole("textbox", { name: "Edit the message" });
  await field.fill("pears");
  await field.press("Control+Enter");
  await expect(chat.answer).toContainText("About pears.");
  await chat.settled();
  await chat.act(chat.questions.first(), "Compare the versions");
  const dialog = page.getByRole("dialog", { name: sheet });
  await expect(dialog.getByRole("article", { name: "Version 1" })).toContainText("apples");
  await expect(dialog.getByRole("article", { name: "Version 2" })).toContainText("pears");
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(chat.answer).toContainText("About pears.");
  await chat.act(chat.questions.first(), "Compare the versions");
  await dialog.getByRole("article", { name: "Version 1" }).getByRole("button", { name: "Keep this one" }).click();
  await expect(chat.answer).toContainText("About apples.");
});

test("several models answer one after another, and their answers come side by side", async ({ chat, page, provider }) => {
  provider.will(reply(text("The first.")), reply(text("Of the "), hold(), text("scripted.")));
  await chat.begin("help");
  await chat.settled();
  await chat.act(chat.answer, "Try with several models");
  const choice = page.getByRole("dialog", { name: "Try with several models" });
  await expect(choice.getByRole("button", { name: "Choose some models" })).toBeDisabled();
  await choice.getByRole("checkbox", { name: "scripted" }).check();
  await choice.getByRole("checkbox", { name: "guide" }).check();
  await choice.getByRole("button", { name: "Ask 2 models" }).click();
  const dialog = page.getByRole("dialog", { name: sheet });
  await expect(dialog.getByRole("article", { name: "Version 1" })).toContainText("The first.");
  const second = dialog.getByRole("article", { name: "Version 2" });
  await expect(second).toContainText("Of the");
  await expect(second.getByRole("button", { name: "Keep this one" })).toBeDisabled();
  await expect(dialog.getByRole("heading", { level: 2 })).toContainText("being written");
  provider.release();
  await expect(second).toContainText("Of the scripted.");
  const third = dialog.getByRole("article", { name: "Version 3" });
  await expect(third).toContainText("guide");
  await expect(dialog.getByRole("heading", { level: 2 })).toHaveText("3 versions");
  await second.getByRole("button", { name: "Keep this one" }).click();
  await expect(chat.answer).toContainText("Of the scripted.");
  await expect(chat.answer.getByRole("group", { name: "Version 2 of 3" })).toBeVisible();
  // The chat's own model is what it was.
  await expect(page.getByRole("button", { name: "Model: openai/scripted" })).toBeVisible();
});
