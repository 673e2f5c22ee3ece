import type { RuleResult } from './runner.ts';

const WORDS: Readonly<Record<RuleResult['outcome'], string>> = {
  pass: 'pass',
  fail: 'FAIL',
  differs: 'differs',
  'not-applicable': 'n/a',
};
const WIDTH = Math.max(...Object.values(WORDS).map((word) => word.length));

/** The line of one rule, after a heading when a section begins. */
export function line(result: RuleResult, previous: RuleResult | undefined): string {
  const { rule, outcome, reason } = result;
  const heading = previous?.rule.section === rule.section ? '' : `\n${rule.section}\n`;
  const source = rule.source === 'observed' ? ' (observed)' : '';
  const because = reason === undefined ? '' : ` — ${reason.replace(/\s+/g, ' ').slice(0, 200)}`;
  return `${heading}  ${WORDS[outcome].padEnd(WIDTH)}  ${rule.id.padEnd(36)} ${rule.statement}${source}${because}\n`;
}

/** How many rules came out which way. */
export function summary(results: readonly RuleResult[]): string {
  const count = (outcome: RuleResult['outcome']) => results.filter((result) => result.outcome === outcome).length;
  return (
    `\n${results.length} ${results.length === 1 ? 'rule' : 'rules'}: ${count('pass')} pass, ${count('fail')} fail, ${count('not-applicable')} not applicable, ` +
    `${count('differs')} differ from what was observed elsewhere (the document does not ask for those).\n`
  );
}
