// An answer of 200 tokens a second on a machine that is four times slower: the page must stay at hand.
import { note } from "../support/figures.js";
import { framesOf, longTasksOf, throttle, watch } from "../support/frames.js";
import { expect, hold, reply, test, text } from "../support/stories.js";

const TOKENS_PER_SECOND = 200;
const SECONDS = 15;

/** Prose, lists, tables and code, as models write them. */
const PIECE = `## A heading of part NUMBER

Some **bold** prose with \`code\`, which is long enough to fill a line or two of the column that it stands in, and ends.

- one thing
- another thing

\`\`\`rust
fn main() {
    println!("part NUMBER");
}
\`\`\`

| copy | where | checked |
|---|---|---|
| first | the NAS | nightly |

`;

function tokens(count: number): string[] {
  let all = "";
  for (let number = 1; all.length < count * 5; number++) all += PIECE.replaceAll("NUMBER", String(number));
  return Array.from({ length: count }, (_, at) => all.slice(at * 4, at * 4 + 4));
}

test("streaming", async ({ chat, page, provider }, info) => {
  const count = TOKENS_PER_SECOND * SECONDS;
  const paced = tokens(count).flatMap((token) => [text(token), hold()]);
  provider.will(reply(text("Ready.")), reply(text("It begins.\n\n"), hold(), ...paced, text("The end.")));
  await chat.begin("get ready");
  await chat.settled();
  await chat.say("write a lot");
  await expect(chat.answer).toContainText("It begins.");
  await throttle(page, 4);
  const seen = await watch(page, async () => {
    await pace(count + 1, () => provider.release());
    // Cheap for the page, unlike the locators of the stories.
    await page.waitForFunction(() => !document.querySelector(".is-live"), undefined, { polling: 300 });
  });
  await expect(chat.answer).toContainText("The end.");
  const what = `Streaming ${TOKENS_PER_SECOND} tokens/s, CPU 4x slower`;
  note(info, ...longTasksOf(what, seen), ...framesOf(what, seen));
});

/** Calls so many times, evenly. */
function pace(count: number, call: () => void): Promise<void> {
  const start = performance.now();
  let done = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const due = Math.min(count, Math.floor(((performance.now() - start) * TOKENS_PER_SECOND) / 1000));
      for (; done < due; done++) call();
      if (done < count) return;
      clearInterval(timer);
      resolve();
    }, 5);
  });
}
