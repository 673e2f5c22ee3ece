import { randomUUID } from 'node:crypto';
import { failureFacts } from '../../errors/explain.ts';
import { refusal } from '../../errors/refusals.ts';
import type { Cost } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { isOver, type QueueItem, type Requested, type SpeechOrder } from '../queue/queue-item.ts';
import type { KeptRows } from '../storage/kept-rows.ts';
import type { RecalledPurchase } from '../synthesis/purchases.ts';
import type { Submission } from './speaker-queue.ts';

/** No words are kept longer than this after they were accepted. */
export const WORDS_KEPT_MS = 10 * 60_000;
/** How long the origins of requests are kept; if the bot was away for longer, the replies stay unanswered. */
export const ORIGIN_KEPT_MS = 24 * 60 * 60_000;

export interface KeptWords {
  readonly order: SpeechOrder;
  readonly requested: Requested;
}

/** How a reply is reached without its interaction. */
interface KeptReply {
  readonly applicationId: string;
  readonly interactionId: string;
  readonly token: string;
  readonly locale: string;
  /** Known once the token is about to expire. */
  readonly messageId?: string;
}

export interface KeptOrigin {
  readonly kind: 'say' | 'replay' | 'message' | 'file' | 'voice-message';
  readonly guildId: string;
  readonly userId: string;
  /** The voice channel; follows the bot. Of a file or a voice message, where it was asked for. */
  readonly channelId: string;
  readonly textChannelId?: string | undefined;
  readonly lane?: string;
  readonly reply?: KeptReply;
  readonly messageId?: string;
  /** The author of the message. */
  readonly authorId?: string | undefined;
}

/** The record of an accepted text: who asked for it, and how far it is. Its words are apart: they are kept for a shorter time. */
export interface AcceptedText {
  readonly id: string;
  /** 'started': some of it was heard, or may have been. 'spoken' and 'failed': over, and its requester was not told yet. */
  readonly state: 'waiting' | 'started' | 'spoken' | 'failed';
  /** How often it has come back after an end of the process. */
  readonly comebacks: number;
  readonly origin: KeptOrigin;
}

/** An accepted text that was not spoken to its end, or about which its requester was not told. */
export interface KeptText extends AcceptedText {
  readonly acceptedAtMs: number;
  /** What is to be spoken; undefined once it is over or too old, or where it is not to be kept. */
  readonly words: KeptWords | undefined;
}

/** A text that is kept until it was spoken. */
export interface Kept {
  /** The process ends before it was spoken: the next one speaks it, or says what became of it. */
  readonly comesBack: boolean;
  /** Its requester has been told how it ended: nothing of it is kept any more. */
  told(): void;
}

interface NewText {
  readonly words: KeptWords;
  readonly origin: KeptOrigin;
  /** The id of the reply's message; asked for only when its token is about to expire. */
  readonly locateReply?: () => Promise<string>;
}

export type UnspokenKeeper = ReturnType<typeof createUnspokenKeeper>;

interface UnspokenKeeperOptions {
  readonly texts: KeptRows<AcceptedText>;
  /** By the same keys. */
  readonly words: KeptRows<KeptWords>;
  /** Whether texts come back after the next start. */
  readonly isKept: boolean;
  readonly now?: () => number;
}

const keyOf = ({ guildId, userId }: KeptOrigin, id: string) => `${guildId} ${userId} ${id}`;
const isOf = (userId: string) => (key: string) => key.split(' ')[1] === userId;

