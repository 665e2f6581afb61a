// Somebody stops an answer.
import type { Page } from "@playwright/test";
import { expect, hold, reply, test, text, type Call } from "../support/stories.js";

const STOPPED_WITHIN_MS = 1_000;

/** The provider must see the connection go within a second of the click or key that `act` gives to the page. */
async function closesInTime(page: Page, call: Call | undefined, act: () => Promise<void>): Promise<void> {
  if (!call) throw new Error("the provider was not called");
  await page.evaluate(() => {
    const note = () => void (document.documentElement.dataset.pressedAt ??= String(Date.now()));
    delete document.documentElement.dataset.pressedAt;
    for (const kind of ["click", "keydown"]) addEventListener(kind, note, { capture: true, once: true });
  });
  await act();
  const { at, whole } = await call.ended;
  expect(whole, "the reply must not have been read to its end").toBe(false);
  const pressedAt = await page.evaluate(() => Number(document.documentElement.dataset.pressedAt));
  expect(at - pressedAt).toBeLessThan(STOPPED_WITHIN_MS);
}

test("Stop closes the call at once and keeps what had come", async ({ chat, provider }) => {
  provider.will(reply(text("So ", "far"), hold(), text(" and no further")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("So far");
  await closesInTime(chat.page, provider.calls[0], () => chat.stop.click());
  await chat.settled();
  await expect(chat.answer).toContainText("So far");
  await expect(chat.answer).toContainText("Stopped by you");
  await chat.reload();
  await expect(chat.answer).toContainText("So far");
  await expect(chat.answer).toContainText("Stopped by you");
});

test("Escape stops too, and the chat goes on", async ({ chat, provider }) => {
  provider.will(reply(text("So far"), hold()), reply(text("Next.")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("So far");
  await closesInTime(chat.page, provider.calls[0], () => chat.page.keyboard.press("Escape"));
  await chat.settled();
  await chat.say("again");
  await expect(chat.answer).toContainText("Next.");
  await chat.settled();
  await expect(chat.answers).toHaveCount(2);
});

test("Stop works before the first word and after a reload", async ({ chat, provider }) => {
  provider.will(reply(hold(), text("late")), reply(text("Some"), hold()));
  await chat.begin("go");
  await expect.poll(() => provider.calls.length).toBe(1);
  await closesInTime(chat.page, provider.calls[0], () => chat.stop.click());
  await chat.settled();
  await chat.say("again");
  await expect(chat.answer).toContainText("Some");
  await chat.reload();
  await closesInTime(chat.page, provider.calls[1], () => chat.stop.click());
  await chat.settled();
});
