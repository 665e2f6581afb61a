// The memory of the page's own WASM, which no figure of the browser includes.
import type { Page } from "@playwright/test";

/** Keeps hold of it. Call this before the page is opened. */
export async function keepWasmMemory(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const start = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...given) => {
      const made = await start(...given);
      const memory = Object.values(made.instance.exports).find((one) => one instanceof WebAssembly.Memory);
      if (memory) Object.assign(window, { wasmMemory: memory });
      return made;
    };
  });
}

/** How large it is, in bytes. It never shrinks. */
export function wasmMemory(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { wasmMemory } = window as unknown as { wasmMemory: WebAssembly.Memory };
    return wasmMemory.buffer.byteLength;
  });
}

/** Goes to a chat by its link, until it is on the screen; the ids of its messages begin with its name. */
export async function switchTo(page: Page, name: string): Promise<void> {
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
