// node scripts/test-summary.mjs RESULTS.json
// Reads the output of vitest's JSON reporter and prints one line on stdout: 'N passed, N failed'. Everything else goes to
// stderr. Exit 0 only when tests ran, all of them, and all passed.
import { readFileSync } from 'node:fs';

/** Test results as counts, with other reasons for a failed run. */
function summarise(results) {
  const tests = results.testResults.flatMap((file) => file.assertionResults);
  const count = (...statuses) => tests.filter((test) => statuses.includes(test.status)).length;
  // A file that does not load (or whose hooks fail) has no failed test of its own, and must count as a failure.
  const brokenFiles = results.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const passed = count('passed');
  const failed = count('failed') + brokenFiles.length;
  const notRun = count('skipped', 'pending', 'todo', 'disabled');
  const problems = [
    ...brokenFiles.map((file) => `${file.name} failed as a whole: ${file.message?.split('\n')[0] || 'see above'}`),
    ...(notRun > 0 ? [`${notRun} did not run: here nothing may be skipped`] : []),
    ...(passed + failed === 0 ? ['no test ran'] : []),
    ...(failed === 0 && results.success === false ? ['vitest reports errors outside of the tests (above)'] : []),
  ];
  return { passed, failed, problems };
}

let summary = { passed: 0, failed: 0, problems: [] };
try {
  summary = summarise(JSON.parse(readFileSync(process.argv[2], 'utf8')));
} catch (error) {
  summary.problems.push(`there are no test results: ${error.message}`);
}
for (const problem of summary.problems) console.error(problem);
console.log(`${summary.passed} passed, ${summary.failed} failed`);
process.exitCode = summary.failed > 0 || summary.problems.length > 0 ? 1 : 0;
