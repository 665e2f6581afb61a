// Code in colours, formulas and diagrams: drawn by the server when they come near the view, shown without moving what
// is read, and never more than a picture of what was written.
import { AxeBuilder } from "@axe-core/playwright";
import type { Page, Request } from "@playwright/test";
import { expect, hold, reply, test, text } from "../support/stories.js";

const WRITTEN = `Each costs from $2bn to $4bn, $5 and $6. And $x^2 + \\frac{1}{2}$ is a formula, so is \\(a_1\\).

$$
\\sum_{i=0}^n i
$$

\\[ \\int_0^1 x\\,dx \\]

A wrong one: $\\nonsense{x}$.

\`\`\`rust
// Adds.
fn add(a: u8) -> u8 { a + 1 }
\`\`\`

\`\`\`klingon
fn plain() {}
\`\`\`

\`\`\`mermaid
flowchart LR
  A[Start] --> B[End]
\`\`\`

\`\`\`mermaid
flowchart LR
  A[Start --> B
\`\`\`

Done.
`;

const pieces = (written: string): string[] => written.match(/[^]{1,9}/g) ?? [];
/** What a request asks to be drawn. */
const asked = (request: Request): { kind: string; text: string }[] => request.postDataJSON().pieces;
/** Everything that is asked to be drawn from now on. */
function listen(page: Page): { kind: string; text: string }[] {
  const all: { kind: string; text: string }[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/api/v1/render")) all.push(...asked(request));
  });
  return all;
}

for (const colorScheme of ["light", "dark"] as const) {
  test.describe(colorScheme, () => {
    test.use({ colorScheme });

    test("code has colours, formulas and diagrams are drawn, also after a reload", async ({ chat, page, provider }) => {
      provider.will(reply(text(...pieces(WRITTEN))));
      await chat.begin("write");
      await chat.settled();
      for (const visit of ["streamed", "reloaded"]) {
        const answer = chat.answer;
        await expect(answer.locator(".code-block .comment"), visit).toHaveText("// Adds.");
        await expect(answer.locator(".code-block .keyword").first()).toHaveText("fn");
        const plain = answer.getByRole("group", { name: "Code, klingon" });
        await expect(plain).toHaveText("fn plain() {}");
        await expect(plain.locator("span")).toHaveCount(0);
        await expect(answer).toContainText("from $2bn to $4bn, $5 and $6."); // I01
        await expect(answer.locator("math")).toHaveCount(4);
        await expect(answer.locator("math[display=block]")).toHaveCount(2);
        await expect(answer.getByText("$\\nonsense{x}$")).toHaveAttribute("title", /cannot be set.*near/);
        const picture = answer.getByRole("img", { name: "Diagram: flowchart" });
        await expect(picture).toBeVisible();
        expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(50);
        await expect(answer).toContainText("This diagram cannot be drawn: line 2: "); // I03
        await expect(answer).toContainText("A[Start --> B");
        const { violations } = await new AxeBuilder({ page }).include(".transcript, main").analyze();
        expect(violations.map((violation) => violation.id), visit).toEqual([]);
        if (visit === "streamed") await chat.reload();
      }
      const source = chat.answer.getByRole("button", { name: "Source" });
      await source.click();
      await expect(source).toHaveAttribute("aria-pressed", "true");
      await expect(chat.answer.getByRole("img", { name: "Diagram: flowchart" })).toHaveCount(0);
      await expect(chat.answer).toContainText("A[Start] --> B[End]");
    });
  });
}

test("what is open is text until it closes, and what is closed is built once", async ({ chat, provider }) => {
  const closed = "```py\nimport os\n```\n\n";
  const open = "```mermaid\nflowchart LR\n  A --> B\n";
  const late = ["```\n\nSo \\(a*b", "*c\\) and $$x_", "1$$.\n\n| a | b |\n", "|---|---|\n| 1 | 2 |\n\nDone."];
  const rest = late.flatMap((piece) => [...text(piece), ...hold()]);
  provider.will(reply(text(closed, open), hold(), text("  B --> C\n"), hold(), rest));
  await chat.begin("draw");
  const answer = chat.answer;
  await expect(answer.locator(".code-block .keyword")).toHaveText("import");
  await expect(answer).toContainText("A --> B");
  await expect(answer.getByRole("img")).toHaveCount(0); // I04
  // I06: whatever is built anew loses the mark.
  await answer.locator(".code-block").first().evaluate((block) => {
    block.setAttribute("data-mark", "");
    block.querySelector(".keyword")?.setAttribute("data-mark", "");
  });
  provider.release();
  await expect(answer).toContainText("B --> C");
  await expect(answer.getByRole("img")).toHaveCount(0);
  provider.release();
  await expect(answer.getByRole("img")).toBeVisible();
  await expect(answer).toContainText("So \\(a*b");
  await expect(answer.locator("em, math")).toHaveCount(0);
  provider.release();
  await expect(answer).toContainText("and $$x_");
  await expect(answer.locator("math")).toHaveCount(1);
  await expect(answer.locator("em")).toHaveCount(0);
  provider.release();
  await expect(answer.locator("math")).toHaveCount(2);
  await expect(answer).toContainText("| a | b |");
  provider.release();
  await expect(answer.getByRole("cell", { name: "2" })).toBeVisible();
  provider.release();
  await chat.settled();
  await expect(answer.locator("[data-mark]")).toHaveCount(2);
});

