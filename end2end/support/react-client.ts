// The public React client on a page of its own, served from the address of the server under test as a proxy would.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, type Locator, type Page } from "@playwright/test";
import { buildSync } from "esbuild";
import { expect, test as base } from "./stories.js";

const entry = fileURLToPath(new URL("../client/page.tsx", import.meta.url));
const html = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Client</title><link rel="icon" href="data:,">
<div id="root"></div><script type="module" src="/client/page.js"></script>`;

let bundle: string | undefined;

/** The page as one script; built once for all stories of a worker. */
function script(): string {
  if (bundle === undefined) {
    const built = buildSync({
      entryPoints: [entry],
      absWorkingDir: join(entry, ".."),
      bundle: true,
      write: false,
      format: "esm",
      jsx: "automatic",
      target: "es2022",
      // Its development build checks how it is used.
      define: { "process.env.NODE_ENV": '"development"' },
      logLevel: "error",
    });
    bundle = built.outputFiles[0]?.text ?? "";
  }
  return bundle;
}

/** Serves the page and its script to every tab of the context. */
async function serveClient(context: BrowserContext, base: string): Promise<void> {
  await context.route(new RegExp(`^${base}/client/(\\?|$)`), (route) => route.fulfill({ contentType: "text/html", body: html }));
  await context.route(`${base}/client/page.js`, (route) =>
    route.fulfill({ contentType: "text/javascript", body: script() }),
  );
}

/** One tab with that page in it. */
export class ReactClient {
  readonly main: Locator;
  readonly alerts: Locator;

  constructor(
    readonly page: Page,
    private readonly base: string,
  ) {
    this.main = page.getByRole("main");
    this.alerts = page.getByRole("alert");
  }

  async open(search = ""): Promise<void> {
    await this.page.goto(`${this.base}/client/${search}`);
    await this.main.waitFor();
  }

  async say(text: string): Promise<void> {
    await this.page.getByLabel("Message").fill(text);
    await this.press("Send");
  }

  async press(name: "Send" | "Stop" | "Regenerate" | "Clear" | "Louder" | "Approve" | "Reject"): Promise<void> {
    await this.page.getByRole("button", { name }).click();
  }

  get answers(): Locator {
    return this.main.locator('article[data-role="assistant"]');
  }

  get questions(): Locator {
    return this.main.locator('article[data-role="user"] > p');
  }

  tool(name: string): Locator {
    return this.main.locator(`[data-tool="tool-${name}"]`);
  }

  /** The client itself says that nothing is going on. */
  async ready(): Promise<void> {
    await expect(this.main).toHaveAttribute("data-status", "ready");
  }

  async ids(): Promise<(string | null)[]> {
    return this.main.locator("article").evaluateAll((all) => all.map((one) => one.getAttribute("data-id")));
  }
}

/** A story of that page: served, opened, and nothing said yet. */
export const test = base.extend<{ client: ReactClient }>({
  client: async ({ context, page, bough }, use) => {
    await serveClient(context, bough.url);
    const client = new ReactClient(page, bough.url);
    await client.open();
    await use(client);
  },
});
