import { type JoinWait, type SessionEnd, VoiceJoinError } from './voice-session-types.ts';

const JOIN_ERRORS: Readonly<Record<SessionEnd['reason'], VoiceJoinError['kind']>> = {
  left: 'aborted',
  'moved-away': 'aborted',
  kicked: 'disconnected',
  'call-ended': 'disconnected',
  'gateway-lost': 'failed',
  failed: 'failed',
};

/** The error of a pending join when the session ends first. `waitedFor`: by the last attempt. */
export function joinError(
  { reason, error, closeCode }: SessionEnd,
  lastError: Error | undefined,
  waitedFor?: JoinWait,
): VoiceJoinError {
  const code = closeCode === undefined ? {} : { closeCode };
  if (!(error instanceof VoiceJoinError)) {
    return new VoiceJoinError(JOIN_ERRORS[reason], `Joining ended: ${reason}`, { cause: error, ...code });
  }
  const wait = error.kind === 'timeout' ? waitedFor : undefined;
  const cause = error.cause ?? lastError;
  if (cause === error.cause && wait === undefined) return error;
  return new VoiceJoinError(error.kind, error.message, { ...(cause ? { cause } : {}), ...code, waitedFor: wait });
}
