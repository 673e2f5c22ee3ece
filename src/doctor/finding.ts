import { unknownAuthority } from '../network/connection-errors.ts';

export interface Finding {
  readonly subject: string;
  /** 'attention': the checked thing works, but not as well as it could. 'blocking': the bot cannot run. */
  readonly verdict: 'good' | 'attention' | 'blocking';
  readonly found: string;
  readonly means: string | undefined;
  readonly remedy: string | undefined;
}

type Report = (subject: string, found: string, means?: string, remedy?: string) => Finding;

const reporting =
  (verdict: Finding['verdict']): Report =>
  (subject, found, means, remedy) => ({ subject, verdict, found, means, remedy });

export const good = reporting('good');
export const attention = reporting('attention');
export const blocking = reporting('blocking');

/** Returns only the first line of an error's message, because the others are stacks and lists of modules. */
export function reason(error: unknown): string {
  // An error of `fetch` says only that it failed; its `cause` has the reason. If several addresses were tried, the
  // cause has a code instead of a message.
  const cause = error instanceof TypeError && error.cause instanceof Error ? error.cause : undefined;
  const authority = unknownAuthority(cause ?? error);
  if (authority !== undefined) return authority;
  if (cause !== undefined) {
    const { message, code } = cause as NodeJS.ErrnoException;
    return message || code || (error as TypeError).message;
  }
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n')[0] || 'unknown error';
}

export const canRun = (findings: readonly Finding[]): boolean =>
  findings.every(({ verdict }) => verdict !== 'blocking');

const MARKS = { good: '✔', attention: '!', blocking: '✘' } as const;

export function describeFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const indent = ' '.repeat(width + 4);
  const lines = findings.flatMap(({ subject, verdict, found, means, remedy }) => [
    `${MARKS[verdict]} ${subject.padEnd(width)}  ${found.replaceAll('\n', `\n${indent}  `)}`,
    ...[means, remedy].filter((one) => one !== undefined).map((one) => `${indent}→ ${one}`),
  ]);
  const problems = findings.filter(({ verdict }) => verdict === 'blocking').length;
  const count = problems === 1 ? 'one problem' : `${problems} problems`;
  const conclusion = problems === 0 ? 'Crier can run here.' : `Crier cannot run yet: ${count} (✘).`;
  return `${lines.join('\n')}\n\n${conclusion}\n`;
}
