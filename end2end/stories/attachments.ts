// Files come by picker, paste and drop; what is long is a file; nothing that is typed or attached is lost.
import { expect, hold, reply, test, text } from "../support/stories.js";

/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = { name: "heron.png", mimeType: "image/png", buffer: PNG };

test("a picture is attached, sent, shown, and reaches the model", async ({ chat, page, provider }) => {
  provider.will(reply(text("A heron.")));
  await chat.open("/");
  await page.getByLabel("Attach files").setInputFiles([picture, { name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("Reeds.") }]);
  const tray = page.getByRole("list", { name: "Attached" });
  await expect(tray.getByRole("listitem")).toHaveText([/heron\.png/, /notes\.txt/]);
  await tray.getByRole("button", { name: "Remove notes.txt" }).click();
  await expect(tray.getByRole("listitem")).toHaveCount(1);
  await chat.say("What is this?");
  await page.waitForURL(/\/s\//);
  await chat.settled();
  await expect(tray).toHaveCount(0);
  const shown = chat.questions.getByRole("img", { name: "heron.png" });
  await expect(shown).toHaveJSProperty("naturalWidth", 1);
  const content = JSON.stringify(provider.calls.at(-1)?.body.messages.at(-1)?.content);
  expect(content).toContain("data:image/png;base64,");
  await chat.reload();
  await expect(shown).toBeVisible();
});

// J05: a draft is text and files, for each chat of its own.
test("what is attached stays with its chat over a reload during an answer", async ({ chat, page, provider }) => {
  provider.will(reply(text("Slow"), hold(), text(".")));
  await chat.begin("go");
  await expect(chat.answer).toContainText("Slow");
  await chat.composer.fill("and this");
  await page.getByLabel("Attach files").setInputFiles(picture);
  const tray = page.getByRole("list", { name: "Attached" });
  await expect(tray).toContainText("heron.png");
  await chat.reload();
  await expect(tray).toContainText("heron.png");
  await expect(chat.composer).toHaveValue("and this");
  await page.getByRole("link", { name: "New chat" }).first().click();
  await expect(tray).toHaveCount(0);
  await page.goBack();
  await expect(tray).toContainText("heron.png");
  provider.release();
  await chat.settled();
});

test("a file that is too large is refused with the numbers", async ({ chat, page }) => {
  await chat.open("/");
  await page.getByLabel("Attach files").setInputFiles({ name: "film.bin", mimeType: "video/mp4", buffer: Buffer.alloc(3_100_000) });
  await expect(page.getByRole("status").filter({ hasText: "film.bin has 3.1 MB" })).toContainText("1.2 MB");
  await expect(page.getByRole("list", { name: "Attached" })).toHaveCount(0);
});

test("files are dropped anywhere and pasted into the field", async ({ chat, page }) => {
  await chat.open("/");
  const give = (type: "drop" | "paste") =>
    page.evaluate(
      ([type, bytes]) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes as number[])], `${type}.png`, { type: "image/png" }));
        const options = { bubbles: true, cancelable: true };
        const event =
          type === "drop"
            ? new DragEvent("drop", { ...options, dataTransfer: data })
            : new ClipboardEvent("paste", { ...options, clipboardData: data });
        document.getElementById(type === "drop" ? "main" : "composer")?.dispatchEvent(event);
      },
      [type, [...PNG]] as const,
    );
  await give("drop");
  await give("paste");
  const tray = page.getByRole("list", { name: "Attached" });
  await expect(tray.getByRole("listitem")).toHaveText([/drop\.png/, /paste\.png/]);
});

// I14: the field stays alive whatever is pasted.
test("a long text becomes a file, and can be put into the message after all", async ({ chat, page }) => {
  await chat.open("/");
  const paste = (length: number, piece: string) =>
    page.evaluate(
      ([length, piece]) => {
        const data = new DataTransfer();
        data.setData("text/plain", piece.repeat(length));
        const event = new ClipboardEvent("paste", { bubbles: true, cancelable: true, clipboardData: data });
        document.getElementById("composer")?.dispatchEvent(event);
      },
      [length, piece] as const,
    );
  const tray = page.getByRole("list", { name: "Attached" });
  await paste(1_000_000, "x");
  await expect(tray).toContainText("1.0 MB");
  await chat.composer.pressSequentially("still alive");
  await expect(chat.composer).toHaveValue("still alive");
  await tray.getByRole("button", { name: /Remove/ }).click();
  await paste(50_000, "\n");
  await expect(tray).toContainText("50.0 kB");
  await tray.getByRole("button", { name: /Remove/ }).click();
  await paste(2_000, "a word ");
  await tray.getByRole("button", { name: "Put into the message" }).click();
  await expect(tray).toHaveCount(0);
  await expect(chat.composer).toHaveValue(/^(a word ){2000}\s*still alive$/);
});

// J07: nothing eats a prompt.
test("a message that cannot be sent stays", async ({ bough, chat, page, complaints }) => {
  complaints.expect(/.*/);
  await chat.open("/");
  await page.getByLabel("Attach files").setInputFiles(picture);
  await expect(page.getByRole("list", { name: "Attached" })).toContainText("heron.png");
  await bough.stop();
  await chat.say("is anybody there?");
  await expect(chat.composer).toHaveValue("is anybody there?");
  await expect(page.getByRole("list", { name: "Attached" })).toContainText("heron.png");
});
