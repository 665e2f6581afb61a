// The memory of the page's own WASM, which no figure of the browser includes.
import type { Page } from "@playwright/test";

/** Keeps hold of it. Call this before the page is opened. */
export async function keepWasmMemory(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const start = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...given) => {
      const made = await start(...given);
      const memories = Object.values(made.instance.exports).filter((one) => one instanceof WebAssembly.Memory);
      if (memories[0]) Object.assign(window, { wasmMemory: memories[0] });
      return made;
    };
  });
}

/** How large it is, in bytes. It never shrinks. */
export function wasmMemory(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { wasmMemory: WebAssembly.Memory }).wasmMemory.buffer.byteLength);
}

/** Goes to a chat by its link in the list, until it is on the screen; its first message has an id with its name. */
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
