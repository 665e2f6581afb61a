// Each picture that a paper shows, named as the paper names it.
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, hold, reply, test, text } from "../support/stories.js";

const images = join(dirname(fileURLToPath(import.meta.url)), "../../server/docs/images");

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

test.use({ settings: { BOUGH_MODEL: "openai/qwen3:8b" } });

const MEMORY = `- Runs a small home server with restic
- Photographs since 2009 on the NAS, 1.4 TB
- Wants short answers, commands first`;

test("chat.png", async ({ chat, provider, page, bough }) => {
  const memory = `${bough.url}/api/v1/agents/assistant/default/blocks/memory`;
  expect((await page.request.put(memory, { data: { content: MEMORY } })).status()).toBe(200);
  provider.will(
    reply(text("Herons stand still and wait; egrets stir the water with their feet.")),
    reply(text(ANSWER)),
    reply(text("Start with the photographs: they are the only thing here that"), hold()),
  );
  await chat.begin("How do herons and egrets hunt?");
  await chat.settled();
  await chat.begin("How do I make sure that my backups work?");
  await expect(chat.answer).toContainText("weekly");
  await chat.settled();
  await chat.say("What should I do first?");
  await expect(chat.answer).toContainText("the only thing here that");
  await page.keyboard.press("Control+Shift+E");
  await expect(page.getByText("Runs a small home server")).toBeVisible();
  await page.screenshot({ path: join(images, "chat.png"), animations: "disabled" });
  provider.release();
});
