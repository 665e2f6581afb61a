// How what is written looks while it comes and when it is there: money, code, diagrams, both directions of writing.
import { expect, hold, reply, test, text } from "../support/stories.js";

// I01
test("money stays text", async ({ chat, provider }) => {
  const money = "It rose from $2bn to $4bn, R$ 12,29 became R$ 15,83, and it costs $100-$200.";
  provider.will(reply(text(...(money.match(/.{1,3}/gs) ?? []))));
  await chat.begin("how much?");
  await chat.settled();
  await expect(chat.answer.locator(".prose")).toHaveText(money);
  await chat.reload();
  await expect(chat.answer.locator(".prose")).toHaveText(money);
});

// I04: no half diagram, and no error about one.
test("a diagram that is not there whole is code", async ({ chat, provider }) => {
  provider.will(reply(text("```mermaid\n", "graph TD\n", "  A["), hold(), text("one] --> B\n```\n", "\nDone.")));
  await chat.begin("draw");
  await expect(chat.answer.locator("pre code")).toHaveText(/^graph TD\n {2}A\[\n?$/);
  await expect(chat.answer.getByRole("alert")).toHaveCount(0);
  provider.release();
  await expect(chat.answer).toContainText("Done.");
  await chat.settled();
});

// I06
test("a block that is finished is never made again", async ({ chat, page, provider }) => {
  const block = (number: number) => `\`\`\`js\nconst block = ${number};\n\`\`\`\n\nText ${number}.\n\n`;
  const later = Array.from({ length: 40 }, (_, number) => block(number + 2));
  const pieces = (from: number, to?: number) => text(...later.slice(from, to).flatMap((piece) => piece.match(/.{1,9}/gs) ?? []));
  provider.will(reply(text(block(1)), pieces(0, 20), hold(), pieces(20)));
  await chat.begin("write");
  await expect(chat.answer).toContainText("Text 21.");
  // Its colours come once, when it is finished and in sight.
  const first = chat.answer.locator(".code-block").first();
  await first.scrollIntoViewIfNeeded();
  await expect(first.locator("code span").first()).toBeVisible();
  await page.evaluate(() => {
    const first = document.querySelector(".prose .code-block");
    const seen = { changes: 0 };
    Object.assign(window, { seen, first });
    if (first) new MutationObserver((list) => (seen.changes += list.length)).observe(first, { subtree: true, childList: true, characterData: true });
  });
  provider.release();
  await expect(chat.answer).toContainText("Text 41.");
  await chat.settled();
  const kept = await page.evaluate(() => {
    const { seen, first } = window as unknown as { seen: { changes: number }; first: Element };
    return [seen.changes, first === document.querySelector(".prose .code-block")];
  });
  expect(kept).toEqual([0, true]);
});

// I06: also within a block that goes on, where each word would otherwise make all of it anew.
test("what is finished in an open list stays as it is, with its colours", async ({ chat, page, provider }) => {
  const more = Array.from({ length: 30 }, (_, number) => text(...`${number + 2}. Step **${number + 2}** is long.\n`.split(/(?<= )/)));
  provider.will(reply(text("1. First:\n\n   ```js\n   const one = 1;\n   ```\n\n"), text("2. Then"), hold(), ...more));
  await chat.begin("write");
  await expect(chat.answer).toContainText("Then");
  await expect(chat.answer.locator("li code span").first()).toBeVisible();
  await page.evaluate(() => {
    const first = document.querySelector(".prose li");
    const seen = { changes: 0 };
    Object.assign(window, { seen, first });
    if (first) new MutationObserver((list) => (seen.changes += list.length)).observe(first, { subtree: true, childList: true, characterData: true });
  });
  provider.release();
  await expect(chat.answer).toContainText("Step 31 is long.");
  await chat.settled();
  const kept = await page.evaluate(() => {
    const { seen, first } = window as unknown as { seen: { changes: number }; first: Element };
    return [seen.changes, first === document.querySelector(".prose li")];
  });
  expect(kept).toEqual([0, true]);
});

// I16: each text decides its direction; code is always from left to right.
test("Arabic and Hebrew run from the right, wherever they are typed", async ({ chat, page, provider }) => {
  const direction = (place: ReturnType<typeof page.locator>) => place.evaluate((element) => getComputedStyle(element).direction);
  const lists = "- بند أول\n- an English item\n\n> اقتباس\n\n> A quotation.\n";
  provider.will(reply(text("مرحبا بك\n\nAn English line.\n\n```py\nprint('مرحبا')\n```\n\n", lists)));
  await chat.open("/");
  await chat.composer.fill("مرحبا");
  expect(await direction(chat.composer)).toBe("rtl");
  await chat.composer.fill("hello");
  expect(await direction(chat.composer)).toBe("ltr");
  const path = await chat.begin("שלום עולם");
  await chat.settled();
  expect(await direction(chat.questions.locator(".bubble"))).toBe("rtl");
  expect(await direction(chat.answer.getByText("مرحبا بك"))).toBe("rtl");
  expect(await direction(chat.answer.getByText("An English line."))).toBe("ltr");
  expect(await direction(chat.answer.locator("pre code"))).toBe("ltr");
  // A bar, and the room for an item's mark, are on the side where the words begin.
  const side = (words: string, tag: string, property: string) =>
    chat.answer.locator(tag, { hasText: words }).evaluate((element, property) => {
      const style = getComputedStyle(element);
      return [style.getPropertyValue(`${property}-left`), style.getPropertyValue(`${property}-right`)];
    }, property);
  expect(await side("بند أول", "li", "margin")).toEqual(["0px", "22px"]);
  expect(await side("an English item", "li", "margin")).toEqual(["22px", "0px"]);
  expect(await side("اقتباس", "blockquote", "padding")).toEqual(["0px", "14px"]);
  expect(await side("A quotation.", "blockquote", "padding")).toEqual(["14px", "0px"]);

  await chat.choose(path, "Rename");
  const name = page.getByRole("textbox", { name: "Name of the chat" });
  await name.fill("قائمة");
  expect(await direction(name)).toBe("rtl");
  await name.press("Enter");
  expect(await direction(chat.session("قائمة"))).toBe("rtl");
  await page.keyboard.press("Control+Shift+E");
  const block = page.getByRole("region", { name: "memory" });
  await block.getByRole("button", { name: "Edit" }).click();
  const field = block.getByRole("textbox");
  await field.fill("ملاحظة");
  expect(await direction(field)).toBe("rtl");
});
