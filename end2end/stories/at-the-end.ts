// The end stays in view while the page is being laid out: only a person leaves it.
import { expect, reply, test, text } from "../support/stories.js";

const PARAGRAPHS = Array.from({ length: 60 }, (_, number) => `Paragraph ${number + 1} of many.\n\n`);

test("what shrinks and then grows does not take the end out of view", async ({ chat, page, provider }) => {
  provider.will(reply(text(...PARAGRAPHS)));
  await chat.begin("write a lot");
  await chat.settled();
  await expect(chat.answer.getByText("Paragraph 60 of many.")).toBeInViewport();
  // As when a row takes its real height, which pushes the box upward, and text in it is painted before the page
  // has heard of the push.
  await chat.answer.evaluate((row) => {
    const laidOut = new Promise<void>((resolve) => {
      const observer = new ResizeObserver(() => {
        observer.disconnect();
        setTimeout(resolve, 0);
      });
      observer.observe(row);
    });
    row.style.maxHeight = "1100px";
    row.style.overflow = "hidden";
    return laidOut.then(() => {
      row.style.maxHeight = "";
      row.style.paddingBottom = "400px";
    });
  });
  const toEnd = () => chat.transcript.evaluate((box) => box.scrollHeight - box.clientHeight - box.scrollTop);
  await expect.poll(toEnd).toBeLessThan(2);
  await expect(page.getByRole("button", { name: "Jump to latest" })).not.toBeInViewport();
});
