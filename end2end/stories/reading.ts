// J03: whoever reads above the end is left alone, whatever arrives and however they got there.
import { expect, hold, reply, test, text } from "../support/stories.js";

const PARAGRAPHS = Array.from({ length: 80 }, (_, number) => `Paragraph ${number + 1} of many.\n\n`);

for (const way of ["wheel", "PageUp", "ArrowUp", "touch"] as const) {
  test.describe(way, () => {
    test.use({ hasTouch: way === "touch" });

    test("an upward move stops following at once, and something new is told", async ({ chat, page, provider }) => {
      const flood = Array.from({ length: 40 }, (_, number) => `More ${number + 1}.\n\n`);
      provider.will(reply(text(...PARAGRAPHS), hold(), text(...flood)));
      await chat.open("/");
      await chat.composer.fill("write a lot");
      await chat.send.click(); // on a touch screen Enter breaks the line
      await expect(chat.answer.getByText("Paragraph 80 of many.")).toBeInViewport();
      const jump = page.getByRole("button", { name: "Jump to latest" });
      if (way === "wheel") {
        await page.mouse.move(700, 400);
        await page.mouse.wheel(0, -300);
      } else if (way === "touch") {
        const client = await page.context().newCDPSession(page);
        const finger = (type: "touchStart" | "touchMove" | "touchEnd", y: number) =>
          client.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: 700, y }] });
        await finger("touchStart", 300);
        for (let y = 320; y <= 640; y += 40) await finger("touchMove", y);
        await finger("touchEnd", 640);
      } else {
        await chat.transcript.focus();
        await page.keyboard.press(way);
        await page.keyboard.press(way);
      }
      await expect(jump).toBeVisible();
      const top = () => chat.transcript.evaluate((box) => box.scrollTop);
      await expect.poll(async () => (await top()) === (await top())).toBe(true);
      provider.release();
      await expect(chat.answer).toContainText("More 40.");
      await chat.settled();
      await expect(page.getByRole("button", { name: "something new is there" })).toBeVisible();
      await expect(chat.answer.getByText("More 40.")).not.toBeInViewport();
      await jump.click();
      await expect(chat.answer.getByText("More 40.")).toBeInViewport();
      await expect(jump).not.toBeInViewport();
    });
  });
}

test("a new question goes to the top where that is wanted, and its answer grows below it", async ({ chat, page, provider }) => {
  await chat.open("/settings/appearance");
  await page.getByRole("radio", { name: "At the top, its answer below" }).check();
  const lines = (from: number, count: number) => Array.from({ length: count }, (_, at) => `Line ${from + at}\n\n`);
  provider.will(reply(text(...lines(0, 40))), reply(text("So "), hold(), text(...lines(0, 4)), hold(), text(...lines(4, 60))));
  await chat.begin("the first question");
  await chat.settled();
  await chat.say("the second question");
  await expect(chat.answer).toContainText("So");
  const box = page.locator(".scroller");
  const top = async () => {
    const [question, frame] = await Promise.all([chat.questions.last().boundingBox(), box.boundingBox()]);
    return Math.round((question?.y ?? 0) - (frame?.y ?? 0));
  };
  const isAtTop = async () => expect.poll(top).toBeLessThan(40);
  await isAtTop();
  expect(await top()).toBeGreaterThanOrEqual(0);
  const jump = page.getByRole("button", { name: /^Jump to latest/ });
  provider.release();
  await expect(chat.answer).toContainText("Line 3");
  await isAtTop();
  await expect(jump).toBeHidden();
  provider.release();
  await chat.settled();
  await expect(chat.answer).toContainText("Line 63");
  await isAtTop();
  // Whoever wants the end goes there.
  await jump.click();
  await expect(chat.answer.getByText("Line 63", { exact: true })).toBeInViewport();
  await chat.reload();
  await expect(chat.answer.getByText("Line 63", { exact: true })).toBeInViewport();
});
