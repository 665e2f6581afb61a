// Somebody points a front end written with the public React client at Bough; not a line of it is changed.
import { ReactClient, test } from "../support/react-client.js";
import { calls, errorChunk, expect, hold, reply, text } from "../support/stories.js";

test.use({ config: '[agents.assistant]\ntools = ["demo"]\n' });

test("it chats, and a reload shows the same messages under the same ids", async ({ client, provider, bough }) => {
  provider.will(reply(text("Hel", "lo.")), reply(text("Again.")));
  await client.say("hi");
  await expect(client.answers).toHaveText(["Hello."]);
  await client.ready();
  await client.say("more");
  await expect(client.answers).toHaveText(["Hello.", "Again."]);
  await client.ready();
  const ids = await client.ids();
  const stored = await fetch(`${bough.url}/agents/assistant/default/get-messages`).then((all) => all.json());
  expect(stored.map((message: { id: string }) => message.id)).toEqual(ids);
  await client.open();
  await expect(client.answers).toHaveText(["Hello.", "Again."]);
  expect(await client.ids()).toEqual(ids);
  const roles = provider.calls[1]?.body.messages.map((message) => message.role);
  expect(roles?.filter((role) => role !== "system")).toEqual(["user", "assistant", "user"]);
});

test("Stop closes the call, keeps what came, and the next message works", async ({ client, provider }) => {
  provider.will(reply(text("So ", "far"), hold()), reply(text("Next.")));
  await client.say("go");
  await expect(client.answers).toHaveText(["So far"]);
  await client.press("Stop");
  const { whole } = await provider.calls[0]!.ended;
  expect(whole).toBe(false);
  await client.ready();
  await client.say("again");
  await expect(client.answers).toHaveText(["So far", "Next."]);
});

test("Regenerate answers the same question anew", async ({ client, provider }) => {
  provider.will(reply(text("One.")), reply(text("Two.")));
  await client.say("count");
  await expect(client.answers).toHaveText(["One."]);
  await client.ready();
  await client.press("Regenerate");
  await expect(client.answers).toHaveText(["Two."]);
  await client.ready();
  await expect(client.questions).toHaveText(["count"]);
  const asked = provider.calls.map((call) => call.body.messages.filter(({ role }) => role !== "system"));
  expect(asked[1], "the model sees the history up to the question, not the old answer").toEqual(asked[0]);
  await client.open();
  await expect(client.answers).toHaveText(["Two."]);
});

test("a tool of the browser runs there, and the answer goes on in the same message", async ({ client, provider }) => {
  provider.will(reply(calls({ where_am_i: {} })), reply(text("In Oslo.")));
  await client.say("where?");
  await expect(client.tool("where_am_i")).toHaveAttribute("data-state", "output-available");
  await expect(client.answers).toHaveText([/In Oslo\./]);
  await client.ready();
  await client.open();
  await expect(client.tool("where_am_i")).toContainText("Oslo");
  await expect(client.answers).toHaveText([/In Oslo\./]);
  expect(provider.calls).toHaveLength(2);
});

test("a tool that needs consent waits for it, and runs", async ({ client, provider }) => {
  provider.will(reply(calls({ danger: { target: "old notes" } })), reply(text("Done.")));
  await client.say("delete them");
  await expect(client.tool("danger")).toHaveAttribute("data-state", "approval-requested");
  expect(provider.calls).toHaveLength(1);
  await client.press("Approve");
  await expect(client.answers).toHaveText([/Done\./]);
  await expect(client.tool("danger")).toContainText("old notes");
  await client.ready();
  await expect(client.alerts).toHaveCount(0);
});

test("a rejected tool does not run, and the model hears of it", async ({ client, provider }) => {
  provider.will(reply(calls({ danger: { target: "old notes" } })), reply(text("Left alone.")));
  await client.say("delete them");
  await client.press("Reject");
  await expect(client.answers).toHaveText([/Left alone\./]);
  await expect(client.tool("danger")).toHaveAttribute("data-state", "output-denied");
  await client.ready();
  await expect(client.alerts).toHaveCount(0);
});

test("a reload in mid-stream goes on with the same answer", async ({ client, provider }) => {
  provider.will(reply(text("One, ", "two, "), hold(), text("three.")));
  await client.say("count");
  await expect(client.answers).toHaveText(["One, two,"]);
  await client.open();
  await expect(client.answers).toHaveText(["One, two,"]);
  provider.release();
  await expect(client.answers).toHaveText(["One, two, three."]);
  await client.ready();
  await client.open();
  await expect(client.answers).toHaveText(["One, two, three."]);
});

test("a second tab sees the question and the answer as they come", async ({ client, provider, context, bough }) => {
  const second = new ReactClient(await context.newPage(), bough.url);
  await second.open();
  provider.will(reply(text("One, "), hold(), text("two.")));
  await client.say("count");
  await expect(second.questions).toHaveText(["count"]);
  await expect(second.answers).toHaveText(["One,"]);
  provider.release();
  await expect(second.answers).toHaveText(["One, two."]);
  await expect(client.answers).toHaveText(["One, two."]);
});

test("an error of the provider is told, and clearing starts over", async ({ client, provider }) => {
  provider.will(reply(text("Half"), errorChunk("out of luck")), reply(text("Fresh.")));
  await client.say("go");
  await expect(client.alerts).toContainText("out of luck");
  await client.press("Clear");
  await expect(client.answers).toHaveCount(0);
  await client.say("anew");
  await expect(client.answers).toHaveText(["Fresh."]);
  await client.open();
  await expect(client.questions).toHaveText(["anew"]);
});
