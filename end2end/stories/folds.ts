// Where a summary stands for older messages, everything about it can be seen, changed and taken back.
import { Chat, expect, hold, httpError, reply, test, text } from "../support/stories.js";
import type { Provider } from "../support/stories.js";

/** A chat whose end is so long that what stands before it can be folded. */
async function longChat(chat: Chat, provider: Provider): Promise<string> {
  const middle = "Herons wait in the reeds of the fjord. ".repeat(60);
  provider.will(reply(text("First.")), reply(text(middle)), reply(text(middle)), reply(text("word ".repeat(20_000))));
  const path = await chat.begin("Question 1");
  for (let turn = 2; turn <= 4; turn++) {
    await chat.settled();
    await chat.say(`Question ${turn}`);
  }
  await chat.settled();
  return path;
}

test("older messages are folded, read, rewritten and unfolded again", async ({ chat, page, provider }) => {
  test.slow();
  await longChat(chat, provider);
  provider.will(reply(text("**Herons** were talked about.")));
  await chat.act(chat.answer, "Fold older messages now");
  const fold = chat.transcript.getByRole("group").filter({ hasText: "folded into a summary" });
  await expect(fold).toContainText("5 messages folded into a summary");
  await expect(fold).toContainText(/about [\d.]+k? → \d+ tokens/);
  await expect(chat.questions).toHaveText([/Question 1/, /Question 4/]);

  await fold.getByText("folded into a summary").click();
  await expect(fold.locator("strong")).toHaveText("Herons");
  await fold.getByRole("button", { name: "Show the originals" }).click();
  const originals = fold.getByRole("group", { name: "The original messages" });
  await expect(originals.getByRole("heading", { level: 3 })).toHaveText(["Bough", "You", "Bough", "You", "Bough"]);
  await expect(originals).toContainText("Question 3");
  await fold.getByRole("button", { name: "Hide the originals" }).click();

  await fold.getByRole("button", { name: "Edit the summary" }).click();
  const field = page.getByRole("textbox", { name: "Edit the summary" });
  await expect(field).toHaveValue("**Herons** were talked about.");
  await field.press("Escape");
  await expect(field).toHaveCount(0);
  await fold.getByRole("button", { name: "Edit the summary" }).click();
  await field.fill("Only cranes were talked about.");
  await field.press("Control+Enter");
  await expect(fold).toContainText("Only cranes were talked about.");

  provider.will(reply(text("Of cranes.")));
  await chat.say("What did we talk about?");
  await expect(chat.answer).toContainText("Of cranes.");
  await chat.settled();
  const prompt = JSON.stringify(provider.calls.at(-1)?.body.messages);
  expect(prompt).toContain("Only cranes were talked about.");
  expect(prompt).not.toContain("Question 3");

  await chat.reload();
  await fold.getByText("folded into a summary").click();
  await fold.getByRole("button", { name: "Undo the summary" }).click();
  await expect(fold).toHaveCount(0);
  await expect(chat.questions.filter({ hasText: "Question 3" })).toBeAttached();
});

test("two tabs see a summary being written, its end, and the same conversation after it", async ({
  bough,
  chat,
  context,
  provider,
}) => {
  test.slow();
  const path = await longChat(chat, provider);
  provider.will(reply(text("Herons "), hold(), text("were talked about.")), reply(text("Of herons.")));
  const other = new Chat(await context.newPage(), bough.url);
  await other.open(path);
  await chat.act(chat.answer, "Fold older messages now");
  // One that opens only now knows of it too.
  const late = new Chat(await context.newPage(), bough.url);
  await expect(chat.page.getByText("being folded")).toBeVisible();
  await late.open(path);
  for (const tab of [other, late]) await expect(tab.page.getByText("being folded")).toBeVisible();
  provider.release();
  for (const tab of [chat, other, late]) {
    await expect(tab.transcript).toContainText("5 messages folded into a summary");
    await expect(tab.page.getByText("being folded")).toHaveCount(0);
    await expect(tab.questions).toHaveText([/Question 1/, /Question 4/]);
  }
  await other.say("What did we talk about?");
  for (const tab of [chat, other, late]) {
    await expect(tab.answer).toContainText("Of herons.");
    await expect(tab.questions).toHaveCount(3);
  }
});

test("a summary that cannot be written says so and can be tried again", async ({ chat, complaints, page, provider }) => {
  test.slow();
  complaints.expect(/502/);
  await longChat(chat, provider);
  provider.will(httpError(500, "the summariser is down"), reply(text("A summary.")));
  await chat.act(chat.answer, "Fold older messages now");
  const failure = chat.transcript.getByRole("alert");
  await expect(failure).toContainText("were not folded");
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect(chat.transcript).toContainText("folded into a summary");
  await expect(failure).toHaveCount(0);
  await expect(page.getByText("being folded")).toHaveCount(0);
});

test("a short chat has nothing to fold and says why", async ({ chat, page, provider }) => {
  provider.will(reply(text("Short.")));
  await chat.begin("Hi");
  await chat.settled();
  await chat.act(chat.answer, "Fold older messages now");
  await expect(page.getByRole("status").filter({ hasText: "Nothing to fold" })).toBeVisible();
});
