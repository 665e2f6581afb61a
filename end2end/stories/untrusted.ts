// I08, I11: whatever a person, a model, a tool, a title, a block or a file name says stays text.
import { calls, expect, reply, test, text } from "../support/stories.js";

const API = "/api/v1/agents/assistant/default";

const EVIL = [
  '<img src=x onerror="window.caught=1">',
  '<svg onload="window.caught=1"></svg>',
  '<iframe srcdoc="<script>parent.caught=1</script>"></iframe>',
  "<script>window.caught=1</script>",
  "<style>body { display: none }</style>",
  '<meta http-equiv="refresh" content="0;url=https://example.org">',
  '<base href="https://example.org/">',
  '<form action="https://example.org"><input name=a></form>',
  "[one](javascript:window.caught=1) [two](data:text/html,<script>1</script>)",
  "<select><option>A</option></select>",
].join("\n\n");

test.use({ config: '[agents.assistant]\ntools = ["demo"]\n' });

test("markup from anywhere is shown and never runs", async ({ bough, chat, page, provider, request }) => {
  const written = await request.put(`${bough.url}${API}/blocks/memory`, { data: { content: EVIL } });
  expect(written.ok(), await written.text()).toBe(true);
  provider.will(reply(calls({ add: { a: 1, b: 2, note: EVIL } })), reply(text(EVIL)));
  await chat.open("/");
  const name = '<img src=x onerror="window.caught=1">.txt';
  await page.getByLabel("Attach files").setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(EVIL) });
  await chat.say(EVIL);
  await page.waitForURL(/\/s\//);
  await chat.settled();
  const path = new URL(page.url()).pathname;
  const session = `${bough.url}${API}/sessions/${path.split("/").pop()}`;
  expect((await request.patch(session, { data: { name: EVIL.split("\n")[0] } })).ok()).toBe(true);
  await expect(chat.session(/onerror/)).toBeVisible();
  await page.keyboard.press("Control+Shift+E");
  await expect(chat.panel).toContainText("http-equiv");

  for (const visit of ["live", "after a reload"]) {
    if (visit !== "live") await chat.reload();
    await expect(chat.questions).toContainText("<select><option>A</option></select>");
    await expect(chat.answer).toContainText('<svg onload="window.caught=1"></svg>');
    const made = page.locator("main, aside, nav").locator("iframe, script, style, meta, base, form, select, img[src='x']");
    await expect(made, visit).toHaveCount(0);
    await expect(page.locator('a[href^="javascript"], a[href^="data"]'), visit).toHaveCount(0);
    expect(await page.evaluate(() => "caught" in window), visit).toBe(false);
  }
  const policy = (await request.get(bough.url + path)).headers()["content-security-policy"] ?? "";
  const scripts = policy.split(";").find((part) => part.trim().startsWith("script-src")) ?? "";
  expect(scripts).toContain("'nonce-");
  expect(scripts).not.toContain("'unsafe-inline'");
});