export function createUnspokenKeeper({ texts, words, isKept, now = Date.now }: UnspokenKeeperOptions) {
  const keys = new Map(texts.entries().map(([key, { value }]) => [value.id, key]));
  const live = new Map<string, Submission>();
  /** Texts of this process whose requesters have no answer yet. */
  const own = new Set<string>();
  let lastAcceptedAtMs = 0;

  function textAt(key: string): KeptText | undefined {
    const row = texts.get(key);
    return row && { ...row.value, acceptedAtMs: row.sinceMs, words: words.get(key)?.value };
  }

  const textOf = (id: string): KeptText | undefined => {
    const key = keys.get(id);
    return key === undefined ? undefined : textAt(key);
  };

  const all = (): readonly KeptText[] => texts.entries().flatMap(([key]) => textAt(key) ?? []);

  function change(id: string, edit: Partial<AcceptedText>): void {
    const key = keys.get(id);
    const row = key === undefined ? undefined : texts.get(key);
    if (key !== undefined && row) texts.set(key, { ...row, value: { ...row.value, ...edit } });
  }

  function dropWords(id: string): void {
    const key = keys.get(id);
    if (key !== undefined) words.delete(key);
  }

  function drop(id: string): void {
    const key = keys.get(id);
    if (key === undefined) return;
    words.delete(key);
    texts.delete(key);
    keys.delete(id);
  }

  function add(id: string, origin: KeptOrigin, of?: KeptWords): void {
    const key = keyOf(origin, id);
    // No two are accepted at the same time: they come back in this order.
    lastAcceptedAtMs = Math.max(now(), lastAcceptedAtMs + 1);
    keys.set(id, key);
    if (of) words.set(key, { value: of, sinceMs: lastAcceptedAtMs });
    texts.set(key, { value: { id, state: 'waiting', comebacks: 0, origin }, sinceMs: lastAcceptedAtMs });
  }

  /** If there is a reply, the next process may have to send the answer. */
  function over(id: string, state: 'spoken' | 'failed'): void {
    if (textOf(id)?.origin.reply) {
      dropWords(id);
      change(id, { state });
    } else {
      own.delete(id);
      drop(id);
    }
  }

  function changed({ id, state, channelId }: QueueItem): void {
    const text = textOf(id);
    if (!text) return;
    // A member who ended a text does not want it back, even if its cost is not known yet.
    if (state === 'skipped') over(id, text.state === 'started' ? 'spoken' : 'failed');
    if (isOver(state)) return;
    if (channelId !== text.origin.channelId) change(id, { origin: { ...text.origin, channelId } });
    if (state === 'speaking' && text.state === 'waiting') change(id, { state: 'started' });
  }

  /** The words are gone by then; the reply has to be found without its token from now on. */
  async function grownOld(id: string, locateReply: NewText['locateReply']): Promise<void> {
    const messageId = await locateReply?.().catch(() => undefined);
    const { origin } = textOf(id) ?? {};
    if (origin?.reply && messageId !== undefined && live.has(id))
      change(id, { origin: { ...origin, reply: { ...origin.reply, messageId } } });
  }

  function follow(submission: Submission, acceptedAtMs: number, locate?: NewText['locateReply']): Kept {
    const { id } = submission;
    let comesBack = false;
    live.set(id, submission);
    own.add(id);
    const ageing = setTimeout(
      () => void grownOld(id, locate),
      Math.max(0, acceptedAtMs + WORDS_KEPT_MS - now()),
    ).unref();
    changed(submission.item());
    const unsubscribe = submission.onChanged(changed);
    const end = (outcome: 'spoken' | 'failed', failure?: unknown) => {
      clearTimeout(ageing);
      unsubscribe();
      const isLive = live.delete(id);
      comesBack = isLive && textOf(id)?.words !== undefined && failureFacts(failure).effect === 'end-of-process';
      if (!comesBack) over(id, outcome);
    };
    submission.delivery.then(
      () => end('spoken'),
      (error: unknown) => end('failed', error),
    );
    return {
      get comesBack() {
        return comesBack;
      },
      told() {
        own.delete(id);
        if (!comesBack) drop(id);
      },
    };
  }

  function forget(matches: (origin: KeptOrigin) => boolean): void {
    for (const { id, origin } of all()) {
      if (!matches(origin)) continue;
      live.delete(id);
      drop(id);
    }
  }

  return {
    /** Keeps an accepted text until it is over; undefined if nothing is kept. */
    keep(submission: Submission, { words: its, origin, locateReply }: NewText): Kept | undefined {
      if (!isKept) return undefined;
      add(submission.id, origin, its);
      return follow(submission, lastAcceptedAtMs, locateReply);
    },
    /** Keeps the request for a file or a voice message until its requester has an answer; undefined if nothing is kept. */
    keepReply(origin: KeptOrigin) {
      if (!isKept) return undefined;
      const id = randomUUID();
      own.add(id);
      add(id, origin);
      return {
        /** It was made, or could not be: the moderation log has it, and its requester is still to be told. */
        over: () => change(id, { state: 'failed' }),
        told() {
          own.delete(id);
          drop(id);
        },
      };
    },
    /** A text that was kept by an earlier process and has been accepted again. */
    keepOn(submission: Submission, { id, acceptedAtMs, comebacks }: KeptText): Kept {
      change(id, { comebacks: comebacks + 1 });
      return follow(submission, acceptedAtMs);
    },
    /** What earlier processes left, in the order in which it was accepted; what had begun comes first. */
    left(): readonly KeptText[] {
      const rank = ({ state }: KeptText) => (state === 'waiting' ? 1 : 0);
      return all()
        .filter(({ id }) => !own.has(id))
        .sort((one, other) => rank(one) - rank(other) || one.acceptedAtMs - other.acceptedAtMs);
    },
    /** One of those as it is now; undefined once it is over or forgotten, or came back. */
    stillLeft: (id: string): KeptText | undefined => (own.has(id) ? undefined : textOf(id)),
    /** A text that is over and whose requester has an answer. */
    drop,
    countOf: (userId: string): number =>
      all().filter(({ id, origin, words: its }) => its && origin.userId === userId && !live.has(id)).length,
    /** Also what other processes left. Rejects with a StoreError. */
    async forgetMember(userId: string): Promise<void> {
      forget((origin) => origin.userId === userId);
      await Promise.all([texts.deleteAll(isOf(userId)), words.deleteAll(isOf(userId))]);
    },
  };
}

