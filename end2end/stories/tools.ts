// Tools that ask: agreed to with other arguments, agreed to for good, or refused with a reason that the model reads.
import { calls, expect, reply, test, text } from "../support/stories.js";

test.use({ config: '[agents.assistant]\ntools = ["demo"]\n' });

test("the arguments are changed before it runs", async ({ chat, provider }) => {
  provider.will(reply(calls({ danger: { target: "the barn" } })), reply(text("It is gone.")));
  await chat.begin("delete the barn");
  const question = chat.transcript.getByRole("group", { name: "Approval" });
  await question.getByRole("button", { name: "Options" }).click();
  const field = question.getByLabel("Arguments");
  await expect(field).toHaveValue(/the barn/);
  await field.fill("[1]");
  await question.getByRole("button", { name: "Approve these arguments" }).click();
  await expect(question.getByRole("alert")).toContainText("one object");
  await field.fill('{"target": "the shed"}');
  await question.getByRole("button", { name: "Approve these arguments" }).click();
  await expect(chat.answer).toContainText("It is gone.");
  expect(JSON.stringify(provider.calls.at(-1)?.body.messages)).toContain("the shed");
});

test("a tool that was agreed to for good asks no more, and one that is refused is told why", async ({ chat, provider }) => {
  provider.will(reply(calls({ danger: { target: "the barn" } })), reply(text("Not then.")));
  await chat.begin("delete the barn");
  const question = chat.transcript.getByRole("group", { name: "Approval" });
  await question.getByRole("button", { name: "Options" }).click();
  await question.getByLabel("Reason, which the model reads").fill("The owls live there.");
  await question.getByRole("button", { name: "Reject with the reason" }).click();
  await expect(chat.answer).toContainText("Not then.");
  await chat.settled();
  expect(JSON.stringify(provider.calls.at(-1)?.body.messages)).toContain("The owls live there.");

  provider.will(reply(calls({ danger: { target: "a shed" } })), reply(text("One.")), reply(calls({ danger: { target: "a hut" } })), reply(text("Two.")));
  await chat.say("then a shed");
  await question.getByRole("button", { name: "Options" }).click();
  await question.getByLabel(/^Always allow danger/).check();
  await question.getByRole("button", { name: "Approve these arguments" }).click();
  await expect(chat.answer).toContainText("One.");
  await chat.settled();
  await chat.say("and a hut");
  await expect(chat.answer).toContainText("Two.");
  await expect(question).toHaveCount(0);
});
