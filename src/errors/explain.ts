import { randomBytes } from 'node:crypto';
import { AudioError, type AudioErrorKind, mayPass } from '../audio/clips/clip.ts';
import { type JoinWait, VoiceJoinError, type VoiceJoinErrorKind } from '../audio/connection/voice-session-types.ts';
import { SpeechError, type SpeechErrorKind } from '../speech/errors.ts';
import { type Text, type TextKey, text } from '../texts/catalog.ts';
import {
  type Cost,
  causeOf,
  DeliveryError,
  type Effect,
  JoinError,
  PartError,
  type RefusalKind,
  refusalFacts,
  type SpokenCause,
  StoreError,
  UserError,
} from './user-errors.ts';

export type Severity = 'info' | 'warn' | 'error';

export interface Explanation {
  readonly lines: readonly Text[];
  /** The explanation for other members, if only the requester may see `lines` (as for a blocked word). */
  readonly toOthers: readonly Text[] | undefined;
  readonly severity: Severity;
  /** The key of a UserError's text, which is logged instead of the error; undefined for other errors. */
  readonly reason: TextKey | undefined;
  /** The code of an unexpected error, in the bot's reply and in the log; undefined for other errors. */
  readonly incident: string | undefined;
  readonly requestId: string | undefined;
  readonly cost: { readonly creditsUsed?: number; readonly creditsMayBeSpent?: true } | undefined;
}

/** How the owner gets more credits; undefined if only the speech service's documentation tells. */
export type TopUp = 'command' | URL | undefined;

export interface Circumstances {
  /** True if speech costs nothing: the built-in speech service speaks, and the owner has set no prices for its engines. */
  readonly localVoice: boolean;
  readonly topUp: TopUp;
}

interface Verdict {
  readonly text: Text;
  readonly severity: Severity;
}

interface SpeechFailure {
  readonly severity: Severity;
  readonly words: Text | ((error: SpeechError, circumstances: Circumstances) => Text);
  /** Set if another attempt may succeed, even if the owner must add credits first. The member gets a retry button. */
  readonly mayPass?: true;
  /** Set if the failure concerns only this text or was intended: the channel gets no notice then. */
  readonly isOfOneText?: true;
}

const timeAfter = (ms: number): string => `<t:${Math.ceil((Date.now() + ms) / 1000)}:R>`;

const nextTry = ({ retryAfterMs = 0 }: SpeechError) => ({
  when: retryAfterMs > 0 ? timeAfter(retryAfterMs) : 'unknown',
});

const SPEECH: Readonly<Record<SpeechErrorKind, SpeechFailure>> = {
  'invalid-request': { severity: 'warn', words: text('speech.invalid-request') },
  'input-too-long': { severity: 'info', words: text('speech.input-too-long'), isOfOneText: true },
  'unsupported-format': { severity: 'warn', words: text('speech.unsupported-format'), isOfOneText: true },
  'unsupported-language': { severity: 'info', words: text('speech.unsupported-language'), isOfOneText: true },
  'voice-not-found': { severity: 'info', words: text('speech.voice-not-found'), isOfOneText: true },
  'invalid-api-key': {
    severity: 'error',
    words: (_, { topUp }) => text(topUp === 'command' ? 'speech.invalid-api-key-local' : 'speech.invalid-api-key'),
  },
  'insufficient-credits': {
    severity: 'error',
    words(_, { topUp, localVoice }) {
      if (localVoice) return text('speech.allowance');
      if (topUp === 'command') return text('speech.insufficient-credits-local');
      return topUp ? text('speech.insufficient-credits-url', { url: topUp.href }) : text('speech.insufficient-credits');
    },
    mayPass: true,
  },
  'content-policy': { severity: 'info', words: text('speech.content-policy'), isOfOneText: true },
  'rate-limited': {
    severity: 'warn',
    words: (error) => text('speech.rate-limited', nextTry(error)),
    mayPass: true,
    isOfOneText: true,
  },
  'quota-exceeded': {
    severity: 'warn',
    words: ({ retryAfterMs = 0 }) => text('speech.quota-exceeded', { when: timeAfter(retryAfterMs) }),
  },
  unavailable: {
    severity: 'warn',
    words: (error) => text('speech.unavailable', nextTry(error)),
    mayPass: true,
  },
  'server-error': { severity: 'warn', words: text('speech.server-error'), mayPass: true },
  'bad-response': { severity: 'error', words: text('speech.bad-response') },
  network: { severity: 'error', words: text('speech.network'), mayPass: true },
  timeout: { severity: 'warn', words: text('speech.timeout'), mayPass: true },
  aborted: { severity: 'info', words: text('speech.aborted'), isOfOneText: true },
};

