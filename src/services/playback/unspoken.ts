import { randomUUID } from 'node:crypto';
import { failureFacts } from '../../errors/explain.ts';
import { type Cost, refusal } from '../../errors/user-errors.ts';
import { type Text, text } from '../../texts/catalog.ts';
import { isOver, type QueueItem, type Requested, type SpeechOrder } from '../queue/queue-item.ts';
import type { KeptRows } from '../storage/kept-rows.ts';
import type { RecalledPurchase } from '../synthesis/sound-store.ts';
import type { Submission } from './speaker-queue.ts';

/** How long the words of an accepted text are stored, to be spoken after a restart. */
export const WORDS_KEPT_MS = 10 * 60_000;
/** If the bot restarts within this time, it completes a text's reply by an edit or, if Discord accepts none, by a new message. */
export const ORIGIN_KEPT_MS = 24 * 60 * 60_000;

export interface KeptWords {
  readonly order: SpeechOrder;
  readonly requested: Requested;
}

/** The data with which the bot can edit a reply after a restart, when the interaction object no longer exists. */
export interface KeptReply {
  readonly applicationId: string;
  readonly interactionId: string;
  /** Discord accepts an interaction's token for 15 minutes. */
  readonly token: string;
  readonly locale: string;
}

export interface KeptOrigin {
  readonly kind: 'say' | 'replay' | 'message' | 'file' | 'voice-message';
  readonly guildId: string;
  readonly userId: string;
  /** The text's voice channel; changes when the bot moves. For a file or voice message, the channel of the request. */
  readonly channelId: string;
  readonly textChannelId: string | undefined;
  readonly lane?: string;
  readonly reply?: KeptReply;
  readonly messageId?: string;
  readonly authorId?: string | undefined;
}

/** The record of an accepted text. The text's words are stored separately, because they are deleted sooner. */
export interface AcceptedText {
  readonly id: string;
  /** 'started': some of the text may have been heard. 'spoken' and 'failed': the requester does not know yet. */
  readonly state: 'waiting' | 'started' | 'spoken' | 'failed';
  readonly comebacks: number;
  readonly origin: KeptOrigin;
}

export interface KeptText extends AcceptedText {
  readonly acceptedAtMs: number;
  /** The text's words; undefined for files, for texts that are over, and after WORDS_KEPT_MS. */
  readonly words: KeptWords | undefined;
}

export type UnspokenKeeper = ReturnType<typeof createUnspokenKeeper>;
/** An accepted text that is stored, in case the process ends before the text is spoken. */
export type Kept = ReturnType<UnspokenKeeper['keepOn']>;

interface UnspokenKeeperOptions {
  readonly texts: KeptRows<AcceptedText>;
  readonly words: KeptRows<KeptWords>;
  readonly isKept: boolean;
}

const keyOf = ({ id, origin: { guildId, userId } }: AcceptedText) => `${guildId} ${userId} ${id}`;
const isOf = (userId: string) => (key: string) => key.split(' ')[1] === userId;

