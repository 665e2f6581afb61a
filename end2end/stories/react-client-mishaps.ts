// The public React client when things go wrong, and when two of its tabs do things at once; not a line of it is changed.
import { ReactClient, test } from "../support/react-client.js";
import { calls, die, expect, hold, httpError, reply, text } from "../support/stories.js";

test.use({ config: '[agents.assistant]\ntools = ["demo"]\n' });

/** What a call of the model was asked, without the instructions. */
const asked = (call: { body: { messages: { role: string; content: unknown }[] } }) =>
  call.body.messages.filter(({ role }) => role !== "system").map(({ role, content }) => [role, content]);

test("an edited question is answered anew, and the model never sees the old one", async ({ client, provider }) => {
  provider.will(reply(text("One.")), reply(text("Two.")), reply(text("Three.")));
  await client.say("count");
  await expect(client.answers).toHaveText(["One."]);
  await client.ready();
  await client.press("Louder");
  await expect(client.answers).toHaveText(["Two."]);
  await client.ready();
  await expect(client.questions).toHaveText(["count!"]);
  expect(asked(provider.calls[1]!)).toEqual([["user", "count!"]]);
  const ids = await client.ids();
  await client.open();
  await expect(client.answers).toHaveText(["Two."]);
  expect(await client.ids()).toEqual(ids);
  await client.say("on");
  await expect(client.answers).toHaveText(["Two.", "Three."]);
  expect(asked(provider.calls[2]!)).toEqual([
    ["user", "count!"],
    ["assistant", "Two."],
    ["user", "on"],
  ]);
});

test("Regenerate works on what a reload brought", async ({ client, provider }) => {
  provider.will(reply(text("One.")), reply(text("Two.")));
  await client.say("count");
  await expect(client.answers).toHaveText(["One."]);
  await client.ready();
  await client.open();
  await expect(client.answers).toHaveText(["One."]);
  await client.press("Regenerate");
  await expect(client.answers).toHaveText(["Two."]);
  await client.ready();
  expect(asked(provider.calls[1]!)).toEqual([["user", "count"]]);
  await client.open();
  await expect(client.answers).toHaveText(["Two."]);
  await expect(client.questions).toHaveCount(1);
});

test("clearing in mid-stream empties both tabs, and nothing comes back", async ({ client, provider, context, bough }) => {
  const second = new ReactClient(await context.newPage(), bough.url);
  await second.open();
  provider.will(reply(text("One, "), hold(), text("two.")), reply(text("Fresh.")));
  await client.say("count");
  await expect(second.answers).toHaveText(["One,"]);
  await second.press("Clear");
  for (const tab of [client, second]) await expect(tab.main.locator("article")).toHaveCount(0);
  expect((await provider.calls[0]!.ended).whole).toBe(false);
  await second.say("anew");
  for (const tab of [client, second]) await expect(tab.answers).toHaveText(["Fresh."]);
  await client.ready();
  await client.open();
  await expect(client.questions).toHaveText(["anew"]);
});

test("a call that the provider refuses is told, and the next one works", async ({ client, provider }) => {
  provider.will(httpError(400, "no such luck"), reply(text("Fine.")));
  await client.say("go");
  await expect(client.alerts).toContainText("no such luck");
  await client.say("again");
  await expect(client.answers.last()).toHaveText("Fine.");
  await client.ready();
  await client.open();
  await expect(client.questions).toHaveText(["go", "again"]);
  await expect(client.answers).toHaveText(["Fine."]);
});

test("what came before the provider's connection broke is kept", async ({ client, provider }) => {
  provider.will(reply(text("Half"), hold(), die()), reply(text("Whole.")));
  await client.say("go");
  await expect(client.answers).toHaveText(["Half"]);
  provider.release();
  await client.ready();
  await client.open();
  await expect(client.answers).toHaveText(["Half"]);
  await client.say("again");
  await expect(client.answers).toHaveText(["Half", "Whole."]);
});

