// The list of chats in good order: pinned, put aside, forked, folded, marked where an answer was not seen, kept in
// place; and what happens to a tab whose chat goes away elsewhere.
import { Chat, expect, hold, reply, test, text } from "../support/stories.js";

const API = "/api/v1/agents/assistant/default";

test("a chat is pinned to the top, put aside, and comes back by Undo", async ({ chat, provider, page }) => {
  provider.will(reply(text("One.")), reply(text("Two.")));
  const first = await chat.begin("the first chat");
  await chat.settled();
  const second = await chat.begin("the second chat");
  await chat.settled();
  await chat.choose(first, "Pin to the top");
  const pinned = chat.sidebar.getByRole("region", { name: "Pinned" });
  await expect(pinned.locator(`a[href="${first}"]`)).toBeVisible();
  await expect(pinned.locator(`a[href="${second}"]`)).toHaveCount(0);
  await chat.reload();
  await expect(pinned.locator(`a[href="${first}"]`)).toBeVisible();
  await chat.choose(first, "Unpin");
  await expect(pinned).toHaveCount(0);

  await chat.choose(second, "Archive");
  await expect(chat.sidebar.locator(`a[href="${second}"]`)).toHaveCount(0);
  await expect(chat.answer).toContainText("Two."); // it is put aside, not taken away
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat.sidebar.locator(`a[href="${second}"]`)).toBeVisible();
});

test("forks stand below what they came from and can be folded away", async ({ chat, provider, page }) => {
  provider.will(reply(text("Herons wait.")));
  const parent = await chat.begin("tell me of herons");
  await chat.settled();
  await chat.choose(parent, "Fork");
  await page.waitForURL((url) => url.pathname !== parent && url.pathname.startsWith("/s/"));
  await expect(chat.answer).toContainText("Herons wait.");
  const fork = page.locator(`a.session-link[href="${new URL(page.url()).pathname}"]`);
  await expect(chat.sidebar.getByRole("listitem").filter({ has: fork })).toHaveClass(/is-below/);
  const button = page.getByRole("button", { name: "Chats that came from tell me of herons" });
  await button.focus();
  await page.keyboard.press("Enter");
  await expect(fork).toHaveCount(0);
  await expect(button).toBeFocused();
  await chat.reload();
  await expect(button).toHaveAttribute("aria-expanded", "false");
  await button.click();
  await expect(fork).toBeVisible();
});

test("an answer that came while nobody looked is marked, in every tab, until it is looked at", async ({
  chat,
  bough,
  context,
  provider,
}) => {
  provider.will(reply(text("Slow "), hold(), text("answer.")));
  const path = await chat.begin("think about it");
  await expect(chat.answer).toContainText("Slow");
  const row = chat.sidebar.getByRole("listitem").filter({ has: chat.page.locator(`a[href="${path}"]`) });
  await chat.sidebar.getByRole("link", { name: "New chat" }).click();
  await expect(row.getByRole("img", { name: "An answer is being written" })).toBeVisible();
  await expect(row.getByRole("img", { name: "A new answer" })).toHaveCount(0);
  provider.release();
  await expect(row.getByRole("img", { name: "A new answer" })).toBeVisible();
  await expect(row.getByRole("img", { name: "An answer is being written" })).toHaveCount(0);

  const other = new Chat(await context.newPage(), bough.url);
  await other.open("/");
  const there = other.sidebar.getByRole("listitem").filter({ has: other.page.locator(`a[href="${path}"]`) });
  await expect(there.getByRole("img", { name: "A new answer" })).toBeVisible();
  await there.getByRole("link").click();
  await expect(other.answer).toContainText("Slow answer.");
  for (const seen of [row, there]) await expect(seen.getByRole("img", { name: "A new answer" })).toHaveCount(0);
});

