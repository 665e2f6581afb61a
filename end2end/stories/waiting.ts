// What waits for somebody says so: in the answer's foot, in the list of chats, in the title. It can be gone to and put away.
import { calls, expect, reply, test, text } from "../support/stories.js";

test.use({ config: '[agents.assistant]\ntools = ["demo"]\n' });

// J11
test("a question is seen everywhere, is jumped to, and can be put away", async ({ chat, page, provider, context, bough }) => {
  const long = Array.from({ length: 60 }, (_, line) => `Line ${line + 1}\n\n`);
  provider.will(reply(text(...long), calls({ danger: { target: "the barn" } })));
  const path = await chat.begin("delete the barn");
  const asked = chat.answer.getByRole("group", { name: "Approval" });
  await expect(asked).toBeInViewport();
  // The card at the end of the answer says what is asked; nothing below says it again.
  await expect(chat.answer.getByText(/^Waits for you/)).toHaveCount(0);
  await expect(chat.answer.getByRole("button", { name: "Dismiss" })).toBeVisible();
  await expect(page).toHaveTitle(/^Waits for you · delete the barn/);
  const row = chat.sidebar.getByRole("listitem").filter({ has: page.locator(`a[href="${path}"]`) });
  await expect(row).toContainText("waits for you");

  await chat.transcript.focus();
  await page.keyboard.press("Home");
  await page.getByRole("button", { name: "Jump to what waits for you" }).click();
  await expect(asked).toBeInViewport();

  const other = await context.newPage();
  await other.goto(bough.url + path);
  await expect(other.getByRole("group", { name: "Approval" })).toBeVisible();
  await chat.answer.getByRole("button", { name: "Dismiss" }).click();
  for (const tab of [page, other]) {
    await expect(tab.getByRole("group", { name: "Approval" })).toHaveCount(0);
    await expect(tab).toHaveTitle(/^delete the barn/);
  }
  await expect(row).not.toContainText("waits for you");
  await chat.reload();
  await expect(chat.answer).toContainText("refused");
  await expect(page).toHaveTitle(/^delete the barn/);
});

test("a question above something else is told at the answer's foot, with the way to it", async ({ chat, page, provider }) => {
  provider.will(reply(calls({ danger: { target: "the barn" }, add: { a: 1, b: 2 } })));
  await chat.begin("delete the barn and add");
  const foot = chat.answer.getByText("Waits for you: may danger run?");
  await expect(foot).toBeVisible();
  await chat.answer.getByRole("button", { name: "Show" }).click();
  await expect(page.getByRole("button", { name: "Approve" })).toBeFocused();
  await chat.answer.getByRole("button", { name: "Dismiss" }).click();
  await expect(foot).toHaveCount(0);
});

test("another chat that waits is marked after a reload too, until somebody answers", async ({ chat, page, provider }) => {
  provider.will(reply(calls({ danger: { target: "the barn" } })), reply(text("It is gone.")));
  const path = await chat.begin("delete the barn");
  await expect(chat.answer.getByRole("group", { name: "Approval" })).toBeVisible();
  await chat.open("/");
  const row = chat.sidebar.getByRole("listitem").filter({ has: page.locator(`a[href="${path}"]`) });
  await expect(row).toContainText("waits for you");
  await row.getByRole("link").click();
  await page.getByRole("button", { name: "Approve" }).click();
  await expect(chat.answer).toContainText("It is gone.");
  await chat.settled();
  await expect(row).not.toContainText("waits for you");
  await expect(chat.transcript.getByText(/Waits for/)).toHaveCount(0);
});

test("a tool that only another program runs is told as such", async ({ chat, page, provider, bough }) => {
  provider.will(reply(calls({ locate: { precise: true } })));
  await chat.open("/");
  await page.evaluate(
    (url) =>
      new Promise<void>((resolve) => {
        const socket = new WebSocket(url);
        const body = {
          messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "where am I" }] }],
          clientTools: [{ name: "locate", parameters: { type: "object", properties: {} } }],
        };
        socket.onopen = () =>
          socket.send(JSON.stringify({ type: "cf_agent_use_chat_request", id: "r1", init: { method: "POST", body: JSON.stringify(body) } }));
        socket.onmessage = ({ data }) => {
          const frame = JSON.parse(String(data));
          if (frame.type !== "cf_agent_use_chat_response" || !frame.done) return;
          socket.close();
          resolve();
        };
      }),
    `${bough.url.replace(/^http/, "ws")}/agents/assistant/default`,
  );
  await chat.open("/s/~");
  await expect(chat.answer.getByText("Waits for a program that runs locate.")).toBeVisible();
  await expect(chat.answer).toContainText("waits for a program");
  // Nobody at this page has to do anything, so nothing here calls for it.
  await expect(page).not.toHaveTitle(/Waits for you/);
  const row = chat.sidebar.getByRole("listitem").filter({ has: page.locator('a[href="/s/~"]') });
  await expect(row).toContainText("waits for a program");
  await expect(chat.transcript.locator(".node.is-asking")).toHaveCount(0);
  await expect(chat.transcript.locator(".fold-card.is-asking")).toHaveCount(0);
  await chat.answer.getByRole("button", { name: "Dismiss" }).click();
  await expect(chat.answer).toContainText("failed");
});
