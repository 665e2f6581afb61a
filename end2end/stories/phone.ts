// The same on a phone.
import type { Page } from "@playwright/test";
import { still } from "../support/still.js";
import { calls, expect, hold, reply, test, text } from "../support/stories.js";

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true });

test("a chat fits, the list is a drawer, nothing scrolls sideways", async ({ chat, page, provider }) => {
  const long = `${"averylongword".repeat(12)} and a table\n\n| a | b | c | d | e | f |\n|---|---|---|---|---|---|\n| ${"wide ".repeat(8)}| 2 | 3 | 4 | 5 | 6 |\n`;
  provider.will(reply(text(long, "\n```sh\n", "x".repeat(200), "\n```\n")));
  await chat.open("/");
  await chat.composer.fill("go");
  await chat.composer.press("Enter"); // breaks the line here: fingers send by the button
  await expect(chat.composer).toHaveValue("go\n");
  await chat.send.tap();
  await page.waitForURL(/\/s\/[^/]+$/);
  await expect(chat.answer).toContainText("averylongword");
  await chat.settled();
  const path = new URL(page.url()).pathname;
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  expect(await overflow()).toBeLessThanOrEqual(0);
  await expect(chat.composer).toBeInViewport();

  const link = chat.sidebar.locator(`a[href="${path}"]`);
  await expect(link).not.toBeInViewport();
  await page.getByRole("button", { name: "Open the list of chats" }).click();
  await expect(link).toBeInViewport();
  expect(await overflow()).toBeLessThanOrEqual(0);
  await link.click();
  await expect(link).not.toBeInViewport();
});

