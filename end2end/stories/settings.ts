// The settings: every section by its address, choices that hold at once, keys, and the data.
import { expect, reply, test, text } from "../support/stories.js";

const API = "/api/v1/agents/assistant/default";

test("choices hold at once and for the next visit", async ({ chat, page }) => {
  await chat.open("/settings/appearance");
  const root = page.locator("html");
  await page.getByRole("radio", { name: "Compact" }).check();
  await expect(root).toHaveAttribute("data-density", "compact");
  await page.getByRole("radio", { name: "Nothing moves" }).check();
  await expect(root).toHaveAttribute("data-motion", "still");
  await page.getByRole("radio", { name: "Dark" }).check();
  await expect(root).toHaveAttribute("data-theme", "dark");
  await page.getByRole("radio", { name: "Ctrl or Command with Enter" }).check();
  await chat.reload();
  await expect(page.getByRole("radio", { name: "Compact" })).toBeChecked();
  await expect(root).toHaveAttribute("data-density", "compact");
});

test("Enter breaks the line where Ctrl and Enter send", async ({ chat, page, provider }) => {
  provider.will(reply(text("Hello.")));
  await chat.open("/settings/appearance");
  await page.getByRole("radio", { name: "Ctrl or Command with Enter" }).check();
  await chat.open("/");
  await expect(page.getByText("Ctrl+Enter sends")).toBeVisible();
  await chat.composer.fill("one");
  await chat.composer.press("Enter");
  await chat.composer.pressSequentially("two");
  await expect(chat.composer).toHaveValue("one\ntwo");
  await chat.composer.press("Control+Enter");
  await expect(chat.questions).toContainText("two");
  await chat.settled();
});

test("sections have addresses, and models show who offers them with masked keys", async ({ chat, page, provider }) => {
  await chat.open("/");
  await page.getByRole("link", { name: "Settings" }).click();
  await expect(page).toHaveURL(/\/settings\/models$/);
  const card = page.getByRole("main").locator(".card").filter({ hasText: provider.baseUrl });
  await expect(card).toContainText("openai");
  await expect(card).toContainText("key ••••");
  await expect(page.getByRole("main")).not.toContainText("a-key-for-tests");
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Shortcuts" }).click();
  await expect(page).toHaveURL(/\/settings\/shortcuts$/);
  await expect(page.getByRole("heading", { name: "Shortcuts" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("heading", { name: "Models" })).toBeVisible();
});

test("what was thrown away is restored or deleted for ever, which asks", async ({ chat, page, bough, request }) => {
  for (const name of ["herons", "otters"]) {
    await request.post(bough.url + API + "/sessions", { data: { name, id: name } });
    await request.delete(`${bough.url}${API}/sessions/${name}`);
  }
  await chat.open("/settings/data");
  const trash = page.getByRole("region", { name: "Trash" });
  const row = (name: string) => trash.getByRole("listitem", { name });
  await row("herons").getByRole("button", { name: "Restore" }).click();
  await expect(row("herons")).toHaveCount(0);
  await expect(chat.session("herons")).toBeVisible();
  await row("otters").getByRole("button", { name: "Delete for ever" }).click();
  await row("otters").getByRole("button", { name: "Keep it" }).click();
  await row("otters").getByRole("button", { name: "Delete for ever" }).click();
  await row("otters").getByRole("button", { name: "Yes, for ever" }).click();
  await expect(trash).toContainText("The trash is empty.");
});

test("the archive gives back what was put aside", async ({ chat, page, bough, request }) => {
  await request.post(bough.url + API + "/sessions", { data: { name: "herons", id: "herons" } });
  await request.post(`${bough.url}${API}/sessions/herons/archive`);
  await chat.open("/settings/data");
  await expect(chat.session("herons")).toHaveCount(0);
  await page.getByRole("region", { name: "Archive" }).getByRole("button", { name: "Restore" }).click();
  await expect(chat.session("herons")).toBeVisible();
  await expect(page.getByRole("region", { name: "Archive" })).toContainText("Nothing is archived.");
});

test("the doctor looks through the store", async ({ chat, page }) => {
  await chat.open("/settings/data");
  await page.getByRole("button", { name: "Examine" }).click();
  await expect(page.getByRole("region", { name: "Doctor" })).toContainText("Everything is in order.");
});

test("keys work everywhere, are listed, and can be switched off", async ({ chat, page, provider }) => {
  provider.will(reply(text("Of herons.")));
  await chat.begin("tell me");
  await chat.settled();
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await expect(async () => {
    await page.keyboard.press("Control+/");
    await expect(keys).toBeVisible({ timeout: 300 });
  }).toPass();
  await page.keyboard.press("Escape");
  await expect(keys).toBeHidden();
  await page.keyboard.press("Control+Shift+S");
  await expect(chat.sidebar).toBeHidden();
  await page.getByRole("button", { name: "Open the list of chats" }).click();
  await expect(chat.sidebar).toBeVisible();
  await page.getByRole("separator", { name: "Width of the list of chats" }).press("End");
  await expect.poll(async () => (await chat.sidebar.boundingBox())?.width).toBe(440);
  await chat.reload();
  expect((await chat.sidebar.boundingBox())?.width).toBe(440);
  await page.keyboard.press("Control+.");
  await expect(page).toHaveURL(/\/settings\/models$/);
  await page.getByRole("navigation", { name: "Settings" }).getByRole("link", { name: "Shortcuts" }).click();
  await page.getByRole("radio", { name: "Off, except Escape" }).check();
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("dialog", { name: "Search and commands" })).toBeHidden();
});