test("colours move nothing, and what is copied is the source", async ({ chat, page, provider, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  let go = (): void => undefined;
  const gate = new Promise<void>((resolve) => (go = resolve));
  await page.route("**/api/v1/render", async (route) => {
    await gate;
    await route.continue();
  });
  const written = "```rust\n// one\nfn two() -> u8 { 3 }\n```\n\n$x^2$ after\n";
  provider.will(reply(text(written)));
  await chat.begin("write");
  await chat.settled();
  const code = chat.answer.locator("pre code");
  const boxes = () => Promise.all([chat.answer.locator(".code-block"), code.locator("..")].map((box) => box.boundingBox()));
  const before = await boxes();
  await expect(code.locator("span")).toHaveCount(0);
  go();
  await expect(code.locator(".comment")).toBeVisible();
  expect(await boxes()).toEqual(before);
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await chat.answer.getByRole("button", { name: "Copy code" }).click();
  await expect.poll(clipboard).toBe("// one\nfn two() -> u8 { 3 }");
  await chat.answer.hover();
  await chat.answer.getByRole("button", { name: "Copy message" }).click();
  await expect.poll(clipboard).toBe(written);
});

test("code in a list stays in it, and is code", async ({ chat, provider }) => {
  const written = "1. Install it:\n\n   ```sh\n   ls # all\n   ```\n\n2. Then:\n   ```sh\n   cd\n   ```\n\nDone.\n";
  provider.will(reply(text(...pieces(written))));
  await chat.begin("write");
  await chat.settled();
  await expect(chat.answer.locator("ol")).toHaveCount(1);
  await expect(chat.answer.locator("ol > li")).toHaveCount(2);
  await expect(chat.answer.locator("li .code-block")).toHaveCount(2);
  await expect(chat.answer.locator("li .comment")).toHaveText("# all");
  await expect(chat.answer.locator("li pre code").first()).toHaveCSS("box-shadow", "none");
});

test("long lines wrap when the reader wants it", async ({ chat, provider }) => {
  provider.will(reply(text(`\`\`\`rust\nlet x = "${"long ".repeat(60)}";\n\`\`\`\n\n\`\`\`rust\nlet x = 1;\n\`\`\`\n`)));
  await chat.begin("write");
  await chat.settled();
  const code = chat.answer.getByRole("group", { name: "Code, rust" }).first();
  const overflows = () => code.evaluate((box) => box.scrollWidth > box.clientWidth);
  expect(await overflows()).toBe(true);
  const wrap = chat.answer.getByRole("button", { name: "Wrap long lines" });
  await expect(wrap).toHaveCount(1);
  await wrap.click();
  await expect(wrap).toHaveAttribute("aria-pressed", "true");
  expect(await overflows()).toBe(false);
});

test("nothing that is written becomes more than text or a picture", async ({ chat, page, provider }) => {
  const hostile = [
    "```rust\n</code></pre><script>window.hit = 1</script><img src=x onerror='window.hit = 2'>\n```",
    '```"><img/src=x/onerror=window.hit=3>\nx\n```',
    "$\\text{<img src=x onerror=window.hit=4>}$ $\\operatorname{<img src=x onerror=window.hit=5>}$",
    "$\\href{javascript:window.hit=6}{x}$ $\\color{red;background:url(//example.org/x)}{x}$ $<svg onload=window.hit=7>$",
    '```mermaid\nflowchart LR\n A["<img src=x onerror=window.hit=8>"] --> B["<script>window.hit=9</script>"]\n click A "javascript:window.hit=10"\n```',
    '```mermaid\n%%{init: {"themeCSS": "} </style><script>window.hit=11</script> * { background: url(//example.org/y) }"}}%%\nflowchart LR\n A --> B\n style A fill:url(//example.org/z)\n```',
    "[a $x$](javascript:window.hit=12) $x$](javascript:window.hit=13)",
  ];
  provider.will(reply(text(`${hostile.join("\n\n")}\n\nDone.\n`)));
  await chat.begin("attack");
  await chat.settled();
  await expect(chat.answer.locator("math").first()).toBeVisible();
  for (const picture of await chat.answer.getByRole("img").all()) {
    await picture.scrollIntoViewIfNeeded();
    await expect(picture).toHaveAttribute("src", /^data:image\/svg\+xml,/);
  }
  const forbidden = "script, style, svg:not(.icon), iframe, [onerror], [onload], [href^='javascript' i], math [href], math [style]";
  await expect(chat.answer.locator(".prose").locator(forbidden)).toHaveCount(0);
  const strangers = chat.answer.locator(".prose img:not([src^='data:image/svg+xml,'])");
  await expect(strangers).toHaveCount(0);
  expect(await page.evaluate(() => "hit" in window)).toBe(false);
});

test("only what is near the view is asked for, once, and together", async ({ chat, page, provider }) => {
  const all = listen(page);
  const blocks = Array.from({ length: 200 }, (_, index) => `\`\`\`rust\n// block ${index}\nfn f() {}\n\`\`\`\n\n`);
  provider.will(reply(text(...blocks)));
  const path = await chat.begin("write");
  await chat.settled();
  await chat.open("/");
  all.length = 0;
  let requests = 0;
  page.on("request", (request) => (requests += request.url().endsWith("/api/v1/render") ? 1 : 0));
  await chat.open(path);
  await expect(chat.answer.getByText("// block 199")).toHaveClass("comment");
  expect(all.length).toBeLessThan(60);
  expect(requests).toBeLessThan(6);
  expect(new Set(all.map((piece) => piece.text)).size).toBe(all.length);
  await expect(chat.answer.getByText("// block 0", { exact: true })).toHaveCount(0);
  await chat.answer.locator(".code-block").first().scrollIntoViewIfNeeded();
  await expect(chat.answer.getByText("// block 0", { exact: true })).toHaveClass("comment");
  expect(new Set(all.map((piece) => piece.text)).size).toBe(all.length);
});

test("where drawing fails the source stays, and is drawn when it is next seen", async ({ chat, complaints, page, provider }) => {
  complaints.expect(/status of 503/);
  await page.route("**/api/v1/render", (route) => route.fulfill({ status: 503, body: "" }));
  const refused = page.waitForResponse((response) => response.url().endsWith("/api/v1/render"));
  provider.will(reply(text("```rust\n// one\n```\n\nand $x^2$ here\n")));
  const path = await chat.begin("write");
  await chat.settled();
  await refused;
  await expect(chat.answer.locator("pre code")).toHaveText("// one");
  await expect(chat.answer).toContainText("and $x^2$ here");
  await page.unroute("**/api/v1/render");
  await chat.sidebar.getByRole("link", { name: "New chat" }).click();
  await chat.sidebar.locator(`a[href="${path}"]`).click();
  await expect(chat.answer.locator(".comment")).toHaveText("// one");
  await expect(chat.answer.locator("math")).toHaveCount(1);
});

test.describe("below a path", () => {
  test.use({ settings: { BOUGH_BASE_PATH: "/chat" } });

  test("drawings come from below it", async ({ chat, page, provider }) => {
    const asks = page.waitForRequest((request) => request.url().endsWith("/render"));
    provider.will(reply(text("```rust\n// one\n```\n")));
    await chat.begin("write");
    expect(new URL((await asks).url()).pathname).toBe("/chat/api/v1/render");
    await expect(chat.answer.locator(".comment")).toHaveText("// one");
  });
});

test("formulas have letters of their own, fetched with the first of them", async ({ chat, page, provider }) => {
  const fetched: string[] = [];
  page.on("request", (request) => {
    if (request.url().includes("stix")) fetched.push(request.url());
  });
  provider.will(reply(text("Plain.")), reply(text("$x^2 + \\sqrt{y}$ it is.")));
  await chat.begin("words");
  await chat.settled();
  expect(fetched).toEqual([]);
  await chat.say("a formula");
  await expect(chat.answer.locator("math")).toHaveCount(1);
  await expect.poll(() => page.evaluate(() => document.fonts.check('16px "STIX Two Math"', "x"))).toBe(true);
  expect(fetched).toHaveLength(1);
});
