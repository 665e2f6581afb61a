// What was typed and not sent is kept, for each chat of its own.
import { expect, reply, test, text } from "../support/stories.js";

test("a draft survives a reload and stays with its chat", async ({ chat, page, provider }) => {
  provider.will(reply(text("One.")), reply(text("Two.")));
  const first = await chat.begin("first");
  await expect(chat.answer).toContainText("One.");
  await chat.settled();
  await chat.composer.fill("half a thought");
  await chat.reload();
  await expect(chat.composer).toHaveValue("half a thought");

  await chat.begin("second");
  await expect(chat.answer).toContainText("Two.");
  await expect(chat.composer).toHaveValue("");
  await chat.sidebar.locator(`a[href="${first}"]`).click();
  await expect(page).toHaveURL(new RegExp(`${first}$`));
  await expect(chat.composer).toHaveValue("half a thought");
});

test("nothing but blanks is never sent", async ({ chat, page, provider }) => {
  await chat.open("/");
  await chat.say("   \n  ");
  await expect(chat.send).toBeDisabled();
  await expect(page).toHaveURL(/\/$/);
  expect(provider.calls).toHaveLength(0);
});
