// A chat of any length as a file that the server imports: what it says is varied as real chats are, and always the same.
import { expect, type APIRequestContext } from "@playwright/test";

/** The id of the message with this number, from 0. */
export const messageId = (session: string, number: number): string => `${session}-m${number}`;

const PIECES = [
  "Herons stand still and wait; egrets stir the water with their feet. Both hunt by sight, so muddy water is bad for them.",
  "Three habits make restores boring:\n\n1. **Test one file a week.** A backup that was never restored is a hope.\n2. Keep one copy elsewhere.\n3. Write down the steps while you are calm.",
  "```sh\nrestic restore latest --target /tmp/check --include /srv/photos/2024\n```",
  "| copy | where | checked |\n|---|---|---|\n| first | the NAS | nightly |\n| second | off site | weekly |",
  "> A quoted line, with `code` and *stress*, and a [link](https://example.org/page).",
  "- one thing\n- another thing, with `code`\n- a third one that is long enough to need a second line on most screens, or nearly so",
];

function said(number: number): string {
  if (number % 2 === 0) return `Question ${number / 2 + 1}: what about part ${number % 7}?`;
  const count = 1 + (number % 4);
  const pieces = Array.from({ length: count }, (_, piece) => PIECES[(number + piece * 5) % PIECES.length]);
  return [`Answer ${(number + 1) / 2}.`, ...pieces].join("\n\n");
}

/** One session of the file. Every `forkEvery`-th answer has a second version, which is not the active one. */
export function longChat(session: string, count: number, forkEvery = 0): object {
  const start = Date.UTC(2026, 0, 1);
  const messages: object[] = [];
  const add = (id: string, parent: string | undefined, number: number) => {
    const role = number % 2 === 0 ? "user" : "assistant";
    const message = { id, role, parts: [{ type: "text", text: said(number), state: "done" }] };
    const seq = messages.length + 1;
    messages.push({ id, parent_id: parent, seq, created_at: start + number * 60_000, message });
  };
  let parent: string | undefined;
  for (let number = 0; messages.length < count; number++) {
    if (forkEvery > 0 && number % forkEvery === 1) add(`${messageId(session, number)}-other`, parent, number);
    add(messageId(session, number), parent, number);
    parent = messageId(session, number);
  }
  return {
    id: session,
    name: `Chat ${session}`,
    created_at: start,
    updated_at: start + count * 60_000,
    active_leaf: parent,
    last_seq: messages.length,
    messages,
    deletions: [],
    summaries: [],
  };
}

/** A session of one question and this answer. */
export function longAnswer(session: string, text: string): object {
  const start = Date.UTC(2026, 0, 1);
  const message = (number: number, role: string, text: string) => ({
    id: messageId(session, number),
    parent_id: number === 0 ? undefined : messageId(session, number - 1),
    seq: number + 1,
    created_at: start + number,
    message: { id: messageId(session, number), role, parts: [{ type: "text", text, state: "done" }] },
  });
  return { ...longChat(session, 0), active_leaf: messageId(session, 1), last_seq: 2, messages: [message(0, "user", "Go."), message(1, "assistant", text)] };
}

/** Hands sessions to the server. */
export async function importChats(request: APIRequestContext, base: string, sessions: object[]): Promise<void> {
  const url = `${base}/api/v1/agents/assistant/default/import`;
  const data = { format: "bough", version: 1, exported_at: Date.UTC(2026, 5, 1), sessions };
  const response = await request.post(url, { data, headers: { origin: base }, timeout: 120_000 });
  expect(response.status(), await response.text()).toBe(200);
  const report: { sessions: { status: string; problem?: string }[] } = await response.json();
  expect(report.sessions.filter(({ status, problem }) => status !== "imported" || problem)).toEqual([]);
  expect(report.sessions).toHaveLength(sessions.length);
}
