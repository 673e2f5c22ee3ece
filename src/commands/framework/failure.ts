import { quote } from '../../discord/replies/quote.ts';
import { type Circumstances, explain, type Severity } from '../../errors/explain.ts';
import { causeOf, DeliveryError, UserError } from '../../errors/user-errors.ts';
import { StoppedByMember, wasRemoved } from '../../services/queue/utterance.ts';
import { type Text, text } from '../../texts/catalogue.ts';

interface Failure {
  /** What its requester is told. */
  readonly lines: readonly Text[];
  /** The same for others to read, where those are for the requester alone. */
  readonly toOthers: readonly Text[] | undefined;
  readonly severity: Severity;
  /** For the log. */
  readonly facts: { readonly outcome: 'removed' | 'refused' | 'failed' } & Readonly<Record<string, unknown>>;
}

/** How what was asked for failed, in words and for the log. */
export function failureOf(error: unknown, circumstances: Circumstances): Failure {
  const { lines: told, toOthers, severity, reason, incident, requestId, cost } = explain(error, circumstances);
  const isRefusal = (error instanceof DeliveryError ? error.cause : error) instanceof UserError;
  const outcome = wasRemoved(error) ? 'removed' : isRefusal ? 'refused' : 'failed';
  const facts = {
    outcome,
    reason,
    incident,
    requestId,
    ...cost,
    err: reason === undefined ? error : undefined,
  } as const;
  const removed = removedLine(causeOf(error));
  return { lines: removed ? [removed, ...told.slice(1)] : told, toOthers, severity, facts };
}

function removedLine(cause: unknown): Text | undefined {
  if (!(cause instanceof StoppedByMember) || cause.words === undefined) return undefined;
  const ended = cause.command === 'stop' ? 'play.stopped-current' : 'play.skipped';
  return text(cause.wasWaiting ? 'play.removed' : ended, {
    by: cause.byUserId ?? 'requester',
    text: quote(cause.words, 80),
  });
}