// B08
test("deleting one of many chats takes that row only and keeps the place", async ({ chat, bough, page, request }) => {
  for (let number = 1; number <= 60; number++) {
    await request.post(bough.url + API + "/sessions", { data: { name: `chat ${number}`, id: `s${number}` } });
  }
  await chat.open("/");
  const rows = chat.sidebar.locator(".session-row");
  await expect(rows).toHaveCount(60);
  const list = page.locator(".session-list");
  await list.evaluate((element) => element.scrollTo(0, 500));
  await chat.choose("/s/s40", "Delete");
  await expect(rows).toHaveCount(59);
  expect(await list.evaluate((element) => element.scrollTop)).toBe(500);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(rows).toHaveCount(60);
});

test("older chats come as one scrolls, and thousands of them stay quick", async ({ chat, bough, page, request }) => {
  test.slow();
  for (let from = 0; from < 1_200; from += 100) {
    const made = Array.from({ length: 100 }, (_, at) =>
      request.post(bough.url + API + "/sessions", { data: { name: `chat ${from + at}`, id: `s${from + at}` } }),
    );
    await Promise.all(made);
  }
  await chat.open("/");
  const rows = chat.sidebar.locator(".session-row");
  await expect(rows).toHaveCount(100);
  const list = page.locator(".session-list");
  await expect(async () => {
    await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    expect(await rows.count()).toBe(1_200);
  }).toPass();
  await expect(page.getByRole("button", { name: "Show older chats" })).toHaveCount(0);
});

// B03
test("a tab whose chat is deleted elsewhere says so once and asks no more", async ({
  chat,
  bough,
  context,
  provider,
  request,
}) => {
  provider.will(reply(text("Hello.")));
  const path = await chat.begin("hi");
  await chat.settled();
  const other = new Chat(await context.newPage(), bough.url);
  await other.page.clock.install();
  await other.open(path);
  await expect(other.answer).toContainText("Hello.");
  const asked: string[] = [];
  await chat.choose(path, "Delete");
  await expect(other.page.getByRole("main")).toContainText("This chat was deleted.");
  other.page.on("request", (request) => asked.push(request.url()));
  await expect(other.sidebar.locator(`a[href="${path}"]`)).toHaveCount(0);
  await other.page.clock.fastForward(20_000);
  expect(asked).toEqual([]);
  await request.post(`${bough.url}${API}/sessions/${path.split("/").at(-1)}/restore`);
  await expect(other.answer).toContainText("Hello.");
});

test("a chat in the trash comes back from its own address", async ({ chat, page, provider, bough, context, complaints }) => {
  provider.will(reply(text("Hello.")));
  const path = await chat.begin("hi there");
  await chat.settled();
  const other = new Chat(await context.newPage(), bough.url);
  await other.open(path);
  await expect(other.answer).toContainText("Hello.");
  await chat.choose(path, "Delete");
  // The tab that looked at it can bring it back.
  await expect(other.page.getByRole("main")).toContainText("This chat was deleted.");
  await other.page.getByRole("button", { name: "Restore" }).click();
  await expect(other.answer).toContainText("Hello.");
  await chat.choose(path, "Delete");
  await expect(other.page.getByRole("main")).toContainText("This chat was deleted.");
  // So can whoever opens its address.
  complaints.expect(/status of 404/);
  await chat.open(path);
  await expect(page.getByRole("main")).toContainText("There is no chat at this address.");
  await expect(page.getByRole("main")).toContainText("“hi there” is in the trash");
  await page.getByRole("button", { name: "Restore" }).click();
  await expect(chat.answer).toContainText("Hello.");
  await expect(chat.sidebar.locator(`a[href="${path}"]`)).toBeVisible();
});

test("arrows walk through the list, and F2 renames where one is", async ({ chat, bough, page, request }) => {
  for (const name of ["one", "two", "three"]) await request.post(bough.url + API + "/sessions", { data: { name, id: name } });
  await chat.open("/");
  const link = (name: string) => chat.sidebar.locator(`a[href="/s/${name}"]`);
  await link("three").focus();
  await expect(async () => {
    await link("three").press("ArrowDown");
    await expect(link("two")).toBeFocused({ timeout: 200 });
  }).toPass();
  await page.keyboard.press("ArrowDown");
  await expect(link("one")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("F2");
  await page.keyboard.type("second");
  await page.keyboard.press("Enter");
  await expect(link("two")).toHaveText("second");
});
