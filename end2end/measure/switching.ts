// Memory after many switches between chats: what is left behind must be gone.
import type { CDPSession, Page } from "@playwright/test";
import { mb, note } from "../support/figures.js";
import { importChats, longChat } from "../support/long-chat.js";
import { expect, test } from "../support/stories.js";

const SWITCHES = 1_000;
const EARLY = 100;
const CHATS = 10;

test("switching", async ({ chat, page, request, bough }, info) => {
  const names = Array.from({ length: CHATS }, (_, number) => `switch-${number}`);
  await importChats(request, bough.url, names.map((name) => longChat(name, 40)));
  await page.addInitScript(keepMemory);
  await chat.open(`/s/${names[0]}`);
  const client = await page.context().newCDPSession(page);
  const start = performance.now();
  let early: Memory | undefined;
  for (let number = 1; number <= SWITCHES; number++) {
    await go(page, names[number % CHATS] ?? "");
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

/** By the link in the list, until the chat is on the screen. */
async function go(page: Page, name: string): Promise<void> {
  await page.evaluate(
    (name) =>
      new Promise<void>((resolve) => {
        document.querySelector<HTMLElement>(`nav a[href$="/s/${name}"]`)?.click();
        const look = () => {
          const row = document.querySelector(".rows > .row");
          if (row?.id.includes(`${name}-`)) resolve();
          else requestAnimationFrame(look);
        };
        look();
      }),
    name,
  );
}

/** Keeps hold of the memory of the page's own WASM, which no figure of the browser includes. Runs in the page. */
function keepMemory(): void {
  const start = WebAssembly.instantiateStreaming;
  WebAssembly.instantiateStreaming = async (...given) => {
    const made = await start(...given);
    const memories = Object.values(made.instance.exports).filter((one) => one instanceof WebAssembly.Memory);
    if (memories[0]) Object.assign(window, { wasmMemory: memories[0] });
    return made;
  };
}

type Memory = { heap: number; wasm: number; nodes: number; listeners: number };

async function memory(page: Page, client: CDPSession): Promise<Memory> {
  for (let times = 0; times < 3; times++) await client.send("HeapProfiler.collectGarbage");
  const { usedSize } = await client.send("Runtime.getHeapUsage");
  const { nodes, jsEventListeners } = await client.send("Memory.getDOMCounters");
  const wasm = await page.evaluate(
    () => (window as unknown as { wasmMemory: WebAssembly.Memory }).wasmMemory.buffer.byteLength,
  );
  return { heap: usedSize, wasm, nodes, listeners: jsEventListeners };
}
