// An answer that ends where nobody looks is told of by a notice, if that was asked for, and by one tab only.
import type { Page } from "@playwright/test";
import { Chat, expect, hold, reply, test, text } from "../support/stories.js";

type Told = { shown: string[]; asked: number; hidden: boolean };
declare global {
  interface Window {
    told: Told;
  }
}

/** A system that notes what it is told to show, and a tab that can be put out of sight. */
async function watched(page: Page, answer: "granted" | "denied"): Promise<void> {
  await page.addInitScript((answer) => {
    window.told = { shown: [], asked: 0, hidden: false };
    class Notice {
      onclick: (() => void) | null = null;
      constructor(title: string, options: { body: string }) {
        window.told.shown.push(`${title}: ${options.body}`);
        Object.assign(window, { notice: this });
      }
      close(): void {}
      static async requestPermission(): Promise<string> {
        window.told.asked++;
        return answer;
      }
    }
    Object.assign(window, { Notification: Notice });
    Object.defineProperty(document, "hidden", { get: () => window.told.hidden });
  }, answer);
}

const shown = (page: Page) => page.evaluate(() => window.told.shown);
const hide = (page: Page) => page.evaluate(() => void (window.told.hidden = true));

test("one of several hidden tabs shows a notice, and its click opens the chat", async ({ chat, page, provider, context, bough }) => {
  await watched(page, "granted");
  await chat.open("/settings/appearance");
  expect(await page.evaluate(() => window.told.asked)).toBe(0);
  await page.getByRole("radio", { name: "Show a notice" }).check();
  expect(await page.evaluate(() => window.told.asked)).toBe(1);
  provider.will(reply(text("So "), hold(), text("far.")), reply(text("Seen.")));
  const path = await chat.begin("a long question");
  await expect(chat.answer).toContainText("So");
  const other = new Chat(await context.newPage(), bough.url);
  await watched(other.page, "granted");
  await other.open("/");
  await expect(other.sidebar.getByRole("img", { name: "An answer is being written" })).toBeVisible();
  for (const tab of [page, other.page]) await hide(tab);
  provider.release();
  await expect.poll(async () => [...(await shown(page)), ...(await shown(other.page))]).toEqual(["a long question: The answer is there"]);
  const teller = (await shown(page)).length ? page : other.page;
  await teller.evaluate(() => (window as unknown as { notice: { onclick(): void } }).notice.onclick());
  await teller.waitForURL((url) => url.pathname === path);

  // Where somebody looks at a tab, nothing is told.
  await page.evaluate(() => void (window.told.hidden = false));
  await chat.open(path);
  await chat.say("again");
  await expect(chat.answer).toContainText("Seen.");
  await chat.settled();
  expect(await shown(page)).toEqual([]);
});

test("a browser that says no is believed, and nothing is told without a wish", async ({ chat, page, provider }) => {
  await watched(page, "denied");
  await chat.open("/settings/appearance");
  await page.getByRole("radio", { name: "Show a notice" }).click();
  await expect(page.getByRole("alert")).toContainText("does not let this page show notices");
  await expect(page.getByRole("radio", { name: "Nothing", exact: true })).toBeChecked();
  provider.will(reply(text("So "), hold(), text("far.")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("So");
  await hide(page);
  provider.release();
  await expect(chat.answer).toContainText("So far.");
  await chat.settled();
  expect(await shown(page)).toEqual([]);
});
