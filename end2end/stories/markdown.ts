// What a model writes is shown as it was meant, and never as anything else.
import { expect, reply, test, text } from "../support/stories.js";

const WRITTEN = [
  "# Plan\n\nSome **bold** and `code`, costs $5 and $6.\n\n",
  "- [x] done\n- [ ] open\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n",
  "```rust\nfn main() {}\n```\n\n",
  '<img src="https://example.org/x.png" onerror="alert(1)"> <script>alert(1)</script>\n\n',
  "![remote](https://example.org/y.png) [bad](javascript:alert(1)) [good](https://example.org/z)\n",
];

test("markdown becomes structure, markup stays text", async ({ chat, provider, page }) => {
  provider.will(reply(text(...WRITTEN.flatMap((piece) => piece.match(/.{1,7}/gs) ?? []))));
  await chat.begin("write");
  await chat.settled();
  const answer = chat.answer;
  await expect(answer.getByRole("heading", { name: "Plan" })).toBeVisible();
  await expect(answer.locator("strong", { hasText: "bold" })).toBeVisible();
  await expect(answer).toContainText("costs $5 and $6");
  await expect(answer.getByRole("checkbox")).toHaveCount(2);
  await expect(answer.getByRole("table").getByRole("cell", { name: "2" })).toBeVisible();
  await expect(answer.locator("pre code")).toHaveText("fn main() {}\n");
  await expect(answer).toContainText('<img src="https://example.org/x.png" onerror="alert(1)">');
  await expect(answer.getByRole("link", { name: "good" })).toHaveAttribute("href", "https://example.org/z");
  await expect(answer.getByRole("link", { name: "bad" })).toHaveCount(0);
  await expect(answer.locator("script, img[src^='http']")).toHaveCount(0);

  const streamed = await answer.innerText();
  await page.reload();
  await chat.ready();
  expect(await chat.answer.innerText()).toBe(streamed);
});
