// Going from chat to chat leaves nothing behind: a page that is open for weeks stays as small as it was.
import { importChats, longChat } from "../support/long-chat.js";
import { expect, test } from "../support/stories.js";
import { keepWasmMemory, switchTo, wasmMemory } from "../support/wasm-memory.js";

const WARM = 40;
const SWITCHES = 120;
/** Memory grows by pages of 64 KiB. Before readers took their leave it grew by 2 kB with each switch. */
const GROWTH_MAX_BYTES = 128 * 1024;

// The recorder copies the whole page with each call.
test.use({ trace: "off" });

test("memory stays as it is however often chats are switched", async ({ bough, chat, page, request }) => {
  test.setTimeout(120_000);
  const names = ["herons", "egrets", "storks"];
  await importChats(request, bough.url, names.map((name) => longChat(name, 40)));
  await keepWasmMemory(page);
  await chat.open("/s/herons");
  const go = async (from: number, to: number) => {
    for (let number = from; number < to; number++) await switchTo(page, names[number % names.length] ?? "");
  };
  await go(1, WARM);
  const early = await wasmMemory(page);
  await go(WARM, WARM + SWITCHES);
  expect((await wasmMemory(page)) - early).toBeLessThanOrEqual(GROWTH_MAX_BYTES);
});
