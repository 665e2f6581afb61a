// Prints the figures of all measurements as one table, and why a measurement could not be made.
import type { FullResult, Reporter, TestCase, TestResult } from "@playwright/test/reporter";
import { FIGURE, type Figure } from "./figures.js";

class FiguresTable implements Reporter {
  private readonly rows: Figure[] = [];
  private readonly failures: string[] = [];

  onTestBegin(test: TestCase): void {
    process.stderr.write(`measuring: ${test.title}\n`);
  }

  onTestEnd(test: TestCase, result: TestResult): void {
    for (const { type, description } of result.annotations) {
      if (type === FIGURE && description) this.rows.push(JSON.parse(description));
    }
    if (result.status === "passed") return;
    const reasons = result.errors.map((error) => error.message ?? error.value ?? "");
    this.failures.push(`could not measure: ${test.title}\n${reasons.join("\n")}`);
  }

  onEnd(result: FullResult): void {
    const head: Figure = { what: "what", aim: "aim", figure: "figure" };
    const wide = (column: "what" | "aim") => Math.max(...[head, ...this.rows].map((row) => row[column].length));
    const line = (row: Figure) => `${row.what.padEnd(wide("what"))}  ${row.aim.padEnd(wide("aim"))}  ${row.figure}`;
    console.log([head, ...this.rows].map(line).join("\n"));
    for (const failure of this.failures) console.error(`\n${failure}`);
    if (result.status === "passed" && this.rows.length === 0) console.error("nothing was measured");
  }

  printsToStdio(): boolean {
    return true;
  }
}

export default FiguresTable;
