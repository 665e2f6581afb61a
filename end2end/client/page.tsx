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

function Message({ message, answer }: { message: UIMessage; answer: (id: string, approved: boolean) => void }) {
  const words = message.parts.flatMap((part) => (part.type === "text" ? [part.text] : []));
  const calls = message.parts.filter(isTool) as unknown as ToolPart[];
  return (
    <article data-role={message.role} data-id={message.id}>
      <p>{words.join("|")}</p>
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
  const answer = (id: string, approved: boolean) => chat.addToolApprovalResponse({ id, approved });
  return (
    <main data-status={chat.status}>
      {chat.messages.map((message) => (
        <Message key={message.id} message={message} answer={answer} />
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
