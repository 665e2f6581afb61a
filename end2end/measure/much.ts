// Much of one thing: formulas in an answer, chats in the list, text in the field. None of it may hold the page up.
import { ms, note } from "../support/figures.js";
import { framesOf, longTasksOf, watch, wheel } from "../support/frames.js";
import { importChats, longAnswer } from "../support/long-chat.js";
import { expect, test } from "../support/stories.js";

const FORMULAS = 1_000;
const CHATS = 5_000;
const API = "/api/v1/agents/assistant/default";

test("formulas", async ({ bough, chat, page, request }, info) => {
  const line = (number: number) => `Formula ${number}: $x_{${number}}^2 + \\frac{a_{${number}}}{b}$ holds.\n\n`;
  await importChats(request, bough.url, [longAnswer("maths", Array.from({ length: FORMULAS }, (_, at) => line(at)).join(""))]);
  await chat.open("/s/maths");
  await expect(page.locator("math").last()).toBeInViewport();
  const seen = await watch(page, () => wheel(page, ".scroller", -30_000));
  const what = `Scrolling an answer of ${FORMULAS} formulas`;
  note(info, ...framesOf(what, seen), ...longTasksOf(what, seen));
});

test("chats in the list", async ({ bough, chat, page, request }, info) => {
  test.slow();
  for (let from = 0; from < CHATS; from += 50) {
    const made = (_: unknown, at: number) => ({ data: { name: `chat ${from + at}`, id: `s${from + at}` } });
    const all = Array.from({ length: 50 }, made).map((one) => request.post(`${bough.url}${API}/sessions`, one));
    await Promise.all(all);
  }
  await chat.open("/");
  const rows = page.locator(".session-row");
  const list = page.locator(".session-list");
  const seen = await watch(page, async () => {
    while ((await rows.count()) < CHATS) {
      await list.evaluate((element) => element.scrollTo(0, element.scrollHeight));
      await page.waitForTimeout(100);
    }
  });
  const scrolled = await watch(page, () => wheel(page, ".session-list", -60_000, 12_000));
  const what = `A list of ${CHATS} chats`;
  note(info, ...longTasksOf(`${what}: as it comes`, seen), ...framesOf(`${what}: scrolling`, scrolled));
  note(info, ...longTasksOf(`${what}: scrolling`, scrolled));
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox");
  await field.waitFor();
  const typed = await watch(page, () => field.pressSequentially("chat 49", { delay: 60 }));
  note(info, ...longTasksOf(`${what}: typing into the palette`, typed));
});

test("a long paste", async ({ chat, context, page }, info) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await chat.open("/");
  await page.evaluate((text) => navigator.clipboard.writeText(text), "A line of a long text.\n".repeat(45_000));
  await chat.composer.focus();
  const start = performance.now();
  const seen = await watch(page, async () => {
    await page.keyboard.press("Control+v");
    await expect(page.getByText("Pasted text.txt")).toBeVisible();
  });
  const what = "A paste of 1 MB";
  note(info, { what: `${what}: until it is attached`, aim: "", figure: ms(performance.now() - start) });
  note(info, ...longTasksOf(what, seen));
});
