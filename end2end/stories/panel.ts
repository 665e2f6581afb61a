// The panel beside the chat: what the model remembers, every branch, and what the next call sends.
import { expect, reply, test, text } from "../support/stories.js";

test("the panel opens, keeps its place and width over a reload, and is walked by keys", async ({ chat, page }) => {
  await chat.open("/");
  await expect(chat.panel).toBeHidden();
  await page.keyboard.press("Control+Shift+E");
  await expect(chat.panel).toBeVisible();
  const edge = page.getByRole("separator", { name: "Width of the panel" });
  await edge.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(edge).toHaveAttribute("aria-valuenow", "380");
  await page.getByRole("tab", { name: "Memory" }).focus();
  await page.keyboard.press("ArrowRight");
  await expect(page.getByRole("tab", { name: "Tree" })).toBeFocused();
  await expect(page.getByRole("tab", { name: "Tree" })).toHaveAttribute("aria-selected", "true");
  await chat.reload();
  await expect(chat.panel).toBeVisible();
  expect((await chat.panel.boundingBox())?.width).toBe(380);
  await expect(page.getByRole("tab", { name: "Tree" })).toHaveAttribute("aria-selected", "true");
  await page.getByRole("button", { name: "Memory, tree and prompt" }).click();
  await expect(chat.panel).toBeHidden();
});

test("a block is made, written, refused when it is changed elsewhere, and brought back", async ({ chat, page, provider, bough, complaints }) => {
  complaints.expect(/409 \(Conflict\)/);
  provider.will(reply(text("Noted.")));
  const path = await chat.begin("hello");
  await chat.settled();
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("button", { name: "New block" }).click();
  await page.getByLabel("Label").fill("notes");
  await page.getByLabel("What it is for").fill("Things to keep in mind");
  await page.getByRole("button", { name: "Create" }).click();
  const block = page.getByRole("region", { name: "notes" });
  await expect(block).toContainText("Things to keep in mind");

  await block.getByRole("button", { name: "Edit" }).click();
  await block.getByRole("textbox", { name: "Text of notes" }).fill("first");
  await page.keyboard.press("Control+s");
  await expect(block.getByRole("textbox")).toHaveCount(0);
  await expect(block).toContainText("first");

  // Somebody else writes while an edit is open: the edit is told, and the choice is the writer's.
  await block.getByRole("button", { name: "Edit" }).click();
  await block.getByRole("textbox").fill("mine");
  const session = path.split("/").pop();
  const url = `${bough.url}/api/v1/agents/assistant/default/blocks/notes?session=${session}`;
  const put = await page.request.put(url, { data: { content: "theirs" }, headers: { origin: bough.url } });
  expect(put.status()).toBe(200);
  await expect(block).toContainText("changed meanwhile");
  await expect(block.getByRole("textbox")).toHaveValue("mine");
  await block.getByRole("button", { name: "Save" }).click();
  await expect(block.getByRole("alert")).toContainText("theirs");
  await block.getByRole("button", { name: "Keep mine" }).click();
  await expect(block.getByRole("textbox")).toHaveCount(0);
  await expect(block).toContainText("mine");

  await block.getByRole("button", { name: "History" }).click();
  await expect(block.getByText("You", { exact: true }).first()).toBeVisible();
  await block.getByRole("button", { name: "Changes" }).first().click();
  await expect(block.getByRole("group", { name: "Changes" })).toContainText("+ mine");
  await block.getByRole("button", { name: "Restore" }).nth(1).click();
  await expect(block.locator(".block-text")).toHaveText("theirs");

  await block.getByRole("button", { name: "Delete" }).click();
  await expect(block).toHaveCount(0);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(block.locator(".block-text")).toHaveText("theirs");
});

test("the tree shows where one is, and the prompt what will be sent", async ({ chat, page, provider }) => {
  provider.will(reply(text("Of herons.")), reply(text("Of otters.")));
  await chat.begin("tell me of herons");
  await chat.settled();
  await chat.say("and of otters");
  await chat.settled();
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("tab", { name: "Tree" }).click();
  await expect(page.getByRole("treeitem")).toHaveCount(4);
  const here = page.getByRole("treeitem", { selected: true });
  await expect(here).toContainText("Of otters.");
  await here.focus();
  await page.keyboard.press("ArrowUp");
  await expect(page.getByRole("treeitem", { name: /and of otters/ })).toBeFocused();
  await page.keyboard.press("Home");
  await expect(page.getByRole("treeitem", { name: /tell me of herons/ })).toBeFocused();
  await page.keyboard.press("End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Delete");
  await expect(page.getByRole("treeitem")).toHaveCount(2);
  await expect(page.getByText("Message deleted, with the one below it")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("treeitem")).toHaveCount(4);

  await page.getByRole("tab", { name: "Prompt" }).click();
  await expect(page.getByText(/The next call to openai\/scripted sends about/)).toBeVisible();
  const piece = page.getByText(/^user: .*herons/);
  await piece.click();
  await expect(page.getByRole("region", { name: "History" })).toContainText("Of herons.");
});

test("what the agent's own code changed in the last call is told", async ({ chat, page, provider }) => {
  provider.will(reply(text("Of herons.")));
  await page.route("**/prompt", async (route) => {
    const answer = await route.fetch();
    const changed = { model: "openai/big", system: "Be brief.", active_tools: [], headers: ["X-Team"] };
    await route.fulfill({ json: { ...(await answer.json()), changed } });
  });
  await chat.begin("tell me of herons");
  await chat.settled();
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("tab", { name: "Prompt" }).click();
  const told = page.getByRole("region", { name: "Changed by the agent" });
  await expect(told).toContainText("Model: openai/big");
  await expect(told).toContainText("No tool was offered");
  await expect(told).toContainText("Headers added: X-Team");
  await told.getByText("Other instructions").click();
  await expect(told.getByRole("group", { name: "Text" })).toHaveText("Be brief.");
});
