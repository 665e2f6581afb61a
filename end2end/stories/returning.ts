// Whoever looks away from an answer and comes back finds it as if they had stayed.
import { Chat, expect, hold, reply, test, text } from "../support/stories.js";

// A03: what the provider said stands once, on the screen and in the store.
test("an answer in two pieces stands there once", async ({ bough, chat, provider, request }) => {
  provider.will(reply(text("Hel", "lo!")));
  const path = await chat.begin("hi");
  await chat.settled();
  await expect(chat.answer.locator(".prose")).toHaveText("Hello!");
  const api = `${bough.url}/api/v1/agents/assistant/default/sessions/${path.split("/").pop()}/messages`;
  const { messages }: { messages: { role: string; parts: { text?: string }[] }[] } = await (await request.get(api)).json();
  const said = messages.filter(({ role }) => role === "assistant").flatMap(({ parts }) => parts.flatMap((part) => part.text ?? []));
  expect(said).toEqual(["Hello!"]);
});

// A08: away before the first word, back without a further click.
test("a chat that was left before its first word shows the answer when one is back", async ({ chat, provider }) => {
  provider.will(reply(text("Of bees.")), reply(hold(), text("Of ants"), hold(), text(".")));
  const bees = await chat.begin("bees");
  await chat.settled();
  const ants = await chat.begin("ants");
  await chat.sidebar.locator(`a[href="${bees}"]`).click();
  await expect(chat.answer).toContainText("Of bees.");
  await chat.sidebar.locator(`a[href="${ants}"]`).click();
  await expect(chat.questions).toContainText("ants");
  provider.release();
  await expect(chat.answer).toContainText("Of ants");
  provider.release();
  await expect(chat.answer).toContainText("Of ants.");
  await chat.settled();
});

// A12: a phone puts the browser aside.
test("a page that was frozen catches up", async ({ chat, page, provider }) => {
  provider.will(reply(text("Before"), hold(), text(" and after.")), reply(text("Again.")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("Before");
  const client = await page.context().newCDPSession(page);
  await client.send("Page.setWebLifecycleState", { state: "frozen" });
  provider.release();
  await client.send("Page.setWebLifecycleState", { state: "active" });
  await expect(chat.answer).toContainText("Before and after.");
  await chat.settled();
  await chat.say("again");
  await expect(chat.answer).toContainText("Again.");
});

// B05: no tab takes the socket of another.
test("two tabs of one chat and one of the first page live side by side", async ({ bough, chat, context, provider }) => {
  provider.will(reply(text("One"), hold(), text(" two.")), reply(text("Else.")));
  const path = await chat.begin("count");
  await expect(chat.answer).toContainText("One");
  const same = new Chat(await context.newPage(), bough.url);
  await same.open(path);
  await expect(same.answer).toContainText("One");
  const other = new Chat(await context.newPage(), bough.url);
  await other.begin("something else");
  await expect(other.answer).toContainText("Else.");
  provider.release();
  for (const tab of [chat, same]) await expect(tab.answer).toContainText("One two.");
  await expect(other.transcript).not.toContainText("two.");
});
