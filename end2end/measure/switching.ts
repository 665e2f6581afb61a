// Memory after many switches between chats: what is left behind must be gone.
import type { CDPSession, Page } from "@playwright/test";
import { mb, note } from "../support/figures.js";
import { importChats, longChat } from "../support/long-chat.js";
import { expect, test } from "../support/stories.js";
import { keepWasmMemory, switchTo, wasmMemory } from "../support/wasm-memory.js";

const SWITCHES = 1_000;
const EARLY = 100;
const CHATS = 10;

test("switching", async ({ chat, page, request, bough }, info) => {
  const names = Array.from({ length: CHATS }, (_, number) => `switch-${number}`);
  await importChats(request, bough.url, names.map((name) => longChat(name, 40)));
  await keepWasmMemory(page);
  await chat.open(`/s/${names[0]}`);
  const client = await page.context().newCDPSession(page);
  const start = performance.now();
  let early: Memory | undefined;
  for (let number = 1; number <= SWITCHES; number++) {
    await switchTo(page, names[number % CHATS] ?? "");
    if (number === EARLY) early = await memory(page, client);
  }
  const took = performance.now() - start;
  const late = await memory(page, client);
  if (!early) throw new Error("it was not measured early");
  await expect(chat.answers.last()).toBeVisible();
  const what = (kind: string) => `${kind} after ${EARLY} / ${SWITCHES} switches`;
  note(
    info,
    { what: what("JS heap"), aim: "flat", figure: `${mb(early.heap)} / ${mb(late.heap)}` },
    { what: what("WASM memory"), aim: "flat", figure: `${mb(early.wasm)} / ${mb(late.wasm)}` },
    { what: what("DOM nodes"), aim: "flat", figure: `${early.nodes} / ${late.nodes}` },
    { what: what("Event listeners"), aim: "flat", figure: `${early.listeners} / ${late.listeners}` },
    { what: "One switch", aim: "< 100 ms", figure: `${(took / SWITCHES).toFixed(1)} ms` },
  );
});

type Memory = { heap: number; wasm: number; nodes: number; listeners: number };

async function memory(page: Page, client: CDPSession): Promise<Memory> {
  for (let times = 0; times < 3; times++) await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await client.send("Memory.getDOMCounters");
  return { heap: usedSize, wasm: await wasmMemory(page), nodes, listeners: jsEventListeners };
}
