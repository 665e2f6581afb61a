// A long chat opens at its end, shows what came before as one scrolls up, and never moves what is being read.
import { expect, hold, reply, test, text } from "../support/stories.js";

const PARAGRAPHS = Array.from({ length: 60 }, (_, number) => `Paragraph ${number + 1} of many.\n\n`);

test("the view follows the answer until somebody reads above", async ({ chat, page, provider }) => {
  provider.will(reply(text(...PARAGRAPHS.slice(0, 40)), hold(), text(...PARAGRAPHS.slice(40))));
  await chat.begin("write a lot");
  await expect(chat.answer.getByText("Paragraph 40 of many.")).toBeInViewport();
  const jump = page.getByRole("button", { name: "Jump to latest" });
  await expect(jump).not.toBeInViewport();

  await chat.answer.getByText("Paragraph 5 of many.").scrollIntoViewIfNeeded();
  await page.mouse.move(700, 400);
  await page.mouse.wheel(0, -40);
  const read = chat.answer.getByText("Paragraph 5 of many.");
  await expect(read).toBeInViewport();
  const before = (await read.boundingBox())?.y;
  provider.release();
  await expect(chat.answer).toContainText("Paragraph 60 of many.");
  await chat.settled();
  expect(Math.abs(((await read.boundingBox())?.y ?? 0) - (before ?? 0))).toBeLessThan(2);

  await jump.click();
  await expect(chat.answer.getByText("Paragraph 60 of many.")).toBeInViewport();
});

test("opening it lands at the last message, also without a script", async ({ chat, browser, bough, provider }) => {
  provider.will(reply(text(...PARAGRAPHS)));
  const path = await chat.begin("write a lot");
  await expect(chat.answer).toContainText("Paragraph 60 of many.");
  await chat.settled();
  await chat.reload();
  await expect(chat.answer.getByText("Paragraph 60 of many.")).toBeInViewport();

  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(bough.url + path);
  await expect(page.getByText("Paragraph 60 of many.")).toBeInViewport();
  await context.close();
});

test("older messages come as one scrolls up", async ({ chat, provider }) => {
  test.slow();
  const turns = 34; // two messages each; a page is opened with the last sixty
  provider.will(...Array.from({ length: turns }, (_, number) => reply(text(`Answer ${number + 1}.`))));
  await chat.begin("Question 1");
  for (let turn = 1; turn <= turns; turn++) {
    await expect(chat.answer).toContainText(`Answer ${turn}.`);
    await chat.settled();
    if (turn < turns) await chat.say(`Question ${turn + 1}`);
  }
  await chat.reload();
  await expect(chat.answer).toContainText(`Answer ${turns}.`);
  await expect(chat.questions.filter({ hasText: /Question 1$/ })).toHaveCount(0);
  await chat.transcript.focus();
  await chat.page.keyboard.press("Home");
  await expect(chat.questions).toHaveCount(turns);
  await expect(chat.questions.first()).toContainText("Question 1");
});
