// The page in the words of a person: where things are is said here once, the stories say what happens.
import { expect, type Locator, type Page } from "@playwright/test";

export class Chat {
  readonly composer: Locator;
  readonly send: Locator;
  readonly stop: Locator;
  readonly sidebar: Locator;
  readonly transcript: Locator;
  readonly banner: Locator;
  readonly panel: Locator;

  constructor(
    readonly page: Page,
    private readonly base: string,
  ) {
    this.composer = page.getByRole("textbox", { name: "Message", exact: true });
    this.send = page.getByRole("button", { name: "Send" });
    this.stop = page.getByRole("button", { name: "Stop" });
    this.sidebar = page.getByRole("navigation", { name: "Chats" });
    this.transcript = page.getByRole("region", { name: "Conversation" });
    this.panel = page.getByRole("complementary", { name: "What the model sees" });
    this.banner = page.getByRole("status").filter({ hasText: /Connection lost|offline/ });
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
    return this.saidBy("You");
  }

  get answers(): Locator {
    return this.saidBy("Bough");
  }

  private saidBy(name: string): Locator {
    const heading = this.page.getByRole("heading", { level: 2, name, exact: true });
    return this.transcript.getByRole("article").filter({ has: heading });
  }

  /** The last answer. */
  get answer(): Locator {
    return this.answers.last();
  }

  /** Opens the menu of a message and chooses. */
  async act(message: Locator, action: string): Promise<void> {
    await message.hover();
    await message.getByRole("button", { name: "More actions" }).click();
    await message.getByRole("menuitem", { name: action, exact: true }).click();
  }

  /** Stores many questions at once, "Question 1" under the id `q1` and so on, as a client that sends its whole list.
   * The provider answers the last one. */
  async fill(session: string, count: number): Promise<void> {
    const url = `${this.base.replace(/^http/, "ws")}/agents/assistant/default?session=${session}&window=1`;
    await this.page.evaluate(
      ({ url, count }) =>
        new Promise<void>((resolve, reject) => {
          const messages = Array.from({ length: count }, (_, index) => {
            const number = index + 1;
            return { id: `q${number}`, role: "user", parts: [{ type: "text", text: `Question ${number}` }] };
          });
          const init = { method: "POST", body: JSON.stringify({ messages }) };
          const socket = new WebSocket(url);
          socket.onopen = () => socket.send(JSON.stringify({ type: "cf_agent_use_chat_request", id: "fill", init }));
          socket.onerror = () => reject(new Error("the socket failed"));
          socket.onmessage = ({ data }) => {
            const frame = JSON.parse(String(data));
            if (frame.type === "bough_error") reject(new Error(String(data)));
            if (frame.type === "cf_agent_use_chat_response" && frame.done) {
              socket.close();
              resolve();
            }
          };
        }),
      { url, count },
    );
  }

  session(name: string | RegExp): Locator {
    return this.sidebar.getByRole("link", { name });
  }

  /** Opens the menu of the session at `path` and chooses. */
  async choose(path: string, action: string): Promise<void> {
    const row = this.sidebar.getByRole("listitem").filter({ has: this.page.locator(`a[href="${path}"]`) });
    await row.hover();
    await row.getByRole("button", { name: /^Actions for/ }).click();
    await this.page.getByRole("menuitem", { name: action, exact: true }).click();
  }

  /** The last question has its answer, and nothing is being written or waited for. */
  async settled(): Promise<void> {
    const last = this.transcript.getByRole("article").last();
    await expect(last.getByRole("heading", { level: 2 }).first()).toHaveText("Bough");
    await expect(this.transcript.getByText(/writing…|stopping…|Waits for/)).toHaveCount(0);
    await expect(this.stop).toHaveCount(0);
  }
}
