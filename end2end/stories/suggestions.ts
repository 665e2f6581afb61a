// A slash at the beginning of a message suggests commands, an at sign memory blocks and chats.
import { expect, reply, test, text } from "../support/stories.js";

test("commands are chosen by keys and done at once", async ({ chat, page, provider }) => {
  provider.will(reply(text("Of herons.")), reply(text("As you say.")));
  await chat.begin("herons");
  await chat.settled();
  await chat.composer.fill("/");
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await expect(list.getByRole("option")).toHaveCount(10);
  await chat.composer.fill("/f");
  await expect(list.getByRole("option")).toHaveText([/^\/fold/, /^\/fork/]);
  await chat.composer.press("ArrowDown");
  await expect(list.getByRole("option", { selected: true })).toHaveText(/^\/fork/);
  await chat.composer.fill("/tr");
  await chat.composer.press("Enter");
  await expect(chat.composer).toHaveValue("");
  await expect(list).toHaveCount(0);
  await expect(page.getByRole("tab", { name: "Tree" })).toHaveAttribute("aria-selected", "true");
  // What is no command is a message, and Escape lets a command be one.
  await chat.composer.fill("/new");
  await chat.composer.press("Escape");
  await expect(list).toHaveCount(0);
  await chat.say("/etc/hosts");
  await expect(chat.answer).toContainText("As you say.");
  await expect(chat.questions.last()).toContainText("/etc/hosts");
  await chat.settled();
});

test("memory blocks and chats are named", async ({ chat, page, provider }) => {
  provider.will(reply(text("Of herons.")), reply(text("It says so.")));
  await chat.begin("herons");
  await chat.settled();
  const list = page.getByRole("listbox", { name: "Suggestions" });
  await chat.composer.pressSequentially("what does @mem");
  await list.getByRole("option", { name: /^memory/ }).click();
  await expect(chat.composer).toHaveValue("what does @memory ");
  await expect(chat.composer).toBeFocused();
  await chat.composer.pressSequentially("say of @her");
  await expect(list.getByRole("option", { selected: true })).toHaveText(/^herons/);
  await chat.composer.press("Tab");
  await expect(chat.composer).toHaveValue("what does @memory say of “herons” ");
  await expect(list).toHaveCount(0);
  await chat.composer.press("Enter");
  await expect(chat.answer).toContainText("It says so.");
  await chat.settled();
});
