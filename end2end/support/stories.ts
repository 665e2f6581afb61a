// What every story starts from: a server and a provider of its own, and a page that may not complain.
import { test as base, expect } from "@playwright/test";
import { Provider } from "./provider.js";
import { Bough } from "./server.js";
import { Chat } from "./chat.js";

export { expect };
export * from "./provider.js";
export { Chat };

/** What pages complained about, minus what the story expects. */
export class Complaints {
  private readonly heard: string[] = [];
  private readonly expected: RegExp[] = [];

  /** From here on, complaints like this are part of the story. */
  expect(...patterns: RegExp[]): void {
    this.expected.push(...patterns);
  }

  /** From here on the server may be gone for a while, and browsers say so of whatever was asked for. */
  expectLoss(): void {
    this.expect(/WebSocket connection to .* failed/, /ERR_CONNECTION_(REFUSED|RESET)/, /status of 503/);
  }

  add(text: string): void {
    this.heard.push(text);
  }

  get unexpected(): string[] {
    return this.heard.filter((text) => !this.expected.some((pattern) => pattern.test(text)));
  }
}

/** Variables of the server, and the text of its `bough.toml`. */
type Options = { settings: Record<string, string>; config: string };
type Fixtures = { provider: Provider; bough: Bough; complaints: Complaints; chat: Chat };

export const test = base.extend<Options & Fixtures>({
  settings: [{}, { option: true }],
  config: ["", { option: true }],

  provider: async ({}, use) => {
    const provider = await Provider.start();
    await use(provider);
    await provider.stop();
    expect(provider.surprises, "calls of the provider that no story asked for").toEqual([]);
  },

  bough: async ({ provider, settings, config }, use, info) => {
    const scripted = {
      BOUGH_MODEL: "openai/scripted",
      BOUGH_OPENAI_BASE_URL: provider.baseUrl,
      BOUGH_OPENAI_API_KEY: "a-key-for-tests",
      BOUGH_PROVIDER_RETRIES: "0",
      BOUGH_AUTO_TITLE: "false",
    };
    const bough = await Bough.launch({ ...scripted, ...settings }, config);
    await use(bough);
    if (info.status !== info.expectedStatus) await info.attach("server log", { body: bough.logged });
    await bough.remove();
  },

  complaints: [
    async ({ context, bough }, use) => {
      const complaints = new Complaints();
      context.on("console", (message) => {
        if (["error", "warning"].includes(message.type())) complaints.add(`${message.type()}: ${message.text()}`);
      });
      context.on("weberror", (error) => complaints.add(`uncaught: ${error.error().message}`));
      context.on("request", (request) => {
        const isOurs = request.url().startsWith(bough.url) || request.url().startsWith("data:");
        if (!isOurs) complaints.add(`a request left the server: ${request.url()}`);
      });
      await use(complaints);
      expect(complaints.unexpected, "what the pages complained about").toEqual([]);
    },
    { auto: true },
  ],

  chat: async ({ page, bough }, use) => use(new Chat(page, bough.url)),
});

/** The built-in guide answers, whatever models this machine has, and nothing else is configured. */
export const guide = { BOUGH_MODEL: "builtin/guide", BOUGH_OPENAI_BASE_URL: "", BOUGH_OPENAI_API_KEY: "" };
