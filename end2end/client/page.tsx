// A front end of somebody else: the public React client, as its own users write it, pointed at a Bough.
import { useAgentChat } from "@cloudflare/ai-chat/react";
import { useAgent } from "agents/react";
import type { UIMessage } from "ai";
import { type FormEvent, Suspense, useState } from "react";
import { createRoot } from "react-dom/client";

type ToolPart = {
  type: string;
  toolCallId: string;
  state: string;
  input?: unknown;
  output?: unknown;
  approval?: { id: string };
};

const isTool = (part: { type: string }) => part.type.startsWith("tool-") || part.type === "dynamic-tool";

const tools = {
  where_am_i: {
    description: "Tells where the browser is.",
    parameters: { type: "object", properties: {} } as const,
    execute: async () => ({ city: "Oslo" }),
  },
};

/** The address may name another session for the requests of this page. */
const session = new URLSearchParams(location.search).get("session");

type Deeds = { answer: (id: string, approved: boolean) => void; edit: (id: string, text: string) => void };

function Message({ message, answer, edit }: { message: UIMessage } & Deeds) {
  const words = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const calls = message.parts.filter(isTool) as unknown as ToolPart[];
  return (
    <article data-role={message.role} data-id={message.id}>
      <p>{words.join("|")}</p>
      {message.role === "user" && <button onClick={() => edit(message.id, `${words.join()}!`)}>Louder</button>}
      {calls.map((call) => (
        <div key={call.toolCallId} data-tool={call.type} data-state={call.state}>
          {JSON.stringify(call.output ?? null)}
          {call.state === "approval-requested" && call.approval && (
            <>
              <button onClick={() => answer(call.approval!.id, true)}>Approve</button>
              <button onClick={() => answer(call.approval!.id, false)}>Reject</button>
            </>
          )}
        </div>
      ))}
    </article>
  );
}

function Chat() {
  const agent = useAgent({ agent: "assistant", name: "default" });
  const [errors, setErrors] = useState<string[]>([]);
  const chat = useAgentChat({
    agent,
    tools,
    body: session === null ? undefined : { sessionId: session, tone: "dry" },
    onToolCall: async ({ toolCall: { toolCallId, toolName }, addToolOutput }) => {
      if (toolName === "where_am_i") addToolOutput({ toolCallId, output: await tools.where_am_i.execute() });
    },
    onError: (error: Error) => setErrors((all) => [...all, error.message]),
  });
  const [text, setText] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void chat.sendMessage({ text });
    setText("");
  };
  const edit = (messageId: string, louder: string) => void chat.sendMessage({ text: louder, messageId });
  const answer = (id: string, approved: boolean) => chat.addToolApprovalResponse({ id, approved });
  return (
    <main data-status={chat.status} data-recovering={chat.isRecovering}>
      {chat.messages.map((message) => (
        <Message key={message.id} message={message} answer={answer} edit={edit} />
      ))}
      {errors.map((error, at) => (
        <p key={at} role="alert">
          {error}
        </p>
      ))}
      <form onSubmit={submit}>
        <input aria-label="Message" value={text} onChange={(event) => setText(event.target.value)} />
        <button>Send</button>
      </form>
      <button onClick={() => void chat.stop()}>Stop</button>
      <button onClick={() => void chat.regenerate()}>Regenerate</button>
      <button onClick={() => chat.clearHistory()}>Clear</button>
    </main>
  );
}

createRoot(document.getElementById("root")!).render(
  <Suspense fallback={<p>Loading</p>}>
    <Chat />
  </Suspense>,
);
