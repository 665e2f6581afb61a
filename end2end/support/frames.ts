// What the browser's main thread was busy with: frames that it showed and tasks that were too long.
import type { Page } from "@playwright/test";
import { ms, percentile, share, type Figure } from "./figures.js";

type Seen = { frames: number[]; longTasks: number[] };

/** Watches the page while `act` runs. */
export async function watch(page: Page, act: () => Promise<void>): Promise<Seen> {
  await page.evaluate(() => {
    const seen = { frames: [] as number[], longTasks: [] as number[], last: performance.now(), isOn: true };
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      if (seen.isOn) seen.longTasks.push(...list.getEntries().map((entry) => entry.duration));
    }).observe({ type: "longtask" });
    const frame = (now: number) => {
      if (!seen.isOn) return;
      seen.frames.push(now - seen.last);
      seen.last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame((now) => {
      seen.last = now;
      requestAnimationFrame(frame);
    });
  });
  await act();
  return page.evaluate(async () => {
    const { seen } = window as unknown as { seen: Seen & { isOn: boolean } };
    // The observer hears of a task only after it.
    await new Promise((resolve) => setTimeout(resolve, 200));
    seen.isOn = false;
    return { frames: seen.frames, longTasks: seen.longTasks };
  });
}

/** Lets the page have only a part of the machine. */
export async function throttle(page: Page, rate: number): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send("Emulation.setCPUThrottlingRate", { rate });
}

/** The lines about frames. A frame of a 60-Hz screen takes 16.7 ms; the clock of the browser is coarser than that. */
export function framesOf(what: string, { frames }: Seen): Figure[] {
  const below = (limit: number) => share(frames.filter((frame) => frame < limit).length, frames.length);
  return [
    { what: `${what}: frames within 17 ms`, aim: "most", figure: `${below(17.5)} of ${frames.length}` },
    { what: `${what}: frames within 33 ms`, aim: "all", figure: below(33.8) },
    { what: `${what}: frame, p99 / longest`, aim: "< 33 ms", figure: `${ms(percentile(frames, 0.99))} / ${ms(Math.max(0, ...frames))}` },
  ];
}

/** The line about long tasks. */
export function longTasksOf(what: string, { longTasks }: Seen): Figure {
  const figure = longTasks.length === 0 ? "none" : `${longTasks.length}, longest ${ms(Math.max(...longTasks))}`;
  return { what: `${what}: tasks over 50 ms`, aim: "none", figure };
}

/** Turns the wheel over the middle of a box until it has moved so far, as a person does: many small steps. */
export async function wheel(page: Page, selector: string, distance: number): Promise<void> {
  const box = await page.locator(selector).boundingBox();
  if (!box) throw new Error(`there is no ${selector}`);
  const client = await page.context().newCDPSession(page);
  await client.send("Input.synthesizeScrollGesture", {
    x: Math.round(box.x + box.width / 2),
    y: Math.round(box.y + box.height / 2),
    yDistance: -distance,
    speed: 6_000,
    preventFling: true,
    gestureSourceType: "mouse",
  });
  await client.detach();
}
