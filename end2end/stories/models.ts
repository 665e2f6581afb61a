// Which model answers, chosen above the message box, and how full its context is.
import { expect, guide, reply, test, text } from "../support/stories.js";

test("a chat gets another model, by keyboard, and keeps it", async ({ chat, page, provider }) => {
  provider.will(reply(text("Hello.")));
  await chat.begin("hi");
  await chat.settled();
  const button = page.getByRole("button", { name: /^Model: / });
  await expect(button).toHaveText("scripted");
  await button.click();
  const field = page.getByRole("combobox", { name: "Search models" });
  await expect(field).toBeFocused();
  await expect(page.getByRole("option", { name: /^scripted/ })).toBeVisible();
  await page.keyboard.type("guide");
  await expect(page.getByRole("option")).toHaveCount(1);
  await page.keyboard.press("Enter");
  await expect(button).toHaveAccessibleName("Model: builtin/guide");
  await expect(chat.composer).toBeFocused();
  await chat.say("help");
  await expect(chat.answer).toContainText("not a language model");
  await chat.settled();
  await chat.reload();
  await expect(button).toHaveAccessibleName("Model: builtin/guide");
  expect(provider.calls.length).toBe(1);
});

// J05
test("the model that was chosen for the next chat is still chosen after a reload", async ({ chat, page }) => {
  await chat.open("/");
  const button = page.getByRole("button", { name: /^Model: / });
  await button.click();
  await page.getByRole("option", { name: "guide" }).click();
  await expect(button).toHaveAccessibleName("Model: builtin/guide");
  await chat.reload();
  await expect(button).toHaveAccessibleName("Model: builtin/guide");
  await chat.say("help");
  await expect(chat.answer).toContainText("not a language model");
});

test.describe("with a limit", () => {
  test.use({ config: "[agents.assistant]\ncompact_after = 2000\n" });

  test("the gauge shows how full the context is, and what was used", async ({ chat, page, provider }) => {
    provider.will(reply(text("word ".repeat(700))));
    await chat.begin("write much");
    await chat.settled();
    const gauge = page.getByRole("button", { name: /^Context: \d+ of 2000/ });
    await expect(gauge).toBeVisible();
    await gauge.click();
    const details = page.getByRole("dialog", { name: "Context" });
    await expect(details).toContainText("Above 2000 tokens older messages are summarised.");
    await details.getByRole("button", { name: "What the model sees" }).click();
    await expect(page.getByRole("tab", { name: "Prompt" })).toHaveAttribute("aria-selected", "true");
  });
});

test.describe("without a limit", () => {
  test.use({ settings: guide });

  test("what is not known is not shown as nothing", async ({ chat, page }) => {
    await chat.begin("help");
    await chat.settled();
    const gauge = page.getByRole("button", { name: /^Context: / });
    await expect(gauge).toHaveAccessibleName(/^Context: \d+ tokens$|^Context: .* of /);
    await expect(gauge).not.toHaveAccessibleName(/NaN|^Context: 0/);
  });
});

test("how a model chooses its words is set for a chat and checked", async ({ chat, page, provider }) => {
  provider.will(reply(text("Hello.")));
  await chat.begin("hi");
  await chat.settled();
  await page.getByRole("button", { name: /^Model: / }).click();
  await page.getByText("Sampling", { exact: true }).click();
  const temperature = page.getByRole("textbox", { name: "Temperature" });
  await temperature.fill("9");
  await temperature.blur();
  await expect(page.getByRole("alert").filter({ hasText: "from 0 to 2" })).toBeVisible();
});

test("an answer is given once more by another model", async ({ chat, page, provider }) => {
  provider.will(reply(text("By the first.")));
  await chat.begin("help");
  await chat.settled();
  await chat.act(chat.answer, "Regenerate with another model");
  await expect(page.getByRole("combobox", { name: "Search models" })).toBeFocused();
  await page.keyboard.press("Escape");
  await chat.act(chat.answer, "Regenerate with another model");
  await page.getByRole("option", { name: "guide" }).click();
  await expect(chat.answer).toContainText("not a language model");
  await chat.settled();
  await expect(chat.answer.getByRole("group", { name: "Version 2 of 2" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Model: / })).toHaveAccessibleName("Model: builtin/guide");
});

test.describe("with an endpoint that does not answer", () => {
  test.use({ settings: { BOUGH_MODEL: "", BOUGH_OPENAI_BASE_URL: "http://127.0.0.1:9/v1" } });

  test("its first model is called after the endpoint", async ({ chat, page }) => {
    await chat.open("/");
    await expect(page.getByRole("button", { name: "Model: first model of 127.0.0.1:9" })).toBeVisible();
    await expect(chat.sidebar.getByText("first model of 127.0.0.1:9")).toBeVisible();
  });
});
