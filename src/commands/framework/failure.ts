import { type Circumstances, explain, type Severity } from '../../errors/explain.ts';
import { DeliveryError, UserError } from '../../errors/user-errors.ts';
import { wasRemoved } from '../../services/queue/utterance.ts';
import type { Text } from '../../texts/catalogue.ts';

interface Failure {
  /** What its requester is told. */
  readonly lines: readonly Text[];
  readonly severity: Severity;
  /** For the log. */
  readonly facts: { readonly outcome: 'removed' | 'refused' | 'failed' } & Readonly<Record<string, unknown>>;
}

/** How what was asked for failed, in words and for the log. */
export function failureOf(error: unknown, circumstances: Circumstances): Failure {
  const { lines, severity, reason, incident, requestId, cost } = explain(error, circumstances);
  const isRefusal = (error instanceof DeliveryError ? error.cause : error) instanceof UserError;
  const outcome = wasRemoved(error) ? 'removed' : isRefusal ? 'refused' : 'failed';
  const facts = { outcome, reason, incident, requestId, ...cost, ...(reason === undefined && { err: error }) } as const;
  return { lines, severity, facts };
}
