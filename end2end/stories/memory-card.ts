// A change of memory that the model made: looked at, taken back, and told truly whatever became of the block since.
import { calls, expect, reply, test, text } from "../support/stories.js";

test.use({ config: "[agents.assistant.blocks.notes]\ndescription = 'What to keep in mind'\ninitial = 'Likes tea.'\n" });

const API = "/api/v1/agents/assistant/default/blocks/notes";

test("a write is seen, undone for good, and a later one is not undone over it", async ({ chat, page, provider, bough, request }) => {
  const write = (content: string) => calls({ set_context: { label: "notes", content } });
  provider.will(reply(write("Likes coffee.")), reply(text("Noted.")));
  const path = await chat.begin("I like coffee now");
  await chat.settled();
  const session = path.split("/").pop();
  const said = async () => (await (await request.get(`${bough.url}${API}?session=${session}`)).json()).content;
  const first = chat.answers.first();
  await expect(first).toContainText("Memory updated: notes");
  await first.getByRole("button", { name: "View diff" }).click();
  const diff = first.getByRole("group", { name: "What changed" });
  await expect(diff).toContainText("- Likes tea.");
  await expect(diff).toContainText("+ Likes coffee.");
  await first.getByRole("button", { name: "Hide diff" }).click();
  await expect(diff).toHaveCount(0);

  // After a reload it can still be undone, and is told as undone after the next one.
  await chat.reload();
  await first.getByRole("button", { name: "Undo" }).click();
  await expect(first).toContainText("Undone");
  expect(await said()).toBe("Likes tea.");
  await chat.reload();
  await expect(first).toContainText("Undone");
  await expect(first.getByRole("button", { name: "Undo" })).toHaveCount(0);

  // A second write; then somebody else changes the block: the card says so without being asked, and offers the difference.
  provider.will(reply(write("Likes cocoa.")), reply(text("Noted too.")));
  await chat.say("cocoa!");
  await expect(chat.answers).toHaveCount(2);
  await chat.settled();
  const second = chat.answers.nth(1);
  await expect(second.getByRole("button", { name: "Undo" })).toBeVisible();
  await expect(first).toContainText("The block has changed since");
  const put = await request.put(`${bough.url}${API}?session=${session}`, { data: { content: "Likes milk." } });
  expect(put.status()).toBe(200);
  await expect(second).toContainText("The block has changed since");
  await expect(second.getByRole("button", { name: "Undo" })).toHaveCount(0);
  await second.getByRole("button", { name: "View what changed since" }).click();
  const since = second.getByRole("group", { name: "What changed" });
  await expect(since).toContainText("- Likes cocoa.");
  await expect(since).toContainText("+ Likes milk.");
  await page.reload();
  await expect(second).toContainText("The block has changed since");
  expect(await said()).toBe("Likes milk.");
});
