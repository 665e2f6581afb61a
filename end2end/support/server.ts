// A Bough of one story: its own process, port and data folder, so that stories never meet.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "../..");
/** The server under test: the release build, or another one by `BOUGH_BINARY`. */
const binary = process.env.BOUGH_BINARY ?? join(root, "target/release/bough");
const READY_WITHIN_MS = 10_000;

export class Bough {
  private child: ChildProcess | undefined;
  private log = "";
  private readonly data = mkdtempSync(join(tmpdir(), "bough-story-"));

  private constructor(
    private readonly port: number,
    private readonly settings: Record<string, string>,
  ) {}

  /** Starts a server with these settings (`BOUGH_…`) and this text of `bough.toml`. */
  static async launch(settings: Record<string, string>, config = ""): Promise<Bough> {
    if (!existsSync(binary)) throw new Error(`there is no ${binary}; run .ci/build`);
    const bough = new Bough(await freePort(), settings);
    if (config) writeFileSync(join(bough.data, "bough.toml"), config);
    await bough.start();
    return bough;
  }

  /** Where the page is, without a slash at its end. */
  get url(): string {
    return `http://127.0.0.1:${this.port}${this.settings.BOUGH_BASE_PATH ?? ""}`;
  }

  /** Starts it (again), on the same port and the same data. */
  async start(): Promise<void> {
    const env = { PATH: process.env.PATH ?? "", HOME: this.data, BOUGH_LOG: "info", ...this.settings };
    const where = { BOUGH_DATA: this.data, BOUGH_ADDR: `127.0.0.1:${this.port}` };
    const child = spawn(binary, [], { cwd: root, env: { ...env, ...where }, stdio: ["ignore", "pipe", "pipe"] });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (this.log += text));
    const exited = new Promise<never>((_, reject) =>
      child.once("exit", (code) => reject(new Error(`the server ended at once (${code}):\n${this.log}`))),
    );
    exited.catch(() => undefined);
    await Promise.race([this.ready(), exited]);
  }

  /** Ends it without any warning, as a power cut would. */
  async kill9(): Promise<void> {
    await this.end("SIGKILL");
  }

  /** Ends it in good order. */
  async stop(): Promise<void> {
    await this.end("SIGTERM");
  }

  /** Ends it and removes its data. */
  async remove(): Promise<void> {
    await this.end("SIGKILL");
    rmSync(this.data, { recursive: true, force: true });
  }

  /** What it has logged. */
  get logged(): string {
    return this.log;
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await exited;
  }

  private async ready(): Promise<void> {
    const deadline = Date.now() + READY_WITHIN_MS;
    while (Date.now() < deadline) {
      const response = await fetch(`${this.url}/healthz`).catch(() => undefined);
      if (response?.ok) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    throw new Error(`the server is not ready after ${READY_WITHIN_MS} ms:\n${this.log}`);
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
