import { describe, expect, test } from 'vitest';
import { makeCheckout } from './checkout.ts';

type Status = 'passed' | 'failed' | 'skipped' | 'pending' | 'todo';

let files = 0;
const file = (statuses: Status[], status = statuses.includes('failed') ? 'failed' : 'passed') => ({
  name: `${files++}/some.test.ts`,
  status,
  message: '',
  assertionResults: statuses.map((each) => ({ status: each })),
});

function summarize(testResults: unknown[], success = true) {
  const checkout = makeCheckout();
  checkout.write('results.json', JSON.stringify({ success, testResults }));
  return checkout.run('test-summary.mjs', { args: ['results.json'] });
}

describe('the closing line of a test run', () => {
  test('counts a file that does not load as failed, and fails when a test was skipped', () => {
    const { status, stdout, stderr } = summarize([file(['passed']), file([], 'failed')], false);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '1 passed, 1 failed\n' });
    expect(stderr).toContain('some.test.ts failed as a whole');
    expect(summarize([file(['passed', 'skipped'])])).toMatchObject({ status: 1, stdout: '1 passed, 0 failed\n' });
  });

  test('takes the last run of a file that was tried again with what it had lacked', () => {
    const checkout = makeCheckout();
    const [whole, partly] = [file(['passed']), file(['passed', 'skipped'])];
    checkout.write('first.json', JSON.stringify({ success: true, testResults: [whole, partly] }));
    const again = { ...partly, assertionResults: [{ status: 'passed' }, { status: 'passed' }] };
    checkout.write('again.json', JSON.stringify({ success: true, testResults: [again] }));
    expect(checkout.run('test-summary.mjs', { args: ['--skipped', 'first.json'] }).stdout).toBe(`${partly.name}\n`);
    const all = checkout.run('test-summary.mjs', { args: ['first.json', 'again.json'] });
    expect(all).toEqual({ status: 0, stdout: '3 passed, 0 failed\n', stderr: '' });
  });
});