export function createUnspokenKeeper({ texts, words, isKept }: UnspokenKeeperOptions) {
  /** Keys of texts in this process's queues. */
  const live = new Set<string>();
  /** Keys of texts accepted by this process whose requesters do not know the outcome yet. */
  const own = new Set<string>();
  let lastAcceptedAtMs = 0;

  function textAt(key: string): KeptText | undefined {
    const row = texts.get(key);
    return row && { ...row.value, acceptedAtMs: row.sinceMs, words: words.get(key)?.value };
  }

  const all = (): readonly KeptText[] => texts.entries().flatMap(([key]) => textAt(key) ?? []);

  function change(key: string, edit: Partial<AcceptedText>): void {
    const row = texts.get(key);
    if (row) texts.set(key, { ...row, value: { ...row.value, ...edit } });
  }

  function drop(key: string): void {
    words.delete(key);
    texts.delete(key);
  }

  function add(id: string, origin: KeptOrigin, of?: KeptWords): string {
    const value: AcceptedText = { id, state: 'waiting', comebacks: 0, origin };
    const key = keyOf(value);
    // Each accepted text gets a different time, so that texts are restored in the order of acceptance.
    lastAcceptedAtMs = Math.max(Date.now(), lastAcceptedAtMs + 1);
    if (of) words.set(key, { value: of, sinceMs: lastAcceptedAtMs });
    texts.set(key, { value, sinceMs: lastAcceptedAtMs });
    own.add(key);
    return key;
  }

  /** Deletes a text that is over. A text with a reply stays without its words: the next process may have to edit the reply. */
  function over(key: string, state: 'spoken' | 'failed'): void {
    if (textAt(key)?.origin.reply) {
      words.delete(key);
      change(key, { state });
    } else {
      told(key);
    }
  }

  function told(key: string): void {
    own.delete(key);
    drop(key);
  }

  function changed(key: string, { state, channelId }: QueueItem): void {
    const text = textAt(key);
    if (!text) return;
    // A skipped text is not restored after a restart, even if its cost is not known yet.
    if (state === 'skipped') over(key, text.state === 'started' ? 'spoken' : 'failed');
    if (isOver(state)) return;
    if (channelId !== text.origin.channelId) change(key, { origin: { ...text.origin, channelId } });
    if (state === 'speaking' && text.state === 'waiting') change(key, { state: 'started' });
  }

  function follow(submission: Submission, key: string) {
    let comesBack = false;
    live.add(key);
    changed(key, submission.item());
    const unsubscribe = submission.onChanged((item) => changed(key, item));
    const end = (outcome: 'spoken' | 'failed', failure?: unknown) => {
      unsubscribe();
      live.delete(key);
      comesBack = textAt(key)?.words !== undefined && failureFacts(failure).effect === 'end-of-process';
      if (!comesBack) over(key, outcome);
    };
    submission.delivery.then(
      () => end('spoken'),
      (error: unknown) => end('failed', error),
    );
    return {
      /** True once the text has failed because this process is being stopped: the next process continues it. */
      get comesBack() {
        return comesBack;
      },
      /** Must be called when the requester knows the text's outcome: deletes the stored text. */
      told() {
        if (comesBack) own.delete(key);
        else told(key);
      },
    };
  }

  return {
    /** Stores an accepted text until its requester knows the outcome. Returns undefined if RESUME_TEXTS is off. */
    keep(submission: Submission, { words: its, origin }: { words: KeptWords; origin: KeptOrigin }) {
      if (!isKept) return undefined;
      return follow(submission, add(submission.id, origin, its));
    },
    /** Stores the request for a file or voice message until its requester has an answer. */
    keepReply(origin: KeptOrigin) {
      if (!isKept) return undefined;
      const key = add(randomUUID(), origin);
      return {
        /** Notes that the file was made or failed. After a restart, the bot then only replies to the requester. */
        over: () => change(key, { state: 'failed' }),
        told: () => told(key),
      };
    },
    keepOn(submission: Submission, kept: KeptText) {
      const key = keyOf(kept);
      own.add(key);
      change(key, { comebacks: kept.comebacks + 1 });
      return follow(submission, key);
    },
    /** Texts of earlier processes: those that had begun or ended go before those that still waited. */
    left(): readonly KeptText[] {
      const rank = ({ state }: KeptText) => (state === 'waiting' ? 1 : 0);
      return all()
        .filter((one) => !own.has(keyOf(one)))
        .sort((one, other) => rank(one) - rank(other) || one.acceptedAtMs - other.acceptedAtMs);
    },
    /** A text of an earlier process; undefined once the text has been answered, deleted by `/forget`, or queued again by this process. */
    stillLeft: (one: KeptText): KeptText | undefined => (own.has(keyOf(one)) ? undefined : textAt(keyOf(one))),
    /** Deletes a stored text. Must be called only when the text is over and its requester needs no further answer. */
    drop: (one: KeptText): void => drop(keyOf(one)),
    countOf: (userId: string): number =>
      all().filter((one) => one.words && one.origin.userId === userId && !live.has(keyOf(one))).length,
    /** Deletes a member's stored texts, including those of other processes. Rejects with a StoreError. */
    async forgetMember(userId: string): Promise<void> {
      await Promise.all([texts.deleteAll(isOf(userId)), words.deleteAll(isOf(userId))]);
    },
  };
}

/** How often a text is restored after restarts: a text that crashes the process must not do so forever. */
const MAX_COMEBACKS = 2;

export interface ComebackFacts {
  readonly isServerThere: boolean;
  readonly obstacle: Text | undefined;
  readonly listeners: number;
  /** True if speech is free: audio that an earlier process may have made is then made again. */
  readonly isFree: boolean;
  readonly sound: readonly RecalledPurchase[];
}

export interface Told {
  readonly why: Text;
  /** The reason that other members see instead of `why`. Undefined if they may see `why` itself. */
  readonly toOthers?: Text | undefined;
  readonly cost: Cost;
  readonly mayTryAgain: boolean;
}

type Comeback = { readonly kind: 'speak' } | ({ readonly kind: 'tell' } & Told);

/** After a restart, decides if a stored text is spoken from its beginning, or which answer its requester gets. Pure. */
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
  // A text that was partly heard before the restart is spoken again only if its requester asks for it.
  if (state === 'started') return tell(text('resumed.not-spoken', { heard }), true);
  if (facts.isFree) return { kind: 'speak' };
  if (facts.sound.some(({ kind }) => kind === 'maybe-billed')) return tell(text('resumed.maybe-billed'), true);
  // A replay was offered for free, so it is not restored if its audio would have to be bought again.
  if (origin.kind === 'replay' && facts.sound.some(({ kind }) => kind !== 'at-hand')) {
    return tell(text('resumed.not-spoken', { heard }), true);
  }
  return { kind: 'speak' };
}

/** Without its words, a text's earlier payments cannot be found, and its cost is unknown. */
export function costBefore(
  { origin, words, acceptedAtMs }: KeptText,
  { isFree, sound }: { readonly isFree: boolean; readonly sound: readonly RecalledPurchase[] },
): Cost {
  if (isFree || origin.kind === 'replay') return { kind: 'none' };
  const isUnclear = !words || sound.some(({ kind }) => kind === 'maybe-billed');
  const credits = creditsBefore(sound, acceptedAtMs);
  if (credits > 0) return { kind: 'used', credits, mayBeMore: isUnclear || undefined };
  return { kind: isUnclear ? 'unknown' : 'none' };
}

export function creditsBefore(sound: readonly RecalledPurchase[], acceptedAtMs: number): number {
  return sound.reduce((sum, one) => {
    const paid = one.kind === 'at-hand' ? one.paid : undefined;
    return sum + (paid && paid.atMs >= acceptedAtMs ? paid.credits : 0);
  }, 0);
}
