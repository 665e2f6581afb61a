// What the browser's main thread was busy with: frames that it showed and tasks that were too long.
import type { Page } from "@playwright/test";
import { ms, percentile, share, type Figure } from "./figures.js";

/** What was seen: times between frames, and how long tasks took that the browser calls long, by the clock and by what the
 * thread itself did; on a machine with other work the clock also counts the waiting. */
export type Seen = { frames: number[]; byClock: number[]; byThread: number[] };

type Event = { name: string; pid: number; tid: number; ts: number; dur?: number; tdur?: number };

const LONG_TASK_MS = 50;

/** Watches the page while `act` runs. What `act` asks the page for costs the page time too: it should ask for little. */
export async function watch(page: Page, act: () => Promise<void>): Promise<Seen> {
  const browser = page.context().browser();
  if (!browser) throw new Error("the page has no browser to trace");
  await page.evaluate(() => {
    const seen = { frames: [] as number[], last: 0, isOn: true };
    Object.assign(window, { seen });
    const frame = (now: number) => {
      if (!seen.isOn) return;
      if (seen.last > 0) seen.frames.push(now - seen.last);
      seen.last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  await browser.startTracing(page, { categories: ["devtools.timeline", "disabled-by-default-devtools.timeline"] });
  await act();
  const trace: { traceEvents: Event[] } = JSON.parse((await browser.stopTracing()).toString());
  const frames = await page.evaluate(() => {
    const { seen } = window as unknown as { seen: { frames: number[]; isOn: boolean } };
    seen.isOn = false;
    return seen.frames;
  });
  return { frames, ...longTasks(trace.traceEvents) };
}

/** Tasks of the thread that laid out the page. */
function longTasks(events: Event[]): Pick<Seen, "byClock" | "byThread"> {
  const threads = new Map<string, number>();
  const thread = ({ pid, tid }: Event) => `${pid}-${tid}`;
  for (const event of events.filter(({ name }) => name === "UpdateLayoutTree")) {
    threads.set(thread(event), (threads.get(thread(event)) ?? 0) + 1);
  }
  const [main] = [...threads].sort((a, b) => b[1] - a[1])[0] ?? [];
  const tasks = events.filter((event) => event.name === "RunTask" && thread(event) === main);
  if (tasks.length === 0) throw new Error("the trace holds no task of the page");
  const long = (times: (number | undefined)[]) => times.map((time) => (time ?? 0) / 1000).filter((time) => time > LONG_TASK_MS);
  return { byClock: long(tasks.map(({ dur }) => dur)), byThread: long(tasks.map(({ tdur }) => tdur)) };
}

/** Lets the page have only a part of the machine. */
export async function throttle(page: Page, rate: number): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setCPUThrottlingRate", { rate });
}

/** The lines about frames. A frame of a 60-Hz screen takes 16.7 ms; the browser's clock is coarser than that. */
export function framesOf(what: string, { frames }: Seen): Figure[] {
  const below = (limit: number) => share(frames.filter((frame) => frame < limit + 0.5).length, frames.length);
  const worst = `${ms(percentile(frames, 0.99))} / ${ms(Math.max(0, ...frames))}`;
  return [
    { what: `${what}: frames within 17 ms`, aim: "> 95 %", figure: `${below(17)} of ${frames.length}` },
    { what: `${what}: frames within 33 ms`, aim: "> 99 %", figure: below(33) },
    { what: `${what}: frame, p99 / longest`, aim: "< 33 ms", figure: worst },
  ];
}

/** The lines about long tasks. */
export function longTasksOf(what: string, seen: Seen): Figure[] {
  const told = (tasks: number[]) => (tasks.length === 0 ? "none" : `${tasks.length}, longest ${ms(Math.max(...tasks))}`);
  return [
    { what: `${what}: tasks over ${LONG_TASK_MS} ms of the thread`, aim: "none", figure: told(seen.byThread) },
    { what: `${what}: the same by the clock, other programs included`, aim: "none", figure: told(seen.byClock) },
  ];
}

/** Turns the wheel over the middle of a box until it has moved so far, as a person does: many small steps. */
export async function wheel(page: Page, selector: string, distance: number, speed = 6_000): Promise<void> {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`there is no ${selector}`);
  const client = await page.context().newCDPSession(page);
  await client.send("Input.synthesizeScrollGesture", {
    x: Math.round(box.x + box.width / 2),
    y: Math.round(box.y + box.height / 2),
    yDistance: -distance,
    speed,
    preventFling: true,
    gestureSourceType: "mouse",
  });
  await client.detach();
}
