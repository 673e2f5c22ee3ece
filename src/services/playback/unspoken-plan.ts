import { refusal } from '../../errors/refusals.ts';
import type { Cost } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { RecalledPurchase } from '../synthesis/purchase-journal.ts';
import type { KeptText } from './unspoken-keeper.ts';

/** A text that ends the process each time it is spoken must not do so for ever. */
const MOST_COMEBACKS = 2;

/** The surroundings of a kept text after the start. */
export interface ComebackFacts {
  /** The bot is still in its server. */
  readonly isServerThere: boolean;
  /** Why the bot could not be heard in its channel. */
  readonly obstacle: Text | undefined;
  readonly listeners: number;
  /** The local voice: what may have been made already may be made again. */
  readonly isFree: boolean;
  /** Its parts, as an earlier process left them. */
  readonly sound: readonly RecalledPurchase[];
}

/** Why a kept text is not spoken. */
export interface Told {
  readonly why: Text;
  /** For others to read, where `why` is for the requester alone. */
  readonly toOthers?: Text | undefined;
  readonly cost: Cost;
  /** Its requester may want it made anew. */
  readonly mayTryAgain: boolean;
}

type Comeback = { readonly kind: 'speak' } | ({ readonly kind: 'tell' } & Told);

/** Whether a kept text is spoken after the start, from its beginning, or what its requester is told. Pure. */
export function decideComeback(kept: KeptText, facts: ComebackFacts): Comeback {
  const { state, words, comebacks, origin } = kept;
  const channel = `<#${origin.channelId}>`;
  const heard = state === 'started' ? 'some' : 'nothing';
  const cost = costBefore(kept, facts);
  const tell = (why: Text, mayTryAgain = false): Comeback => ({ kind: 'tell', why, cost, mayTryAgain });
  if (origin.kind === 'file' || origin.kind === 'voice-message') return tell(text('resumed.file'));
  if (state === 'spoken') return tell(text('resumed.spoken', { channel }));
  if (state === 'failed') return tell(text('resumed.failed', { heard }));
  if (!facts.isServerThere) return tell(refusal('server-left'));
  if (comebacks >= MOST_COMEBACKS) return tell(text('resumed.not-spoken', { heard }), true);
  if (!words) return tell(text('resumed.too-late', { heard }));
  if (facts.obstacle) return tell(facts.obstacle, true);
  if (facts.listeners === 0) return tell(refusal('nobody-after-restart', { channel, heard }), true);
  // It is not said twice unasked.
  if (state === 'started') return tell(text('resumed.not-spoken', { heard }), true);
  if (facts.isFree) return { kind: 'speak' };
  if (facts.sound.some(({ kind }) => kind === 'maybe-billed')) return tell(text('resumed.maybe-billed'), true);
  // What was promised for nothing is not paid for now.
  if (origin.kind === 'replay' && facts.sound.some(({ kind }) => kind !== 'at-hand')) {
    return tell(text('resumed.not-spoken', { heard }), true);
  }
  return { kind: 'speak' };
}

/** Of what an earlier process paid for it, nothing is known without its words. */
export function costBefore(
  { origin, words, acceptedAtMs }: KeptText,
  { isFree, sound }: Pick<ComebackFacts, 'isFree' | 'sound'>,
): Cost {
  // Speaking again never costs.
  if (isFree || origin.kind === 'replay') return { kind: 'none' };
  const isUnclear = !words || sound.some(({ kind }) => kind === 'maybe-billed');
  const credits = creditsBefore(sound, acceptedAtMs);
  if (credits > 0) return { kind: 'used', credits, ...(isUnclear && { mayBeMore: true }) };
  return { kind: isUnclear ? 'unknown' : 'none' };
}

/** What an earlier process paid for a text that was accepted at this time. */
export function creditsBefore(sound: readonly RecalledPurchase[], acceptedAtMs: number): number {
  return sound.reduce((sum, one) => {
    const paid = one.kind === 'at-hand' ? one.paid : undefined;
    return sum + (paid && paid.atMs >= acceptedAtMs ? paid.credits : 0);
  }, 0);
}
