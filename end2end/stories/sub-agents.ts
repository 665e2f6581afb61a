// Another agent that is called: its card says what it does while it works, what came of it, and leads to its chat.
import { calls, expect, hold, httpError, reply, test, text } from "../support/stories.js";

test.use({ config: "[agents.assistant]\nagents = ['research']\n[agents.research]\nsystem_prompt = 'You find things out.'\ntools = ['demo']\n" });

const call = calls({ research: { task: "How high is it?" } });

test("a called agent shows its steps, its answer, its chat and what it used", async ({ chat, page, provider }) => {
  provider.will(
    reply(call),
    reply(text("I shall add it up.\n"), calls({ add: { a: 2000, b: 469 } })),
    reply(text("The survey says:\n"), hold(), text("It is **2469 m** high.")),
    reply(text("Galdhøpiggen is 2469 m high.")),
  );
  const path = await chat.begin("how high is Galdhøpiggen");
  const card = chat.answer.locator(".fold-card").filter({ hasText: "research" });
  await expect(card).toContainText("running…");
  const steps = chat.answer.getByRole("list", { name: "What it does" });
  await expect(steps.getByRole("listitem")).toHaveText(["I shall add it up.", "add", "The survey says:"]);
  const link = chat.answer.getByRole("link", { name: "Open its chat" });
  await expect(link).toBeVisible();
  provider.release();
  await expect(chat.answer).toContainText("Galdhøpiggen is 2469 m high.");
  await chat.settled();
  await expect(steps).toHaveCount(0);
  await expect(card).toContainText("done");
  await card.locator("summary").click();
  await expect(card).toContainText("How high is it?");
  await expect(card.getByText("2469 m", { exact: true })).toHaveCSS("font-weight", "650");
  await expect(chat.answer.getByText(/messages · read 24, wrote 10 tokens/)).toBeVisible();

  // After a reload it is all still there, and the link leads to the child, which stands below its parent.
  await chat.reload();
  await expect(card).toContainText("done");
  await link.click();
  await expect(page).not.toHaveURL(new RegExp(`${path}$`));
  await expect(chat.questions).toContainText("How high is it?");
  await expect(chat.answers.last()).toContainText("2469 m");
  await expect(chat.sidebar.locator(".session-row.is-below.is-current")).toContainText("How high is it?");
  await page.goBack();
  await expect(chat.answer).toContainText("Galdhøpiggen is 2469 m high.");
});

test("an agent that did not finish says why, and its chat can be read", async ({ chat, page, provider, complaints }) => {
  complaints.expect(/status of 500/);
  provider.will(reply(call), httpError(400, "no such model"), reply(text("It could not be found out.")));
  await chat.begin("how high is it");
  await expect(chat.answer).toContainText("It could not be found out.");
  await chat.settled();
  const card = chat.answer.locator(".fold-card").filter({ hasText: "research" });
  await expect(card).toContainText("failed");
  await card.locator("summary").click();
  await expect(card).toContainText("no such model");
  await chat.answer.getByRole("link", { name: "Open its chat" }).click();
  await expect(chat.questions).toContainText("How high is it?");
  await expect(page.getByRole("main")).toContainText("no such model");
});