test.describe("fingers", () => {
  test.use({ config: '[agents.assistant]\ntools = ["demo"]\n' });

  /** What can be hit on the screen and is smaller than a finger; links within a text flow with it. */
  const small = async (page: Page) => {
    await still(page);
    return page.evaluate(() => {
      const all = document.querySelectorAll<HTMLElement>("a[href], button, summary, input, textarea, [role=tab], [role=treeitem], [role=option]");
      const isHit = (element: HTMLElement) => {
        const { x, y, width, height } = element.getBoundingClientRect();
        const top = document.elementFromPoint(x + width / 2, y + height / 2);
        return width > 2 && height > 2 && top !== null && (element.contains(top) || top.contains(element));
      };
      return [...all]
        .filter((element) => !element.closest(".prose, .sr-only, .skip-link") && isHit(element))
        .map((element) => ({ element, box: (element.closest("label") ?? element).getBoundingClientRect() }))
        .filter(({ element, box }) => box.width < 43.5 || box.height < (element.matches(".tree-row") ? 23.5 : 43.5))
        .map(({ element, box }) => `${element.className || element.tagName} ${element.textContent?.slice(0, 20)} ${box.width} x ${box.height}`);
    });
  };

  // Rows of the tree are lines of an outline and as dense as those: 28 px, where WCAG 2.2 asks for 24.
  test("whatever can be hit is as large as a finger", async ({ chat, page, provider }) => {
    test.slow();
    provider.will(reply(text("One.\n\n```sh\nls\n```\n")), reply(text("Two.")), reply(calls({ danger: { target: "the barn" } })));
    await chat.open("/");
    expect(await small(page), "the empty page").toEqual([]);
    const ask = async (words: string) => {
      await chat.composer.fill(words);
      await chat.send.tap();
    };
    await ask("go");
    await page.waitForURL(/\/s\//);
    await chat.settled();
    await chat.answer.getByRole("button", { name: "Regenerate" }).tap();
    await expect(chat.answer).toContainText("Two.");
    await chat.settled();
    await ask("delete the barn");
    await page.getByRole("button", { name: "Options" }).tap();
    await page.getByLabel("Arguments").waitFor();
    expect(await small(page), "a chat").toEqual([]);
    await page.getByRole("button", { name: /^Model: / }).tap();
    await page.getByRole("option").first().waitFor();
    expect(await small(page), "the models").toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Open the list of chats" }).tap();
    await expect(chat.sidebar).toBeInViewport();
    expect(await small(page), "the list of chats").toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Memory, tree and prompt" }).tap();
    for (const tab of ["Memory", "Tree", "Prompt"]) {
      await page.getByRole("tab", { name: tab }).tap();
      await expect(page.getByText(/^Reading/)).toHaveCount(0);
      expect(await small(page), tab).toEqual([]);
    }
    for (const section of ["models", "agent", "appearance", "data"]) {
      await chat.open(`/settings/${section}`);
      await expect(page.getByText(/^(Asking|Looking)/)).toHaveCount(0);
      expect(await small(page), section).toEqual([]);
    }
  });

  test("the version stands in one line with what can be done", async ({ chat, page, provider }) => {
    provider.will(reply(text("One.")), reply(text("Two.")));
    await chat.open("/");
    await chat.composer.fill("go");
    await chat.send.tap();
    await page.waitForURL(/\/s\//);
    await chat.settled();
    await chat.answer.getByRole("button", { name: "Regenerate" }).tap();
    await expect(chat.answer).toContainText("Two.");
    await chat.settled();
    const middle = async (name: string) => {
      const box = await chat.answer.getByRole("button", { name }).boundingBox();
      return box ? box.y + box.height / 2 : 0;
    };
    expect(await middle("Previous version")).toBeCloseTo(await middle("Copy message"), 0);
    const number = await chat.answer.getByText("2 / 2").boundingBox();
    expect(number ? number.y + number.height / 2 : 0).toBeCloseTo(await middle("Copy message"), 0);
  });
});

test("a keyboard on the screen that lies over the page does not hide the field", async ({ chat, page, provider }) => {
  provider.will(reply(text("One.\n\n".repeat(40))));
  await chat.open("/");
  await chat.composer.fill("go");
  await chat.send.tap();
  await page.waitForURL(/\/s\//);
  await chat.settled();
  // As on phones that lay the keyboard over the page instead of making it smaller.
  const shown = (height: number, top: number) =>
    page.evaluate(
      ([height, top]) => {
        const view = window.visualViewport!;
        Object.defineProperty(view, "height", { configurable: true, get: () => height });
        Object.defineProperty(view, "offsetTop", { configurable: true, get: () => top });
        view.dispatchEvent(new Event("resize"));
      },
      [height, top],
    );
  const bottom = async () => {
    const box = await chat.composer.boundingBox();
    return box ? box.y + box.height : 0;
  };
  await expect(async () => {
    await shown(500, 120);
    expect(await bottom()).toBeLessThanOrEqual(620);
  }).toPass();
  expect(await bottom()).toBeGreaterThan(120);
  await shown(844, 0);
  expect(await bottom()).toBeGreaterThan(700);
});

test("a message that waits is cut short, and what can be done with it is in reach", async ({ chat, page, provider }) => {
  provider.will(reply(text("Slow"), hold(), text(".")), reply(text("Then this.")));
  await chat.open("/");
  await chat.composer.fill("go");
  await chat.send.tap();
  await expect(chat.answer).toContainText("Slow");
  await chat.composer.fill("and then a message that is much longer than the screen is wide, ".repeat(3));
  await chat.send.tap();
  const chip = page.getByRole("list", { name: "Waiting messages" }).getByRole("listitem");
  await expect(chip).toBeVisible();
  // By its place: a browser that shows a phone may make its window wider for what stands out.
  const ends = await chip.getByRole("button").evaluateAll((all) => all.map((button) => button.getBoundingClientRect().right));
  expect(ends).toHaveLength(3);
  expect(ends.filter((end) => end > 390), "what stands out of the screen").toEqual([]);
  provider.release();
  await expect(chat.answer).toContainText("Then this.");
  await chat.settled();
});
