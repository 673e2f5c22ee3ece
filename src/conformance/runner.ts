import type { Need, Rule } from './framework/rule.ts';
import { NotApplicable, type Subject } from './framework/subject.ts';
import { endpointRules } from './rules/endpoints.ts';
import { requestRules } from './rules/requests.ts';
import { resourceRules } from './rules/resources.ts';

export const allRules: readonly Rule[] = [...resourceRules, ...requestRules, ...endpointRules];

export interface RuleResult {
  readonly rule: Rule;
  /** `differs`: the service lacks a behavior that other services show, but that the API document does not require. */
  readonly outcome: 'pass' | 'fail' | 'differs' | 'not-applicable';
  readonly reason: string | undefined;
}

const WHY_NOT: Readonly<Record<Need, string>> = {
  credits: 'would spend credits (--spend)',
  burst: "would use up the key's rate limit (--burst)",
  faults: 'needs a service that fails on command',
};

export async function runRule(rule: Rule, subject: Subject, allowed: ReadonlySet<Need>): Promise<RuleResult> {
  const result = (outcome: RuleResult['outcome'], reason?: string): RuleResult => ({ rule, outcome, reason });
  const missing = rule.needs.find((need) => !allowed.has(need));
  if (missing !== undefined) return result('not-applicable', WHY_NOT[missing]);
  try {
    await rule.check(subject);
    return result('pass');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (error instanceof NotApplicable) return result('not-applicable', reason);
    return result(rule.source === 'document' ? 'fail' : 'differs', reason);
  } finally {
    subject.faults?.clear();
  }
}

/** Checks each conformance rule only when its result is requested, and ends early if the subject's signal aborts. */
export async function* runRules(
  rules: readonly Rule[],
  subject: Subject,
  allowed: ReadonlySet<Need>,
): AsyncGenerator<RuleResult, void> {
  const { signal } = subject;
  const stopped = new Promise<undefined>((resolve) => signal.addEventListener('abort', () => resolve(undefined)));
  for (const rule of rules) {
    const result = signal.aborted ? undefined : await Promise.race([runRule(rule, subject, allowed), stopped]);
    // An interrupted conformance rule says nothing about the speech service, so its result is dropped.
    if (result === undefined || signal.aborted) return;
    yield result;
  }
}

const WORDS: Readonly<Record<RuleResult['outcome'], string>> = {
  pass: 'pass',
  fail: 'FAIL',
  differs: 'differs',
  'not-applicable': 'n/a',
};
const WIDTH = Math.max(...Object.values(WORDS).map((word) => word.length));

export function line(result: RuleResult, previous: RuleResult | undefined): string {
  const { rule, outcome, reason } = result;
  const heading = previous?.rule.section === rule.section ? '' : `\n${rule.section}\n`;
  const source = rule.source === 'observed' ? ' (observed)' : '';
  const because = reason === undefined ? '' : ` — ${reason.replace(/\s+/g, ' ').slice(0, 200)}`;
  return `${heading}  ${WORDS[outcome].padEnd(WIDTH)}  ${rule.id.padEnd(36)} ${rule.statement}${source}${because}\n`;
}

export function summary(results: readonly RuleResult[]): string {
  const count = (outcome: RuleResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  return (
    `\n${results.length} ${results.length === 1 ? 'rule' : 'rules'}: ${count('pass')} pass, ${count('fail')} fail, ${count('not-applicable')} not applicable, ` +
    `${count('differs')} differ from what was observed elsewhere (the document does not ask for those).\n`
  );
}
