// A password: in with it and not without, out again in every tab, and being signed out by somebody else.
import type { Page } from "@playwright/test";
import { isAccessible } from "../support/axe.js";
import { Chat, expect, reply, test, text } from "../support/stories.js";

const PASSWORD = "correct horse";
test.use({ settings: { BOUGH_PASSWORD: PASSWORD } });

async function signIn(page: Page, password = PASSWORD): Promise<void> {
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

async function begin(chat: Chat, url: string, question: string): Promise<string> {
  await chat.page.goto(url);
  await signIn(chat.page);
  return chat.begin(question);
}

async function command(page: Page, name: string): Promise<void> {
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox").fill(name);
  await page.keyboard.press("Enter");
}

test("the password leads to the page that was wanted, and a wrong one does not", async ({ page, bough, chat, complaints }) => {
  await page.goto(`${bough.url}/settings/data`);
  await expect(page).toHaveURL(/\/login\?next=/);
  await expect(page.getByLabel("Password")).toBeFocused();
  complaints.expect(/status of 401/);
  await signIn(page, "wrong horse");
  await expect(page.getByRole("alert")).toHaveText("That is not the password.");
  await isAccessible(page, "the sign-in page after a wrong password");
  await signIn(page);
  await expect(page).toHaveURL(`${bough.url}/settings/data`);
  await chat.reload();
  await expect(page.getByRole("listitem", { name: /this browser/ })).toBeVisible();
});

for (const theme of ["light", "dark"] as const) {
  test(`a phone without script signs in, ${theme}`, async ({ browser, bough }) => {
    const viewport = { width: 390, height: 844 };
    const context = await browser.newContext({ javaScriptEnabled: false, colorScheme: theme, viewport });
    const page = await context.newPage();
    await page.goto(`${bough.url}/`);
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Sign in to Bough");
    const { width } = (await page.getByLabel("Password").boundingBox()) ?? { width: 0 };
    expect(width).toBeGreaterThan(250);
    await signIn(page);
    await expect(page).toHaveURL(`${bough.url}/`);
    await expect(page.getByRole("textbox", { name: "Message", exact: true })).toBeVisible();
    await context.close();
  });

  test(`the sign-in page can be used by everybody, ${theme}`, async ({ page, bough }) => {
    await page.emulateMedia({ colorScheme: theme });
    await page.goto(`${bough.url}/login`);
    await isAccessible(page, `the sign-in page, ${theme}`);
  });
}

test("signing out ends both tabs, which do not try for ever, and what was typed is kept", async ({
  chat,
  context,
  page,
  bough,
  provider,
  complaints,
}) => {
  provider.will(reply(text("One.")));
  const path = await begin(chat, bough.url, "first");
  await chat.settled();
  const other = new Chat(await context.newPage(), bough.url);
  await other.open(path);
  await other.composer.fill("half a thought");
  let sockets = 0;
  other.page.on("websocket", () => (sockets += 1));

  complaints.expect(/status of 401/, /WebSocket connection to .* failed/);
  await command(page, "Sign out");
  await expect(page).toHaveURL(/\/login/);
  await expect(other.page.getByText("You are signed out.")).toBeVisible();
  await isAccessible(other.page, "a page that is signed out");
  expect(sockets, "sockets after the end of the sign-in").toBe(0);
  await other.page.getByRole("link", { name: "Sign in again" }).click();
  await signIn(other.page);
  await expect(other.page).toHaveURL(bough.url + path);
  await other.ready();
  await expect(other.composer).toHaveValue("half a thought");
  // The first tab is in again too, as it is the same browser.
  await page.goto(bough.url + path);
  await expect(chat.answer).toContainText("One.");
});

test("a browser that is left somewhere is signed out from another one", async ({ browser, chat, bough, page, provider, complaints }) => {
  provider.will(reply(text("One.")));
  await begin(chat, bough.url, "first");
  await chat.settled();
  const context = await browser.newContext();
  const elsewhere = await context.newPage();
  await elsewhere.goto(`${bough.url}/settings/data`);
  await signIn(elsewhere);
  const row = elsewhere.getByRole("listitem", { name: / on / }).filter({ hasNotText: "this browser" });
  complaints.expect(/status of 401/);
  await row.getByRole("button", { name: "Sign out" }).click();
  await expect(row).toHaveCount(0);
  await expect(page.getByText("You are signed out.")).toBeVisible();
  await expect(elsewhere.getByRole("listitem", { name: /this browser/ })).toBeVisible();
  await context.close();
});