const JOIN = {
  disconnected: 'left.kicked',
  encryption: 'join.encryption',
  'no-route': 'join.no-ipv4',
  aborted: 'join.given-up',
  busy: 'join.busy',
} as const satisfies Partial<Record<VoiceJoinErrorKind, TextKey>>;

/** The text about a failed join. 'admission': Discord's main gateway has not answered the request to join at all. */
function textOfJoin(kind: VoiceJoinErrorKind, waitedFor: JoinWait | undefined) {
  if (waitedFor === 'ip-discovery') return 'join.no-udp';
  if (waitedFor !== undefined && waitedFor !== 'admission') return 'join.no-answer';
  return kind in JOIN ? JOIN[kind as keyof typeof JOIN] : 'join.failed';
}

const AUDIO: Readonly<Record<AudioErrorKind, Verdict>> = {
  'refused-address': { text: text('audio.refused'), severity: 'error' },
  'refused-redirect': { text: text('audio.refused'), severity: 'error' },
  'http-status': { text: text('audio.unreachable'), severity: 'warn' },
  network: { text: text('audio.unreachable'), severity: 'warn' },
  timeout: { text: text('audio.unreachable'), severity: 'warn' },
  'too-large': { text: text('audio.too-large'), severity: 'warn' },
  'too-long': { text: text('audio.too-large'), severity: 'warn' },
  endless: { text: text('audio.endless'), severity: 'warn' },
  'too-short': { text: text('audio.too-short'), severity: 'warn' },
  'not-audio': { text: text('audio.unplayable'), severity: 'error' },
  'ffmpeg-missing': { text: text('audio.unplayable'), severity: 'error' },
  damaged: { text: text('audio.unplayable'), severity: 'warn' },
};

const CUT_OFF: Verdict = { text: text('audio.cut-off'), severity: 'warn' };

function reference(...parts: readonly (string | undefined)[]): Text[] {
  const known = parts.filter((part) => part !== undefined).map((part) => part.replaceAll('`', ''));
  return known.length === 0 ? [] : [text('failed.reference', { reference: known.join(' · ') })];
}

export function costLines(cost: Cost): Text[] {
  if (cost.kind === 'none') return [text('failed.credits-none')];
  if (cost.kind === 'unknown') return [text('failed.credits-unknown')];
  const used = text('failed.credits-used', { used: cost.credits });
  return cost.mayBeMore ? [used, text('failed.credits-maybe-more')] : [used];
}

export function loggedCost(cost: Cost): Explanation['cost'] {
  if (cost.kind === 'none') return undefined;
  if (cost.kind === 'unknown') return { creditsMayBeSpent: true };
  return { creditsUsed: cost.credits, creditsMayBeSpent: cost.mayBeMore };
}

/** Explains any error to members: the failure, its cost unless speech is free, and ids for the log if they help. */
export function explain(error: unknown, circumstances: Circumstances): Explanation {
  if (error instanceof DeliveryError) {
    const cost = circumstances.localVoice ? undefined : loggedCost(error.cost);
    return { ...explainCause(error.cause, error, circumstances), cost };
  }
  if (!(error instanceof JoinError)) return explainCause(error, NOT_OF_A_TEXT, circumstances);
  return explainCause(error.cause, { ...NOT_OF_A_TEXT, channelId: error.channelId }, circumstances);
}

interface Failed {
  readonly channelId: string | undefined;
  /** Undefined if nothing was to be spoken, as by a request for the balance: the reply then does not mention the cost. */
  readonly cost: Cost | undefined;
  readonly wasHeard: boolean;
}

const NOT_OF_A_TEXT: Failed = { channelId: undefined, cost: undefined, wasHeard: false };

interface Details {
  readonly cost?: Cost;
  readonly code?: string;
  readonly requestId?: string;
}

const NOTHING_MORE = { toOthers: undefined, reason: undefined, incident: undefined, cost: undefined };

function inWords({ text: failure, severity }: Verdict, { cost, code, requestId }: Details): Explanation {
  const costs = cost ? costLines(cost) : [];
  return { ...NOTHING_MORE, lines: [failure, ...costs, ...reference(code, requestId)], severity, requestId };
}

