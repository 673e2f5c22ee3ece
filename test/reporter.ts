import type { Reporter, TestModule } from 'vitest/node';

const SLOWEST = 20;

/** Says at the end which files took longest, and as the last line how many tests passed, failed and were skipped. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const seconds = (module: TestModule) => module.diagnostic().duration / 1_000;
    const slowest = modules.toSorted((a, b) => seconds(b) - seconds(a)).slice(0, SLOWEST);
    const lines = slowest.map((module) => `${seconds(module).toFixed(1).padStart(7)} s  ${module.relativeModuleId}`);
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules) {
      let failedTests = 0;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        counts[state] += 1;
        if (state === 'failed') failedTests += 1;
      }
      // A file that does not load, or whose hooks fail, has no failed test of its own.
      if (module.state() === 'failed' && failedTests === 0) counts.failed += 1;
    }
    const skipped = counts.skipped + counts.pending;
    const ended = `${counts.passed} passed, ${counts.failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
    console.log(`\nThe files that took longest:\n${lines.join('\n')}\n\n${ended}`);
  }
}