/** A text that ends the process each time it is spoken must not do so forever. */
const MAX_COMEBACKS = 2;

export interface ComebackFacts {
  readonly isServerThere: boolean;
  /** Why the bot could not be heard in its channel. */
  readonly obstacle: Text | undefined;
  readonly listeners: number;
  /** The built-in voice: what may have been made already may be made again. */
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
  /** True if the requester is offered another try. */
  readonly mayTryAgain: boolean;
}

type Comeback = { readonly kind: 'speak' } | ({ readonly kind: 'tell' } & Told);

/** Decides if a kept text is spoken after the start, from its beginning, or which answer its requester gets. Pure. */
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
  if (comebacks >= MAX_COMEBACKS) return tell(text('resumed.not-spoken', { heard }), true);
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

/** Without its words, the earlier payments for a text are not known. */
export function costBefore(
  { origin, words, acceptedAtMs }: KeptText,
  { isFree, sound }: { readonly isFree: boolean; readonly sound: readonly RecalledPurchase[] },
): Cost {
  // Replaying never costs.
  if (isFree || origin.kind === 'replay') return { kind: 'none' };
  const isUnclear = !words || sound.some(({ kind }) => kind === 'maybe-billed');
  const credits = creditsBefore(sound, acceptedAtMs);
  if (credits > 0) return { kind: 'used', credits, mayBeMore: isUnclear || undefined };
  return { kind: isUnclear ? 'unknown' : 'none' };
}

/** What an earlier process paid for a text that was accepted at this time. */
export function creditsBefore(sound: readonly RecalledPurchase[], acceptedAtMs: number): number {
  return sound.reduce((sum, one) => {
    const paid = one.kind === 'at-hand' ? one.paid : undefined;
    return sum + (paid && paid.atMs >= acceptedAtMs ? paid.credits : 0);
  }, 0);
}