function explainSpeech(error: SpeechError, spent: Cost | undefined, circumstances: Circumstances): Explanation {
  const { kind, code = kind, requestId, creditsMayBeSpent } = error;
  const { words, severity } = SPEECH[kind];
  let cost = spent;
  if (creditsMayBeSpent) cost = spent?.kind === 'used' ? { ...spent, mayBeMore: true } : { kind: 'unknown' };
  if (circumstances.localVoice || cost?.kind === 'none') cost = undefined;
  const verdict = { text: typeof words === 'function' ? words(error, circumstances) : words, severity };
  // If speech is free, members never see credits, so the code `insufficient_credits` is left out.
  const isAllowance = circumstances.localVoice && kind === 'insufficient-credits';
  return inWords(verdict, { cost, code: isAllowance ? undefined : code, requestId });
}

function explainCause(cause: unknown, failed: Failed, circumstances: Circumstances): Explanation {
  const { channelId, cost: spent, wasHeard } = failed;
  if (cause instanceof PartError) {
    const { part, parts } = cause;
    const explanation = explainCause(cause.cause, { channelId, cost: spent, wasHeard: false }, circumstances);
    if (channelId === undefined) return explanation;
    const ofPart = text('failed.part', { part, parts });
    const { lines, toOthers } = explanation;
    return { ...explanation, lines: [ofPart, ...lines], toOthers: toOthers && [ofPart, ...toOthers] };
  }
  const requestId = spent?.kind === 'used' ? spent.requestId : undefined;
  const cost = circumstances.localVoice ? undefined : spent;
  if (cause instanceof VoiceJoinError && channelId !== undefined) {
    const { kind, closeCode, waitedFor } = cause;
    const code = ['join', kind, closeCode, waitedFor].filter((part) => part !== undefined).join(' ');
    const words = text(textOfJoin(kind, waitedFor), { channel: `<#${channelId}>` });
    return inWords({ text: words, severity: 'warn' }, { cost, code, requestId });
  }
  if (cause instanceof AudioError) {
    const verdict = wasHeard && mayPass(cause) ? CUT_OFF : AUDIO[cause.kind];
    return inWords(verdict, { cost, code: cause.kind, requestId });
  }
  if (cause instanceof UserError) {
    const words = wasHeard ? { ...cause.text, values: { ...cause.text.values, heard: 'part' } } : cause.text;
    // A refused text has not failed, so its request id is only logged. If it cost nothing and further texts will be
    // refused, too, the reply does not mention the cost.
    const isSure = spent?.kind === 'none' && refusalFacts(cause.kind).effect === 'lasting';
    const explanation = inWords({ text: words, severity: 'info' }, { cost: isSure ? undefined : cost });
    const toOthers = cause.toOthers && [cause.toOthers, ...explanation.lines.slice(1)];
    return { ...explanation, toOthers, requestId, reason: cause.text.key };
  }
  if (cause instanceof SpeechError) return explainSpeech(cause, spent, circumstances);
  if (cause instanceof StoreError) {
    return inWords({ text: text('store.failed'), severity: 'error' }, { cost, requestId });
  }
  const incident = randomBytes(4).toString('hex');
  // The text `failed.unexpected` ends with 'give the bot’s owner this code:', so the code must follow it.
  const lines = [text('failed.unexpected'), ...reference(incident, requestId), ...(cost ? costLines(cost) : [])];
  return { ...NOTHING_MORE, lines, severity: 'error', incident, requestId };
}

interface FailureFacts {
  readonly kind: RefusalKind | undefined;
  readonly cause: SpokenCause | undefined;
  readonly effect: Effect | undefined;
  readonly isWorthRetrying: boolean;
  readonly isOfOneText: boolean;
}

export function failureFacts(error: unknown): FailureFacts {
  const root = causeOf(error);
  const none = { kind: undefined, cause: undefined, effect: undefined, isWorthRetrying: false, isOfOneText: false };
  if (root instanceof UserError) {
    const { cause, effect } = refusalFacts(root.kind);
    return { ...none, kind: root.kind, cause, effect };
  }
  if (root instanceof SpeechError) {
    const { mayPass: isWorthRetrying = false, isOfOneText = false } = SPEECH[root.kind];
    return { ...none, cause: root.kind === 'content-policy' ? 'content' : 'speech', isWorthRetrying, isOfOneText };
  }
  if (root instanceof AudioError) return { ...none, cause: 'speech', isWorthRetrying: mayPass(root) };
  if (!(root instanceof VoiceJoinError)) return { ...none, isWorthRetrying: true };
  return { ...none, cause: root.kind === 'disconnected' ? 'kicked' : 'connection', isWorthRetrying: true };
}
