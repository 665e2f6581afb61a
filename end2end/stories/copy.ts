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
