import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Rule } from '../../src/conformance/framework/rule.ts';
import { allRules, runRule } from '../../src/conformance/runner.ts';
import { type EmbeddedSubject, startEmbeddedSubject } from './embedded-subject.ts';

const ALLOWED = new Set(['credits', 'faults'] as const);
/** Rules no service alone can show. */
const ELSEWHERE = ['command-line'];

describe('the embedded service, through the client and with plain HTTP', () => {
  let embedded: EmbeddedSubject;
  beforeAll(async () => {
    embedded = await startEmbeddedSubject();
  });
  afterAll(() => embedded[Symbol.asyncDispose]());

  const checked = allRules.filter((rule) => !rule.needs.includes('burst') && !ELSEWHERE.includes(rule.id));
  for (const [heading, rows] of Map.groupBy(checked, (rule: Rule) => rule.section)) {
    describe(heading, () => {
      it.for(rows.map((rule) => [rule.statement, rule] as const))('%s', async ([, rule]) => {
        const { outcome, reason } = await runRule(rule, embedded.subject, ALLOWED);
        expect({ outcome, reason }).toEqual({ outcome: 'pass', reason: undefined });
      });
    });
  }
});

describe('the embedded service at its own rate limit', () => {
  it.for(allRules.filter((rule) => rule.needs.includes('burst')).map((rule) => [rule.statement, rule] as const))(
    '%s',
    async ([, rule]) => {
      await using embedded = await startEmbeddedSubject({ requestsPerMinute: 60 });
      const { outcome, reason } = await runRule(rule, embedded.subject, new Set(['burst']));
      expect({ outcome, reason }).toEqual({ outcome: 'pass', reason: undefined });
    },
  );
});

it('the rules themselves have ids of their own', () => {
  expect(new Set(allRules.map((rule) => rule.id)).size).toBe(allRules.length);
});
