// Everything by keyboard.
import { focusIsSeen, reach } from "../support/focus.js";
import { expect, hold, reply, test, text } from "../support/stories.js";

test("a whole visit without a mouse", async ({ chat, page, provider }) => {
  provider.will(reply(text("Of herons.")), reply(text("Of otters.")));
  await chat.open("/");
  await page.keyboard.press("Shift+Escape");
  await expect(chat.composer).toBeFocused();
  await page.keyboard.type("first line");
  await page.keyboard.press("Shift+Enter");
  await page.keyboard.type("second line");
  await expect(chat.composer).toHaveValue("first line\nsecond line");
  await page.keyboard.press("Enter");
  await expect(chat.questions).toContainText("second line");
  await expect(chat.answer).toContainText("Of herons.");
  await chat.settled();

  await page.keyboard.press("Control+Shift+O");
  await expect(page).toHaveURL(/\/$/);
  await expect(chat.composer).toBeFocused();
  await page.keyboard.type("otters");
  await page.keyboard.press("Enter");
  await expect(chat.answer).toContainText("Of otters.");
});

test("the main job by keys alone, with the focus always in sight", async ({ chat, page, provider }) => {
  test.slow();
  provider.will(reply(text("Of herons.")), reply(text("Half an"), hold()), reply(text("Of egrets.")));
  const keys = page.keyboard;
  const first = await chat.begin("herons");
  await chat.settled();

  await keys.press("Control+Shift+O");
  await expect(chat.composer).toBeFocused();
  await keys.type("otters");
  await keys.press("Enter");
  await expect(chat.answer).toContainText("Half an");
  await keys.press("Escape");
  await expect(chat.answer).toContainText("Stopped by you");
  await focusIsSeen(page, "after stopping");

  await reach(page, "Shift+Tab", /^Edit$/, /^You$/);
  await keys.press("Enter");
  await expect(page.getByRole("textbox", { name: "Edit the message" })).toBeFocused();
  await keys.press("Control+a");
  await keys.type("egrets");
  await keys.press("Control+Enter");
  await expect(chat.answer).toContainText("Of egrets.");
  await chat.settled();
  await focusIsSeen(page, "after an edit");

  await keys.press("Shift+Escape");
  await reach(page, "Shift+Tab", /^Previous version$/, /^You$/);
  await keys.press("Enter");
  await expect(chat.questions).toContainText("otters");
  await focusIsSeen(page, "after another version");
  await keys.press("ArrowRight");
  await expect(chat.questions).toContainText("egrets");

  await keys.press("Control+Shift+E");
  await expect(chat.panel).toBeVisible();
  await reach(page, "Tab", /^Memory$/);
  await reach(page, "Tab", /^Edit$/, /^memory$/);
  await keys.press("Enter");
  const field = page.getByRole("textbox", { name: "Text of memory" });
  await expect(field).toBeFocused();
  await keys.type("Likes birds.");
  await keys.press("Control+s");
  await expect(field).toHaveCount(0);
  await expect(chat.panel).toContainText("Likes birds.");
  await focusIsSeen(page, "after a block was written");
  await keys.press("Control+Shift+E");
  await expect(chat.panel).toBeHidden();
  await focusIsSeen(page, "after the panel was closed");

  await keys.press("Control+k");
  await expect(page.getByRole("combobox")).toBeFocused();
  await keys.type("herons");
  await expect(page.getByRole("option", { name: /^herons/ }).first()).toBeVisible();
  await keys.press("Enter");
  await page.waitForURL((url) => url.pathname === first);
  await expect(chat.answer).toContainText("Of herons.");

  await keys.press("Shift+Escape");
  await reach(page, "Shift+Tab", /^herons/, /^Today$/);
  await keys.press("F2");
  await keys.press("Control+a");
  await keys.type("Wading birds");
  await keys.press("Enter");
  await expect(chat.session("Wading birds")).toBeVisible();
  await focusIsSeen(page, "after a name was changed");

  await keys.press("Control+Shift+Backspace");
  await expect(chat.session("Wading birds")).toHaveCount(0);
  await reach(page, "Tab", /^Undo$/);
  await keys.press("Enter");
  await expect(chat.session("Wading birds")).toBeVisible();
});

test("Tab reaches every control, and where the focus is can be seen", async ({ chat, page, provider }) => {
  provider.will(reply(text("Hello.")));
  await chat.begin("hi");
  await chat.settled();
  await page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
  const controls = page.locator("a[href]:visible, button:enabled:visible, textarea:visible");
  const total = await controls.count();
  const seen = new Set<string>();
  for (let step = 0; step < total * 2 + 4; step++) {
    await page.keyboard.press("Tab");
    const focus = await page.evaluate(() => {
      const at = document.activeElement as HTMLElement | null;
      if (!at || at === document.body) return undefined;
      const style = getComputedStyle(at);
      const around = getComputedStyle(at.parentElement ?? at);
      const ring = style.outlineStyle !== "none" || style.boxShadow !== "none" || around.outlineStyle !== "none" || around.boxShadow !== "none";
      return { name: `${at.tagName} ${at.getAttribute("aria-label") ?? at.textContent ?? ""}`.trim(), ring: ring || at.tagName === "TEXTAREA" };
    });
    if (!focus) continue;
    expect(focus.ring, `${focus.name} shows that it has the focus`).toBe(true);
    seen.add(focus.name);
  }
  expect(seen.size).toBeGreaterThanOrEqual(5);
  expect([...seen].some((name) => name.startsWith("TEXTAREA"))).toBe(true);
});

test("Enter while an answer is written waits its turn", async ({ chat, page, provider }) => {
  provider.will(reply(text("One"), hold(), text(".")), reply(text("Two.")));
  await chat.begin("first");
  await expect(chat.answer).toContainText("One");
  await chat.say("second");
  await expect(page.getByRole("list", { name: "Waiting messages" })).toContainText("second");
  provider.release();
  await expect(chat.answers).toHaveCount(2);
  await expect(chat.answer).toContainText("Two.");
  await chat.settled();
  const asked = provider.calls[1]?.body.messages.map((message) => message.role);
  expect(asked?.filter((role) => role !== "system")).toEqual(["user", "assistant", "user"]);
});
