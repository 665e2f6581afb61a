// Every answer and every wording is kept: regenerating and editing make versions, and tools wait for an answer.
import { calls, expect, reply, test, text } from "../support/stories.js";

test("a regenerated answer is another version", async ({ chat, provider }) => {
  provider.will(reply(text("First answer.")), reply(text("Second answer.")));
  await chat.begin("go");
  await chat.settled();
  await chat.answer.getByRole("button", { name: "Regenerate" }).click();
  await expect(chat.answer).toContainText("Second answer.");
  await chat.settled();
  await expect(chat.answer.getByRole("group", { name: "Version 2 of 2" })).toBeVisible();
  await expect(chat.answer.getByRole("button", { name: "Next version" })).toBeDisabled();
  await chat.answer.getByRole("button", { name: "Previous version" }).click();
  await expect(chat.answer).toContainText("First answer.");
  await chat.answer.getByRole("button", { name: "Copy message" }).focus();
  await chat.page.keyboard.press("ArrowRight");
  await expect(chat.answer).toContainText("Second answer.");
  await chat.answer.getByRole("button", { name: "Copy message" }).focus();
  await chat.page.keyboard.press("ArrowLeft");
  await expect(chat.answer).toContainText("First answer.");
  await chat.reload();
  await expect(chat.answer).toContainText("First answer.");
});

test("a message is pinned, and a chat forked from it", async ({ chat, provider }) => {
  provider.will(reply(text("One.")), reply(text("Two.")));
  const path = await chat.begin("go");
  await chat.settled();
  await chat.say("on");
  await chat.settled();
  const first = chat.answers.first();
  await first.hover();
  await first.getByRole("button", { name: "Pin" }).click();
  await expect(first.getByRole("button", { name: "Pinned" })).toHaveAttribute("aria-pressed", "true");
  await chat.reload();
  await expect(first.getByRole("button", { name: "Pinned" })).toBeAttached();
  await first.hover();
  await first.getByRole("button", { name: "Fork" }).click();
  await chat.page.waitForURL((url) => url.pathname.startsWith("/s/") && url.pathname !== path);
  await expect(chat.answers).toHaveCount(1);
  await expect(chat.answer).toContainText("One.");
});

test("a question is edited in its place and asked again", async ({ chat, provider }) => {
  provider.will(reply(text("About apples.")), reply(text("About pears.")));
  await chat.begin("apples");
  await chat.settled();
  await chat.questions.first().hover();
  await chat.questions.first().getByRole("button", { name: "Edit" }).click();
  const field = chat.page.getByRole("textbox", { name: "Edit the message" });
  await expect(field).toHaveValue("apples");
  await field.press("Escape");
  await expect(field).toHaveCount(0);
  await chat.questions.first().getByRole("button", { name: "Edit" }).click();
  await field.fill("pears");
  await field.press("Control+Enter");
  await expect(chat.answer).toContainText("About pears.");
  await chat.settled();
  await expect(chat.questions).toHaveCount(1);
  await expect(chat.questions).toContainText("pears");
  await expect(chat.questions.getByRole("group", { name: "Version 2 of 2" })).toBeAttached();
  await chat.reload();
  await expect(chat.questions).toContainText("pears");
  expect(provider.calls.at(-1)?.body.messages.filter((message) => message.role === "user")).toHaveLength(1);
});

test.describe("with a tool that asks", () => {
  test.use({ config: '[agents.assistant]\ntools = ["demo"]\n' });

  test("it waits for a person, and goes on by itself after the answer", async ({ chat, provider }) => {
    provider.will(reply(calls({ danger: { target: "the barn" } })), reply(text("It is gone.")));
    await chat.begin("delete the barn");
    const question = chat.transcript.getByRole("group", { name: "Approval" });
    await expect(question).toContainText("May it run?");
    await question.getByRole("button", { name: "Approve" }).press("Enter");
    await expect(chat.answer).toContainText("It is gone.");
    await expect(question).toHaveCount(0);
    await chat.settled();
  });
});
