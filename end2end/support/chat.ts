// The page in the words of a person: where things are is said here once, the stories say what happens.
import { expect, type Locator, type Page } from "@playwright/test";

export class Chat {
  readonly composer: Locator;
  readonly send: Locator;
  readonly stop: Locator;
  readonly sidebar: Locator;
  readonly transcript: Locator;
  readonly banner: Locator;

  constructor(
    readonly page: Page,
    private readonly base: string,
  ) {
    this.composer = page.getByRole("textbox", { name: "Message" });
    this.send = page.getByRole("button", { name: "Send" });
    this.stop = page.getByRole("button", { name: "Stop" });
    this.sidebar = page.getByRole("navigation", { name: "Sessions" });
    this.transcript = page.getByRole("region", { name: "Transcript" });
    this.banner = page.getByRole("status").filter({ hasText: /connect/i });
  }

  /** Opens an address of the page and waits until it listens. */
  async open(path = "/"): Promise<void> {
    await this.page.goto(this.base + path);
    await this.ready();
  }

  async reload(): Promise<void> {
    await this.page.reload();
    await this.ready();
  }

  async ready(): Promise<void> {
    await this.page.locator("[data-hydrated]").waitFor();
  }

  /** Types a message and sends it by Enter. */
  async say(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.composer.press("Enter");
  }

  /** Starts a chat of its own and gives its path. */
  async begin(text: string): Promise<string> {
    await this.open("/");
    await this.say(text);
    await this.page.waitForURL(/\/s\/[^/]+$/);
    return new URL(this.page.url()).pathname;
  }

  get questions(): Locator {
    return this.transcript.getByRole("article", { name: "You" });
  }

  get answers(): Locator {
    return this.transcript.getByRole("article", { name: "Assistant" });
  }

  get answer(): Locator {
    return this.answers.last();
  }

  session(name: string | RegExp): Locator {
    return this.sidebar.getByRole("link", { name });
  }

  /** The last answer is over, and says nothing about it but what it says. */
  async settled(): Promise<void> {
    await expect(this.stop).toBeHidden();
    await expect(this.answer).not.toHaveAttribute("aria-busy", "true");
  }
}
