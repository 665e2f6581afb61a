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