test("of two tabs that run the same tool one result counts, and the answer goes on once", async ({
  client,
  provider,
  context,
  bough,
}) => {
  const second = new ReactClient(await context.newPage(), bough.url);
  await second.open();
  provider.will(reply(calls({ where_am_i: {} })), reply(text("In Oslo.")));
  await client.say("where?");
  for (const tab of [client, second]) {
    await expect(tab.answers).toHaveText([/In Oslo\./]);
    await expect(tab.tool("where_am_i")).toHaveCount(1);
    await expect(tab.tool("where_am_i")).toHaveAttribute("data-state", "output-available");
    await tab.ready();
  }
  expect(provider.calls).toHaveLength(2);
});

test("a question that waits behind another tab's answer can be stopped", async ({ client, provider, context, bough }) => {
  const second = new ReactClient(await context.newPage(), bough.url);
  await second.open();
  provider.will(reply(text("One, "), hold(), text("two.")));
  await client.say("first");
  await expect(second.answers).toHaveText(["One,"]);
  await second.say("second");
  await expect(client.questions).toHaveText(["first", "second"]);
  await second.press("Stop");
  provider.release();
  for (const tab of [client, second]) {
    await expect(tab.answers).toHaveText(["One, two."]);
    await tab.ready();
    await tab.open();
    await expect(tab.questions).toHaveText(["first", "second"]);
    await expect(tab.answers).toHaveText(["One, two."]);
  }
  expect(provider.calls).toHaveLength(1);
});

test("after a kill of the server the answer goes on by itself", async ({ client, provider, bough, complaints }) => {
  const adding = { add: { a: 1, b: 2 } };
  provider.will(reply(calls(adding)), reply(hold(), text("never")), reply(hold(), text("It is 3.")));
  await client.say("1 + 2?");
  await expect(client.tool("add")).toHaveAttribute("data-state", "output-available");
  await expect.poll(() => provider.calls.length).toBe(2);
  complaints.expectLoss();
  await bough.kill9();
  await bough.start();
  await expect.poll(() => provider.calls.length).toBe(3);
  provider.release();
  provider.release();
  await expect(client.answers).toHaveText([/It is 3\./]);
  await client.ready();
  await expect(client.main).toHaveAttribute("data-recovering", "false");
  await client.open();
  await expect(client.answers).toHaveText([/It is 3\./]);
  await expect(client.tool("add")).toHaveCount(1);
});

test("what is said while the server is away is not lost", async ({ client, provider, bough, complaints }) => {
  provider.will(reply(text("One.")), reply(hold(), text("Two.")));
  await client.say("first");
  await expect(client.answers).toHaveText(["One."]);
  await client.ready();
  complaints.expectLoss();
  await bough.kill9();
  await client.say("second");
  await bough.start();
  await expect.poll(() => provider.calls.length).toBe(2);
  await expect(client.questions).toHaveText(["first", "second"]);
  provider.release();
  await expect(client.answers).toHaveText(["One.", "Two."]);
  await expect(client.questions).toHaveText(["first", "second"]);
});

test("requests may be for another session, with its tools and its questions", async ({ client, provider, bough }) => {
  const api = `${bough.url}/api/v1/agents/assistant/default/sessions`;
  const made = await fetch(api, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  const { id } = (await made.json()) as { id: string };
  provider.will(
    reply(calls({ where_am_i: {} })),
    reply(text("In Oslo. "), calls({ danger: { target: "old notes" } })),
    reply(text("Done.")),
  );
  await client.open(`?session=${id}`);
  await client.say("where?");
  await expect(client.tool("danger")).toHaveAttribute("data-state", "approval-requested");
  await client.press("Approve");
  await expect(client.answers).toHaveText([/In Oslo\. \|Done\./]);
  await client.ready();
  const stored = (await fetch(`${bough.url}/agents/assistant/default/get-messages?session=${id}`).then((all) =>
    all.json(),
  )) as { role: string }[];
  expect(stored.map((message) => message.role)).toEqual(["user", "assistant"]);
  expect(await fetch(`${bough.url}/agents/assistant/default/get-messages`).then((all) => all.json())).toEqual([]);
  // The tools of the browser came along with the first request and hold for those that follow.
  expect(provider.calls.map((call) => JSON.stringify(call.body).includes("where_am_i"))).toEqual([true, true, true]);
});
