// A scripted provider with the API of OpenAI. Each call plays the next reply; nothing moves by the clock: where a reply
// holds, it waits until the story says `release()`.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

type Step =
  | { kind: "piece"; delta: Record<string, unknown> }
  | { kind: "hold" }
  | { kind: "die" }
  | { kind: "error"; message: string };

export type Reply = { status: number; steps: Step[]; finish: string };

/** Pieces of text, each an event of its own. */
export const text = (...pieces: string[]): Step[] =>
  pieces.map((piece) => ({ kind: "piece", delta: { content: piece } }));
/** Pieces of reasoning. */
export const reasoning = (...pieces: string[]): Step[] =>
  pieces.map((piece) => ({ kind: "piece", delta: { reasoning_content: piece } }));
/** Calls of tools, by name with their arguments. */
export const calls = (all: Record<string, object>): Step[] =>
  Object.entries(all).map(([name, input], index) => {
    const call = { index, id: `call-${name}`, type: "function", function: { name, arguments: JSON.stringify(input) } };
    return { kind: "piece", delta: { tool_calls: [call] } };
  });
/** Waits until the story releases it, or the caller goes away. */
export const hold = (): Step[] => [{ kind: "hold" }];
/** Cuts the connection. */
export const die = (): Step[] => [{ kind: "die" }];
/** An error in the middle of the stream. */
export const errorChunk = (message: string): Step[] => [{ kind: "error", message }];

export const reply = (...steps: Step[][]): Reply => ({ status: 200, steps: steps.flat(), finish: "stop" });
/** A reply that ends for another reason, such as `length`. */
export const ends = (finish: string, ...steps: Step[][]): Reply => ({ ...reply(...steps), finish });
export const httpError = (status: number, message: string): Reply => ({
  status,
  steps: [{ kind: "error", message }],
  finish: "stop",
});

export type Call = {
  body: { model: string; stream?: boolean; messages: { role: string; content: unknown }[] };
  headers: IncomingMessage["headers"];
  /** Resolves when the connection of this call is gone: when that was, and whether the reply had been sent whole. */
  ended: Promise<{ at: number; whole: boolean }>;
};

export class Provider {
  /** Every chat call, in order. */
  readonly calls: Call[] = [];
  /** What went wrong on our side: a call that no reply was scripted for. */
  readonly surprises: string[] = [];
  private readonly script: Reply[] = [];
  private readonly held: (() => void)[] = [];
  private releases = 0;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Provider> {
    const server = createServer();
    const provider = new Provider(server);
    server.on("request", (request, response) => void provider.answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return provider;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** What the next calls are answered. */
  will(...replies: Reply[]): void {
    this.script.push(...replies);
  }

  /** Lets one hold go on, now or when it is reached. */
  release(): void {
    const next = this.held.shift();
    if (next) next();
    else this.releases++;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readJson(request);
    if (request.method === "GET" && request.url === "/v1/models") {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "scripted", object: "model" }] }));
      return;
    }
    const ended = new Promise<{ at: number; whole: boolean }>((resolve) =>
      response.once("close", () => resolve({ at: Date.now(), whole: response.writableFinished })),
    );
    this.calls.push({ body, headers: request.headers, ended });
    const reply = this.script.shift();
    if (!reply) {
      this.surprises.push(`no reply is scripted for call ${this.calls.length}`);
      await this.play(httpError(500, "no reply is scripted"), response);
      return;
    }
    await this.play(reply, response);
  }

  private async play(reply: Reply, response: ServerResponse): Promise<void> {
    if (reply.status !== 200) {
      const [step] = reply.steps;
      const message = step?.kind === "error" ? step.message : "failed";
      response.writeHead(reply.status, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: { message, type: "scripted" } }));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const gone = new Promise<void>((resolve) => response.once("close", resolve));
    for (const step of reply.steps) {
      if (step.kind === "piece") await this.send(response, { choices: [{ index: 0, delta: step.delta }] });
      if (step.kind === "error") await this.send(response, { error: { message: step.message, type: "scripted" } });
      if (step.kind === "hold") await Promise.race([this.wait(), gone]);
      if (step.kind === "die") response.destroy();
      if (response.destroyed) return;
    }
    await this.send(response, { choices: [{ index: 0, delta: {}, finish_reason: reply.finish }] });
    await this.send(response, { choices: [], usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 } });
    response.end("data: [DONE]\n\n");
  }

  /** Sends an event and waits until the system has it, or nobody wants it any more. */
  private send(response: ServerResponse, event: object): Promise<void> {
    const head = { id: "scripted-1", object: "chat.completion.chunk", created: 1, model: "scripted" };
    const line = `data: ${JSON.stringify({ ...head, ...event })}\n\n`;
    return new Promise((resolve) => {
      response.once("close", resolve);
      response.write(line, () => {
        response.off("close", resolve);
        resolve();
      });
    });
  }

  private wait(): Promise<void> {
    if (this.releases > 0) {
      this.releases--;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.held.push(resolve));
  }
}

async function readJson(request: IncomingMessage): Promise<Call["body"]> {
  let text = "";
  for await (const piece of request) text += piece;
  return text ? JSON.parse(text) : { model: "", messages: [] };
}
