// Everything lives below a path, as behind a reverse proxy.
import { expect, hold, reply, test, text } from "../support/stories.js";

test.use({ settings: { BOUGH_BASE_PATH: "/chat" } });

test("a visit below a path never leaves it", async ({ chat, page, provider }) => {
  const strays: string[] = [];
  page.on("request", (request) => {
    if (!new URL(request.url()).pathname.startsWith("/chat/")) strays.push(request.url());
  });
  provider.will(reply(text("Of herons.")), reply(text("More "), hold(), text("herons.")));
  const path = await chat.begin("tell me of herons");
  expect(path).toMatch(/^\/chat\/s\/./);
  await expect(chat.answer).toContainText("Of herons.");
  await chat.settled();
  await chat.say("more");
  await expect(chat.answer).toContainText("More");
  await chat.reload();
  provider.release();
  await expect(chat.answer).toContainText("More herons.");
  await chat.settled();

  await chat.sidebar.getByRole("link", { name: "New chat" }).click();
  await expect(page).toHaveURL(/\/chat\/?$/);
  await chat.sidebar.locator(`a[href="${path}"]`).click();
  await expect(chat.answer).toContainText("More herons.");
  await chat.choose(path, "Delete");
  await expect(page).toHaveURL(/\/chat\/?$/);
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(chat.sidebar.locator(`a[href="${path}"]`)).toBeVisible();
  expect(strays).toEqual([]);
});
