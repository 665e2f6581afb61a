// What a measurement has found, for the table that `support/figures-table.ts` prints.
import type { TestInfo } from "@playwright/test";

/** One line of the table. */
export type Figure = { what: string; aim: string; figure: string };

/** The kind of annotation that carries a figure from a measurement to the table. */
export const FIGURE = "figure";

/** Adds lines to the table. */
export function note(info: TestInfo, ...figures: Figure[]): void {
  info.annotations.push(...figures.map((figure) => ({ type: FIGURE, description: JSON.stringify(figure) })));
}

/** So many of all, in whole per cent. */
export function share(some: number, all: number): string {
  return all === 0 ? "-" : `${((100 * some) / all).toFixed(1)} %`;
}

export function ms(value: number): string {
  return `${Math.round(value)} ms`;
}

export function kb(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}

export function mb(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** The value that this share of all values does not exceed. */
export function percentile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
