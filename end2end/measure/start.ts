// How large the page is, and how soon it is there: a browser that has never been here.
import { readdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser } from "@playwright/test";
import { kb, ms, note, percentile } from "../support/figures.js";
import { throttle } from "../support/frames.js";
import { reply, test, text } from "../support/stories.js";

const pkg = join(dirname(fileURLToPath(import.meta.url)), "../../target/site/pkg");
const TRIES = 5;

test("size", ({}, info) => {
  const sizes = readdirSync(pkg).filter((name) => name.endsWith(".br"));
  const sum = (pattern: RegExp) =>
    sizes.filter((name) => pattern.test(name)).reduce((all, name) => all + statSync(join(pkg, name)).size, 0);
  const first = sum(/^bough\..*\.wasm\.br$/);
  note(
    info,
    { what: "WASM at first (brotli)", aim: "<= 400 KB", figure: kb(first) },
    { what: "WASM of all parts (brotli)", aim: "", figure: kb(first + sum(/^(split|chunk)_.*\.wasm\.br$/)) },
  );
});

for (const rate of [1, 4]) {
  test(`first paint and interactive, ${rate}x slower`, async ({ browser, chat, bough, provider }, info) => {
    provider.will(reply(text("Herons stand still and wait.")));
    const path = await chat.begin("How do herons hunt?");
    await chat.settled();
    const tries: Awaited<ReturnType<typeof visit>>[] = [];
    for (let number = 0; number < TRIES; number++) tries.push(await visit(browser, bough.url + path, rate));
    const middle = (key: "paint" | "interactive") => ms(percentile(tries.map((one) => one[key]), 0.5));
    const what = rate === 1 ? "cold" : `cold, CPU ${rate}x slower`;
    note(
      info,
      { what: `First contentful paint, ${what}`, aim: rate === 1 ? "< 300 ms" : "< 1 s", figure: middle("paint") },
      { what: `Time to interactive, ${what}`, aim: rate === 1 ? "< 1 s" : "< 2.5 s", figure: middle("interactive") },
    );
  });
}

/** One visit of a new browser context, which has nothing in its cache. */
async function visit(browser: Browser, url: string, rate: number): Promise<{ paint: number; interactive: number }> {
  const context = await browser.newContext();
  const page = await context.newPage();
  await throttle(page, rate);
  await page.addInitScript(() => {
    const watcher = new MutationObserver(() => {
      if (!document.querySelector("[data-hydrated]")) return;
      watcher.disconnect();
      // Interactive is when the thread is free again for what a person does.
      setTimeout(() => Object.assign(window, { interactive: performance.now() }), 0);
    });
    watcher.observe(document, { subtree: true, childList: true, attributes: true });
  });
  await page.goto(url);
  await page.waitForFunction(() => "interactive" in window && performance.getEntriesByName("first-contentful-paint").length > 0);
  const times = await page.evaluate(() => ({
    paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
    interactive: (window as unknown as { interactive: number }).interactive,
  }));
  await context.close();
  return times;
}
