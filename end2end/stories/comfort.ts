// For eyes that want it large, screens that are small, and heads that want it still.
import { expect, hold, reply, test, text } from "../support/stories.js";

const WIDE = `| ${"column | ".repeat(9)}\n|${"---|".repeat(9)}\n| ${"a wide cell | ".repeat(9)}\n\n\`\`\`\n${"x".repeat(300)}\n\`\`\`\n`;

for (const [name, viewport] of [
  ["1024 x 768", { width: 1024, height: 768 }],
  // What a window of 1440 x 900 has left at 200 %, and the narrowest that guidelines ask for (1280 at 400 %).
  ["twice as large", { width: 720, height: 450 }],
  ["four times as large", { width: 320, height: 256 }],
] as const) {
  test.describe(name, () => {
    test.use({ viewport });

    test("nothing scrolls sideways, and everything can be reached", async ({ chat, page, provider }) => {
      const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      provider.will(reply(text(WIDE)));
      await chat.begin("write");
      await chat.settled();
      expect(await overflow()).toBeLessThanOrEqual(0);
      await expect(chat.composer).toBeInViewport();
      await chat.composer.fill("again");
      await expect(chat.send).toBeInViewport();
      await page.keyboard.press("Control+Shift+E");
      await expect(page.getByRole("tab", { name: "Memory" })).toBeInViewport();
      expect(await overflow()).toBeLessThanOrEqual(0);
      for (const section of ["models", "appearance", "data"]) {
        await chat.open(`/settings/${section}`);
        expect(await overflow(), section).toBeLessThanOrEqual(0);
      }
    });
  });
}

test.describe("a narrow window with keys", () => {
  test.use({ viewport: { width: 640, height: 720 } });

  test("the list of keys opens where the list of chats is a drawer", async ({ chat, page }) => {
    await chat.open("/");
    const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await expect(async () => {
      await page.keyboard.press("Control+/");
      await expect(sheet).toBeInViewport({ timeout: 300 });
    }).toPass();
    await page.keyboard.press("Escape");
    await expect(sheet).toBeHidden();
    await page.keyboard.press("Control+Shift+S");
    await expect(chat.sidebar).toBeInViewport();
  });
});

test.describe("with reduced motion", () => {
  test.use({ contextOptions: { reducedMotion: "reduce" } });

  test("nothing moves while an answer comes", async ({ chat, page, provider }) => {
    provider.will(reply(hold(), text("So far"), hold(), text(".")));
    const moving = () =>
      page.evaluate(() => {
        const all = document.getAnimations().filter((one) => one.playState === "running");
        return all.filter((one) => Number(one.effect?.getComputedTiming().activeDuration) > 50).length;
      });
    await chat.begin("go");
    await chat.stop.waitFor();
    expect(await moving()).toBe(0);
    provider.release();
    await expect(chat.answer).toContainText("So far");
    expect(await moving()).toBe(0);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").waitFor();
    expect(await moving()).toBe(0);
    await page.keyboard.press("Escape");
    provider.release();
    await chat.settled();
  });
});
