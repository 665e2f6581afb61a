// Several chats of the list are chosen together: by clicks, by keys, by fingers; one Undo takes back what was done to all.
import { readFileSync } from "node:fs";
import type { APIRequestContext, Locator } from "@playwright/test";
import { type Chat, expect, test } from "../support/stories.js";

const API = "/api/v1/agents/assistant/default";
const NAMES = ["one", "two", "three", "four", "five"];

/** Chats from the newest to the oldest: five, four, … */
async function fill(request: APIRequestContext, base: string): Promise<void> {
  for (const name of NAMES) await request.post(`${base}${API}/sessions`, { data: { name, id: name } });
}

/** What comes late is there: the list hears clicks and keys. */
async function awake(chat: Chat): Promise<void> {
  await chat.page.getByRole("separator", { name: "Width of the list of chats" }).waitFor();
}

const link = (chat: Chat, name: string): Locator => chat.sidebar.locator(`a[href="/s/${name}"]`);

async function chosen(chat: Chat, ...names: string[]): Promise<void> {
  const rows = chat.sidebar.getByRole("listitem").filter({ has: chat.page.getByRole("img", { name: "Selected" }) });
  await expect(rows.getByRole("link")).toHaveText(names);
  const count = names.length === 1 ? "1 chat chosen" : `${names.length} chats chosen`;
  if (names.length > 0) await expect(chat.page.getByRole("status").filter({ hasText: count })).toBeAttached();
}

test("clicks choose, one Undo brings all back, and whoever looks at one of them looks at a new chat", async ({ bough, chat, page, request }) => {
  await fill(request, bough.url);
  await chat.open("/s/three");
  await awake(chat);
  await link(chat, "five").click({ modifiers: ["Control"] });
  await chosen(chat, "five");
  await link(chat, "three").click({ modifiers: ["Shift"] });
  await chosen(chat, "five", "four", "three");
  await link(chat, "four").click({ modifiers: ["Control"] });
  await chosen(chat, "five", "three");
  expect(page.context().pages()).toHaveLength(1);

  const bar = page.getByRole("toolbar", { name: "Chosen chats" });
  await bar.getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/$/);
  await expect(chat.sidebar.locator(".session-link")).toHaveText(["four", "two", "one"]);
  await expect(bar).toHaveCount(0);
  await expect(page.getByText("Moved 2 chats to the trash")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat.sidebar.locator(".session-link")).toHaveText(["five", "four", "three", "two", "one"]);
  await chosen(chat);

  await link(chat, "five").click({ modifiers: ["Control"] });
  await link(chat, "four").click({ modifiers: ["Control"] });
  await bar.getByRole("button", { name: "Archive" }).click();
  await expect(chat.sidebar.locator(".session-link")).toHaveText(["three", "two", "one"]);
  await expect(page.getByText("Archived 2 chats")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat.sidebar.locator(".session-link")).toHaveText(["five", "four", "three", "two", "one"]);
  // A plain click opens, and nothing is chosen any more.
  await link(chat, "two").click({ modifiers: ["Control"] });
  await link(chat, "one").click();
  await expect(page).toHaveURL(/one$/);
  await chosen(chat);
});

test("chosen chats are exported as one file", async ({ bough, chat, page, request }) => {
  await fill(request, bough.url);
  await chat.open("/");
  await awake(chat);
  await link(chat, "four").click({ modifiers: ["Control"] });
  await link(chat, "one").click({ modifiers: ["Control"] });
  const coming = page.waitForEvent("download");
  await page.getByRole("toolbar", { name: "Chosen chats" }).getByRole("link", { name: "Export" }).click();
  const file = await coming;
  expect(file.suggestedFilename()).toBe("bough-assistant-default-2-chats.json");
  const told = JSON.parse(readFileSync(await file.path(), "utf8"));
  expect(told.sessions.map((session: { name: string }) => session.name).sort()).toEqual(["four", "one"]);
});

test("keys choose, and the way to what can be done is one Tab", async ({ bough, chat, page, request }) => {
  await fill(request, bough.url);
  await chat.open("/");
  await awake(chat);
  await link(chat, "five").focus();
  await page.keyboard.press("Space");
  await chosen(chat, "five");
  await page.keyboard.press("Shift+ArrowDown");
  await page.keyboard.press("Shift+ArrowDown");
  await chosen(chat, "five", "four", "three");
  await page.keyboard.press("Shift+ArrowUp");
  await chosen(chat, "five", "four");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Archive" })).toBeFocused();
  await page.keyboard.press("Escape");
  await chosen(chat);
  await expect(chat.sidebar.locator(".session-link").first()).toBeFocused();

  await page.keyboard.press("Control+a");
  await chosen(chat, "five", "four", "three", "two", "one");
  await page.keyboard.press("Escape");
  await chosen(chat);
  await page.keyboard.press("Space");
  await page.keyboard.press("Delete");
  await expect(chat.sidebar.locator(".session-link")).toHaveText(["four", "three", "two", "one"]);
  await page.getByRole("button", { name: "Undo" }).press("Enter");
  await expect(chat.sidebar.locator(".session-link")).toHaveText(["five", "four", "three", "two", "one"]);
});

test.describe("on a phone", () => {
  test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

  test("a tap chooses once one is chosen, and Undo lies above the drawer", async ({ bough, chat, page, request }) => {
    await fill(request, bough.url);
    await chat.open("/");
    await page.getByRole("button", { name: "Open the list of chats" }).tap();
    await chat.choose("/s/five", "Choose");
    await link(chat, "three").tap();
    await chosen(chat, "five", "three");
    await expect(link(chat, "three")).toBeInViewport();
    await page.getByRole("toolbar", { name: "Chosen chats" }).getByRole("button", { name: "Delete" }).tap();
    await expect(chat.sidebar.locator(".session-link")).toHaveText(["four", "two", "one"]);
    await page.getByRole("button", { name: "Undo" }).tap();
    // The note lies above the drawer and leaves it open.
    await expect(chat.sidebar.locator(".session-link")).toHaveText(["five", "four", "three", "two", "one"]);
    await expect(link(chat, "five")).toBeInViewport();
  });
});
