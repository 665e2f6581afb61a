// Each picture that a paper shows, named as the paper names it.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { APIRequestContext, Page } from "@playwright/test";
import { importChats } from "../support/long-chat.js";
import { type Chat, expect, hold, type Provider, reasoning, reply, test, text } from "../support/stories.js";

const images = join(dirname(fileURLToPath(import.meta.url)), "../../server/docs/images");
const DAY_MS = 24 * 60 * 60 * 1000;

const FIRST_ANSWER = `A backup works when a restore works, so test the restore. Pick ten files at random once a month and compare them with the originals.`;

const ANSWER = `Three habits make restores boring:

1. **Test one file a week.** A backup that was never restored is a hope.
2. **Keep one copy where a thief or a flood does not reach it.**
3. **Write down the steps** while you are calm.

\`\`\`sh
restic restore latest --target /tmp/check --include /srv/photos/2024
\`\`\`

| copy | where | checked |
|---|---|---|
| first | the NAS | nightly |
| second | off site | weekly |
`;

const MEMORY = `- Runs a small home server with restic
- Photographs since 2009 on the NAS, 1.4 TB
- Wants short answers, commands first`;

/** Other chats of the list, and how many days ago they were. */
const OTHERS: [string, number][] = [
  ["Herons, egrets and how they hunt", 0],
  ["Rye bread for Sunday", 1],
  ["Letter to the harbour office", 1],
  ["Why the ferry is late in March", 3],
  ["A shelf for the narrow hall", 5],
  ["Names for a grey cat", 12],
  ["Reading list: rivers", 20],
];

test.use({ settings: { BOUGH_MODEL: "openai/qwen3:8b" } });

function other([name, days]: [string, number], number: number): object {
  const at = Date.now() - days * DAY_MS - (number + 1) * 60_000;
  const said = (role: string, words: string, seq: number) => ({
    id: `o${number}-${seq}`,
    parent_id: seq === 1 ? undefined : `o${number}-1`,
    seq,
    created_at: at,
    message: { id: `o${number}-${seq}`, role, parts: [{ type: "text", text: words, state: "done" }] },
  });
  const messages = [said("user", `${name}?`, 1), said("assistant", "Gladly.", 2)];
  const rest = { created_at: at, updated_at: at, active_leaf: `o${number}-2`, last_seq: 2, deletions: [], summaries: [] };
  return { id: `other-${number}`, name, messages, ...rest };
}

/** The conversation of all pictures: a question with two answers, and one that is being answered. */
async function converse(chat: Chat, provider: Provider, request: APIRequestContext, base: string): Promise<void> {
  await importChats(request, base, OTHERS.map(other));
  const memory = `${base}/api/v1/agents/assistant/default/blocks/memory`;
  expect((await request.put(memory, { data: { content: MEMORY } })).status()).toBe(200);
  provider.will(
    reply(text(FIRST_ANSWER)),
    reply(text(ANSWER)),
    reply(reasoning("Photographs cannot be made again; everything else can."), text("Start with the photographs: they are the only thing here that"), hold(), text(" cannot be made again.")),
  );
  // By the button: on a phone Enter breaks the line.
  const ask = async (words: string) => {
    await chat.composer.fill(words);
    await chat.send.click();
  };
  await chat.open("/");
  await ask("How do I make sure that my backups work?");
  await chat.page.waitForURL(/\/s\//);
  await chat.settled();
  await chat.answer.getByRole("button", { name: "Regenerate" }).click();
  await expect(chat.answer).toContainText("weekly");
  await chat.settled();
  await ask("What should I do first?");
  await expect(chat.answer).toContainText("the only thing here that");
}

async function take(page: Page, name: string): Promise<void> {
  await page.mouse.move(0, 0);
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(images, `${name}.png`), animations: "disabled", caret: "hide" });
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });
    const named = (name: string) => (colorScheme === "light" ? name : `${name}-dark`);

    test("the main screen", async ({ chat, provider, page, bough, request }) => {
      await converse(chat, provider, request, bough.url);
      await page.keyboard.press("Control+Shift+E");
      await expect(page.getByText("Runs a small home server")).toBeVisible();
      await take(page, named("chat"));
      provider.release();
    });

    test.describe("on a phone", () => {
      test.use({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true });

      test("a chat", async ({ chat, provider, page, bough, request }) => {
        await converse(chat, provider, request, bough.url);
        await take(page, named("phone"));
        provider.release();
      });
    });
  });
}

test("the tree, the prompt, the palette and the settings", async ({ chat, provider, page, bough, request }) => {
  await converse(chat, provider, request, bough.url);
  provider.release();
  await chat.settled();
  await page.keyboard.press("Control+Shift+E");
  await page.getByRole("tab", { name: "Tree" }).click();
  await page.getByRole("treeitem").first().waitFor();
  await take(page, "tree");
  await page.getByRole("tab", { name: "Prompt" }).click();
  await page.getByText(/The next call to .* sends about/).waitFor();
  await take(page, "prompt");
  await page.keyboard.press("Control+Shift+E");
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("photographs");
  await page.getByRole("option", { name: /backups/ }).first().waitFor();
  await take(page, "palette");
  await page.keyboard.press("Escape");
  await chat.open("/settings/appearance");
  await page.getByRole("radio", { name: "Compact" }).waitFor();
  await take(page, "settings");
});
