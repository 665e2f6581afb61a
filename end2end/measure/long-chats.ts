// A chat of 10,000 messages: how it opens at its end and in its middle, how it scrolls, and what its tree costs.
import type { Page } from "@playwright/test";
import { ms, note, percentile } from "../support/figures.js";
import { framesOf, longTasksOf, watch, wheel } from "../support/frames.js";
import { importChats, longChat, messageId } from "../support/long-chat.js";
import { expect, test } from "../support/stories.js";

const COUNT = 10_000;
const TRIES = 5;
/** Pixels that the wheel moves the chat at once, within a second. */
const FLICK = 12_000;

test.beforeEach(async ({ request, bough }) => {
  await importChats(request, bough.url, [longChat("long", COUNT, 100)]);
});

test("opening a long chat", async ({ chat, page }, info) => {
  const middle = messageId("long", COUNT / 2);
  const last = page.getByRole("article").filter({ hasText: /Answer \d+\./ }).last();
  const end = await several(async () => {
    await page.goto("about:blank");
    return timed(async () => {
      await chat.open("/s/long");
      await expect(last).toBeInViewport();
    });
  });
  const inside = await several(async () => {
    await page.goto("about:blank");
    return timed(async () => {
      await chat.open(`/s/long?m=${middle}`);
      await expect(page.locator(`[id="m-${middle}"]`)).toBeInViewport();
    });
  });
  note(
    info,
    { what: `Opening ${COUNT} messages at the end`, aim: "< 500 ms", figure: end },
    { what: `Opening ${COUNT} messages in the middle (?m=)`, aim: "< 1 s", figure: inside },
  );
});

test("scrolling a long chat", async ({ chat, page }, info) => {
  await chat.open("/s/long");
  const rows = page.locator(".rows > .row");
  await page.evaluate(followRow, FLICK);
  const seen = await watch(page, async () => {
    for (let turns = 0; turns < 12; turns++) await wheel(page, ".scroller", -FLICK, FLICK);
  });
  const jump = await page.evaluate(() => (window as unknown as { jump: number }).jump);
  const what = `Scrolling ${COUNT} messages upward`;
  const figure = `${await rows.count()} rows, ${await page.locator(".rows *").count()} elements`;
  note(info, ...framesOf(what, seen), ...longTasksOf(what, seen), { what: `${what}: in the page then`, aim: "", figure });
  note(info, { what: `${what}: what is read jumps by at most`, aim: "0 px", figure: `${Math.round(jump)} px` });
  const back = await watch(page, async () => {
    for (let turns = 0; turns < 12; turns++) await wheel(page, ".scroller", FLICK, FLICK);
  });
  note(info, ...framesOf("Scrolling back down", back), ...longTasksOf("Scrolling back down", back));
});

test("the tree of a long chat", async ({ chat, page }, info) => {
  await chat.open("/s/long");
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("tab", { name: "Memory" }).waitFor();
  const opened: number[] = [];
  for (let number = 0; number < TRIES; number++) {
    await page.getByRole("tab", { name: "Memory" }).click();
    await expect(page.getByRole("treeitem")).toHaveCount(0);
    opened.push(await shown(page));
  }
  const what = `Tree tab with ${COUNT} nodes`;
  const seen = await watch(page, async () => {
    for (let turns = 0; turns < 5; turns++) await wheel(page, ".tree", -6_000);
  });
  const figure = `${ms(percentile(opened, 0.5))} (first ${ms(opened[0] ?? Number.NaN)})`;
  note(
    info,
    { what: `${what}: click to rows`, aim: "< 300 ms", figure },
    ...framesOf(`${what}, scrolling`, seen),
    ...longTasksOf(`${what}, scrolling`, seen),
  );
});

/** Notes how far the row in the middle of the view has moved with a frame, beyond what the wheel moves it at this speed
 * (in pixels a second). Runs in the page. */
function followRow(speed: number): void {
  const seen = window as unknown as { jump: number };
  seen.jump = 0;
  let last = 0;
  let row: Element | null | undefined;
  let top = 0;
  const frame = (now: number) => {
    const moved = row?.isConnected ? row.getBoundingClientRect().top - top : 0;
    // A frame shows where the wheel was up to two frames ago.
    if (moved !== 0) seen.jump = Math.max(seen.jump, -moved, moved - (speed * (now - last + 34)) / 1000);
    row = document.elementFromPoint(innerWidth / 2, innerHeight / 2)?.closest(".row");
    top = row?.getBoundingClientRect().top ?? 0;
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}

/** From a click on the tab to the first row on the screen, by the page's own clock. */
function shown(page: Page): Promise<number> {
  return page.evaluate(
    () =>
      new Promise<number>((resolve) => {
        const tab = [...document.querySelectorAll<HTMLElement>("[role=tab]")].find((one) => one.textContent === "Tree");
        const start = performance.now();
        const look = () => {
          if (document.querySelector("[role=treeitem]")) requestAnimationFrame(() => resolve(performance.now() - start));
          else requestAnimationFrame(look);
        };
        tab?.click();
        look();
      }),
  );
}

async function timed(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}

async function several(act: () => Promise<number>): Promise<string> {
  const all: number[] = [];
  for (let number = 0; number < TRIES; number++) all.push(await act());
  return `${ms(percentile(all, 0.5))} (longest ${ms(Math.max(...all))})`;
}
