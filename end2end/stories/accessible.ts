// axe finds nothing on any screen, in both themes, on a desk and on a phone.
import { isAccessible } from "../support/axe.js";
import { calls, expect, hold, httpError, reasoning, reply, test, text } from "../support/stories.js";

const API = "/api/v1/agents/assistant/default";
const SIZES = { desk: { width: 1440, height: 900 }, phone: { width: 390, height: 844 } };

const WRITTEN = `# Plan

Some **bold** text, \`code\`, [a link](https://example.org) and a note[^1].

- [x] done
- [ ] open

1. one
2. two

> quoted

| a | b |
|---|--:|
| 1 | 2 |

\`\`\`sh
ls -la
\`\`\`

[^1]: A footnote.
`;

test.use({ config: '[agents.assistant]\ntools = ["demo"]\n' });

for (const colorScheme of ["light", "dark"] as const) {
  for (const size of ["desk", "phone"] as const) {
    test.describe(`${colorScheme}, ${size}`, () => {
      test.use({ colorScheme, viewport: SIZES[size] });

      test("the empty page, chats in every state, and addresses that lead nowhere", async ({ bough, chat, page, provider, complaints }) => {
        test.slow();
        await chat.open("/");
        await isAccessible(page, "the empty page");

        provider.will(reply(reasoning("First I think."), text(WRITTEN)));
        await chat.begin("write");
        await chat.settled();
        await isAccessible(page, "a chat");

        provider.will(reply(text("Another version.")));
        await chat.answer.getByRole("button", { name: "Regenerate" }).click();
        await expect(chat.answer).toContainText("Another version.");
        await chat.settled();
        await isAccessible(page, "versions");
        await chat.questions.first().hover();
        await chat.questions.first().getByRole("button", { name: "Edit" }).click();
        await page.getByRole("textbox", { name: "Edit the message" }).waitFor();
        await isAccessible(page, "a message that is edited");
        await page.keyboard.press("Escape");

        provider.will(reply(calls({ danger: { target: "the barn" } })));
        await chat.say("delete the barn");
        const question = chat.transcript.getByRole("group", { name: "Approval" });
        await question.getByRole("button", { name: "Options" }).click();
        await question.getByLabel("Arguments").waitFor();
        await isAccessible(page, "a tool that asks");
        provider.will(reply(text("Then not.")));
        await question.getByRole("button", { name: "Reject", exact: true }).click();
        await expect(chat.answer).toContainText("Then not.");
        await chat.settled();
        await isAccessible(page, "a tool that was refused");

        provider.will(reply(text("So far"), hold(), text(".")), httpError(500, "the provider is down"));
        await chat.say("slowly");
        await expect(chat.answer).toContainText("So far");
        await chat.say("and then this");
        await page.getByRole("list", { name: "Waiting messages" }).waitFor();
        await isAccessible(page, "an answer in motion, and a message that waits");
        provider.release();
        await expect(chat.transcript).toContainText("the provider is down");
        await isAccessible(page, "an error");

        complaints.expect(/status of 404/);
        for (const path of ["/s/no-such-session", "/no/such/page"]) {
          await page.goto(bough.url + path);
          await chat.ready();
          await isAccessible(page, path);
        }
      });

      test("every tab of the panel", async ({ bough, chat, page, provider, request, complaints }) => {
        test.slow();
        complaints.expect(/409 \(Conflict\)/);
        provider.will(reply(text("Of herons.")), reply(text("Of otters.")));
        const path = await chat.begin("tell me");
        await chat.settled();
        await chat.answer.getByRole("button", { name: "Regenerate" }).click();
        await expect(chat.answer).toContainText("Of otters.");
        await chat.settled();
        const session = path.split("/").pop();
        const notes = `${bough.url}${API}/blocks/notes?session=${session}`;
        await request.post(`${bough.url}${API}/blocks?session=${session}`, {
          data: { label: "notes", description: "Things to keep in mind", max_tokens: 100, content: "first" },
        });
        await request.put(notes, { data: { content: "first\nsecond" } });

        await page.keyboard.press("Control+Shift+E");
        const block = page.getByRole("region", { name: "notes" });
        await expect(block).toContainText("second");
        await isAccessible(page, "memory");
        await block.getByRole("button", { name: "History" }).click();
        await block.getByRole("button", { name: "Changes" }).first().click();
        await block.getByRole("group", { name: "Changes" }).waitFor();
        await isAccessible(page, "history and changes of a block");
        await block.getByRole("button", { name: "Edit" }).click();
        await block.getByRole("textbox").fill("mine");
        await isAccessible(page, "a block that is edited");
        await request.put(notes, { data: { content: "theirs" } });
        await expect(block).toContainText("changed meanwhile");
        await block.getByRole("button", { name: "Save" }).click();
        await block.getByRole("button", { name: "Keep mine" }).waitFor();
        await isAccessible(page, "a block that was changed by two");
        await block.getByRole("button", { name: "Keep mine" }).click();
        await page.getByRole("button", { name: "New block" }).click();
        await page.getByLabel("Label").waitFor();
        await isAccessible(page, "a new block");

        await page.getByRole("tab", { name: "Tree" }).click();
        await page.getByRole("treeitem").first().waitFor();
        await isAccessible(page, "the tree");
        await page.getByRole("tab", { name: "Prompt" }).click();
        await page.getByText(/The next call to .* sends about/).waitFor();
        await page.getByText(/^user: /).first().click();
        await isAccessible(page, "the prompt");
      });

      test("every section of the settings, with something in the trash and in the archive", async ({ bough, chat, page, request }) => {
        test.slow();
        for (const name of ["herons", "otters"]) await request.post(`${bough.url}${API}/sessions`, { data: { name, id: name } });
        await request.delete(`${bough.url}${API}/sessions/herons`);
        await request.post(`${bough.url}${API}/sessions/otters/archive`);
        for (const section of ["models", "agent", "appearance", "shortcuts", "data"]) {
          await chat.open(`/settings/${section}`);
          await page.locator(".settings-body h2").waitFor();
          await expect(page.getByText(/^(Asking|Looking)/)).toHaveCount(0);
          await isAccessible(page, section);
        }
        const trash = page.getByRole("region", { name: "Trash" });
        await trash.getByRole("button", { name: "Delete for ever" }).click();
        await trash.getByRole("button", { name: "Keep it" }).waitFor();
        await page.getByRole("button", { name: "Examine" }).click();
        await expect(page.getByRole("region", { name: "Doctor" })).toContainText("Everything is in order.");
        await isAccessible(page, "a question before something is deleted for ever, and what the doctor says");
      });

      test("menus, sheets, the palette, notes and a lost connection", async ({ bough, chat, page, provider, complaints }) => {
        test.slow();
        provider.will(reply(text("Hello.")));
        const path = await chat.begin("hi");
        await chat.settled();
        await page.getByRole("button", { name: /^Model: / }).click();
        await page.getByRole("option").first().waitFor();
        await isAccessible(page, "the models");
        await page.keyboard.press("Escape");
        await page.getByRole("button", { name: /^Context: / }).click();
        await page.getByRole("dialog", { name: "Context" }).waitFor();
        await isAccessible(page, "the context");
        await page.keyboard.press("Escape");
        await chat.answer.getByRole("button", { name: "More actions" }).click();
        await page.getByRole("menuitem").first().waitFor();
        await isAccessible(page, "the menu of a message");
        await page.keyboard.press("Escape");

        await page.keyboard.press("Control+k");
        await page.getByRole("combobox").fill("hello");
        await page.getByRole("option", { name: /Hello/ }).first().waitFor();
        await isAccessible(page, "the palette");
        await page.getByRole("combobox").fill("nothing is found by this");
        await expect(page.getByRole("option", { name: /Hello/ })).toHaveCount(0);
        await isAccessible(page, "the palette with nothing found");
        await page.keyboard.press("Escape");
        if (size === "desk") {
          await page.keyboard.press("Control+/");
          await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
          await isAccessible(page, "the list of keys");
          await page.keyboard.press("Escape");
        } else {
          await page.getByRole("button", { name: "Open the list of chats" }).click();
          await expect(chat.sidebar).toBeInViewport();
          await isAccessible(page, "the list of chats as a drawer");
        }
        const row = chat.sidebar.getByRole("listitem").filter({ has: page.locator(`a[href="${path}"]`) });
        await row.getByRole("button", { name: /^Actions for/ }).click();
        await page.getByRole("menuitem").first().waitFor();
        await isAccessible(page, "the menu of a chat");
        await page.getByRole("menuitem", { name: "Rename" }).click();
        await chat.sidebar.getByRole("textbox").waitFor();
        await isAccessible(page, "a name that is changed");
        await page.keyboard.press("Escape");
        if (size === "phone") {
          // Escape has closed the drawer too.
          await expect(chat.sidebar).not.toBeInViewport();
          await page.getByRole("button", { name: "Open the list of chats" }).click();
          await expect(chat.sidebar).toBeInViewport();
        }
        await chat.choose(path, "Archive");
        await page.getByRole("button", { name: "Undo" }).waitFor();
        await isAccessible(page, "a note with Undo");

        complaints.expectLoss();
        await bough.stop();
        await expect(chat.banner).toBeVisible();
        await isAccessible(page, "a lost connection");
      });
    });
  }
}
