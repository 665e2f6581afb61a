// What is copied is what was written.
import { expect, reply, test, text } from "../support/stories.js";

const WRITTEN = "Some **bold** words.\n\n```sh\nls -l\n```\n";

test("a message is copied as markdown, a code block as its text", async ({ chat, context, page, provider }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  provider.will(reply(text(WRITTEN)));
  await chat.begin("go");
  await expect(chat.answer).toContainText("ls -l");
  await chat.settled();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await chat.answer.hover();
  await chat.answer.getByRole("button", { name: "Copy message" }).click();
  await expect.poll(clipboard).toBe(WRITTEN);
  await chat.answer.getByRole("button", { name: "Copy code" }).click();
  await expect.poll(clipboard).toMatch(/^ls -l\n?$/);
});

test("code can be copied before the part of the page that draws it is there", async ({ chat, context, page, provider }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  provider.will(reply(text(WRITTEN)));
  await chat.begin("go");
  await expect(chat.answer).toContainText("ls -l");
  await chat.settled();
  let arrive = () => {};
  const arrival = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/split_markdown.*", async (route) => {
    await arrival;
    await route.continue();
  });
  await chat.reload();
  const button = chat.answer.getByRole("button", { name: "Copy code" });
  await button.click();
  await expect(button).toContainText("Copied");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toMatch(/^ls -l\n?$/);
  arrive();
  await expect(chat.answer.locator("code span").first()).toBeVisible();
});
