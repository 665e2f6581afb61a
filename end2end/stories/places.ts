// Every message has an address: it opens the branch of the message, comes into view, and is marked.
import { expect, reply, test, text } from "../support/stories.js";

test("a message in the middle of ten thousand opens at once, and both directions lead on", async ({ bough, chat, page, provider }) => {
  test.slow();
  provider.will(reply(text("First.")), reply(text("The last answer.")));
  const path = await chat.begin("begin");
  await chat.settled();
  await chat.fill(path.split("/").at(-1) ?? "", 10_000);

  await page.goto(`${bough.url}${path}?m=q5000`);
  await chat.ready();
  const found = chat.transcript.getByRole("listitem").filter({ has: page.getByText("Question 5000", { exact: true }) });
  await expect(found).toBeInViewport();
  await expect(found).toHaveAttribute("data-marked", "");
  await expect(found).toBeFocused();
  await expect(chat.answer).toContainText("The last answer.");

  const later = chat.transcript.getByRole("button", { name: /Show later · \d+ messages/ });
  await later.scrollIntoViewIfNeeded();
  const above = page.getByText("Question 5029", { exact: true });
  const read = await above.boundingBox();
  await later.click();
  await expect(page.getByText("Question 5055", { exact: true })).toHaveCount(1);
  expect(Math.abs(((await above.boundingBox())?.y ?? 0) - (read?.y ?? 0))).toBeLessThan(2);
  await chat.transcript.getByRole("button", { name: /Show earlier/ }).scrollIntoViewIfNeeded();
  await expect(page.getByText("Question 4920", { exact: true })).toHaveCount(1);
  await page.getByRole("button", { name: "Jump to latest" }).click();
  await expect(chat.answer).toBeInViewport();
});

test("back and forward go between messages, and a second tab opens the same", async ({ context, bough, chat, page, provider }) => {
  provider.will(reply(text("First.")), reply(text("Last.")));
  const path = await chat.begin("begin");
  await chat.settled();
  await chat.fill(path.split("/").at(-1) ?? "", 100);
  await chat.reload();
  const marked = page.locator("[data-marked]");
  await chat.act(chat.questions.last(), "Copy link");
  await expect(page.getByText("Link copied")).toBeVisible();

  await page.goto(`${bough.url}${path}?m=q10`);
  await chat.ready();
  await expect(marked).toContainText("Question 10");
  await page.getByRole("link", { name: "New chat" }).first().click();
  await page.waitForURL(/\/$/);
  await page.goBack();
  await expect(marked).toContainText("Question 10");
  await expect(marked).toBeInViewport();

  const other = await context.newPage();
  await other.goto(`${bough.url}${path}?m=q20`);
  await expect(other.locator("[data-marked]")).toContainText("Question 20");
  await expect(other.locator("[data-marked]")).toBeInViewport();
});

test("an address leads to a message on another branch, and the palette and the tree lead there too", async ({ bough, chat, page, provider }) => {
  provider.will(reply(text("Apples grow on trees.")), reply(text("Pears do too.")));
  const path = await chat.begin("fruit");
  await chat.settled();
  await chat.answer.getByRole("button", { name: "Regenerate" }).click();
  await expect(chat.answer).toContainText("Pears do too.");
  await chat.settled();
  const first = await page.evaluate(async (address) => {
    const tree = await (await fetch(address)).json();
    return tree.nodes.find((node: { preview: string }) => node.preview.startsWith("Apples")).id;
  }, `${bough.url}/api/v1/agents/assistant/default/sessions/${path.split("/").at(-1)}/tree`);

  await page.goto(`${bough.url}${path}?m=${first}`);
  await chat.ready();
  await expect(page.locator("[data-marked]")).toContainText("Apples grow on trees.");

  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("pears");
  await page.getByRole("option", { name: /another branch/ }).click();
  await expect(page.locator("[data-marked]")).toContainText("Pears do too.");
  await expect(page).toHaveURL(/\?m=/);

  await page.keyboard.press("Control+Shift+e");
  await chat.panel.getByRole("tab", { name: "Tree" }).click();
  await chat.panel.getByRole("treeitem", { name: /Apples/ }).click();
  await expect(page.locator("[data-marked]")).toContainText("Apples grow on trees.");
});

test("an address of nothing says so and shows the chat", async ({ bough, chat, complaints, page, provider }) => {
  complaints.expect(/404/);
  provider.will(reply(text("Here.")));
  const path = await chat.begin("hi");
  await chat.settled();
  await page.goto(`${bough.url}${path}?m=nothing`);
  await chat.ready();
  await expect(page.locator(".toast")).toContainText(/message/i);
  await expect(chat.answer).toContainText("Here.");
});
