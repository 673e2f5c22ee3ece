// node scripts/test-summary.mjs RESULTS.json [RESULTS.json …]
// Reads the output of vitest's JSON reporter and prints one line on stdout: 'N passed, N failed'. Of a file that several runs
// have tried, the last one counts. Everything else goes to stderr. Exit 0 only when tests ran, all of them, and all passed.
//
// node scripts/test-summary.mjs --skipped RESULTS.json
// Prints the files in which tests were skipped, a line each.
import { readFileSync } from 'node:fs';

const SKIPPED = ['skipped', 'pending', 'todo', 'disabled'];

/** Test results as counts, with other reasons for a failed run. */
function summarize(runs) {
  const files = [...new Map(runs.flatMap(({ testResults }) => testResults.map((file) => [file.name, file]))).values()];
  const tests = files.flatMap((file) => file.assertionResults);
  const count = (...statuses) => tests.filter((test) => statuses.includes(test.status)).length;
  // A file that does not load (or whose hooks fail) has no failed test of its own, and must count as a failure.
  const brokenFiles = files.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((test) => test.status === 'failed'),
  );
  const passed = count('passed');
  const failed = count('failed') + brokenFiles.length;
  const notRun = count(...SKIPPED);
  const problems = [
    ...brokenFiles.map((file) => `${file.name} failed as a whole: ${file.message?.split('\n')[0] || 'see above'}`),
    ...(notRun > 0 ? [`${notRun} did not run: here nothing may be skipped`] : []),
    ...(passed + failed === 0 ? ['no test ran'] : []),
    ...(failed === 0 && runs.some(({ success }) => success === false)
      ? ['vitest reports errors outside of the tests (above)']
      : []),
  ];
  return { passed, failed, problems };
}

function printSkipped(path) {
  const { testResults } = JSON.parse(readFileSync(path, 'utf8'));
  for (const { name, assertionResults } of testResults) {
    if (assertionResults.some(({ status }) => SKIPPED.includes(status))) console.log(name);
  }
}

function printSummary(paths) {
  let summary = { passed: 0, failed: 0, problems: [] };
  try {
    summary = summarize(paths.map((path) => JSON.parse(readFileSync(path, 'utf8'))));
  } catch (error) {
    summary.problems.push(`there are no test results: ${error.message}`);
  }
  for (const problem of summary.problems) console.error(problem);
  console.log(`${summary.passed} passed, ${summary.failed} failed`);
  process.exitCode = summary.failed > 0 || summary.problems.length > 0 ? 1 : 0;
}

const [first, ...rest] = process.argv.slice(2);
if (first === '--skipped') printSkipped(rest[0]);
else printSummary([first, ...rest]);
