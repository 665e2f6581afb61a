// An address that leads nowhere.
import { expect, test } from "../support/stories.js";

for (const path of ["/s/no-such-session", "/no/such/page"]) {
  test(`${path} says so and shows a way on`, async ({ chat, page, bough, complaints }) => {
    complaints.expect(/status of 404/);
    const response = await page.goto(bough.url + path);
    expect(response?.status()).toBe(404);
    await chat.ready();
    await expect(page.getByRole("main")).toContainText(/There is no (chat|page) at this address/);
    await page.getByRole("main").getByRole("link", { name: "Start a new chat" }).click();
    await expect(page).toHaveURL(`${bough.url}/`);
    await expect(chat.composer).toBeVisible();
  });
}

test("what looks like a file is a plain 404", async ({ request, bough }) => {
  for (const path of ["/pkg/nothing.wasm", "/nothing.png", "/robots.backup.txt"]) {
    const response = await request.get(bough.url + path);
    expect([response.status(), response.headers()["content-type"]]).toEqual([404, "text/plain; charset=utf-8"]);
  }
});
