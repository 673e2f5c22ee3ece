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

const keyOf = ({ guildId, userId }: KeptOrigin, id: string) => `${guildId} ${userId} ${id}`;
const isOf = (userId: string) => (key: string) => key.split(' ')[1] === userId;

export function createUnspokenKeeper({ texts, words, isKept }: UnspokenKeeperOptions) {
  const keys = new Map(texts.entries().map(([key, { value }]) => [value.id, key]));
  const live = new Map<string, Submission>();
  /** Texts accepted by this process whose requesters do not know the outcome yet. */
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

  function drop(id: string): void {
    const key = keys.get(id);
    if (key === undefined) return;
    words.delete(key);
    texts.delete(key);
    keys.delete(id);
  }

  function add(id: string, origin: KeptOrigin, of?: KeptWords): void {
    const key = keyOf(origin, id);
    // Each accepted text gets a different time, so that texts are restored in the order of acceptance.
    lastAcceptedAtMs = Math.max(Date.now(), lastAcceptedAtMs + 1);
    keys.set(id, key);
    if (of) words.set(key, { value: of, sinceMs: lastAcceptedAtMs });
    texts.set(key, { value: { id, state: 'waiting', comebacks: 0, origin }, sinceMs: lastAcceptedAtMs });
  }

  /** Deletes a text that is over. A text with a reply stays without its words: the next process may have to edit the reply. */
  function over(id: string, state: 'spoken' | 'failed'): void {
    const { origin } = textOf(id) ?? {};
    if (origin?.reply) {
      words.delete(keyOf(origin, id));
      change(id, { state });
    } else {
      own.delete(id);
      drop(id);
    }
  }

  function changed({ id, state, channelId }: QueueItem): void {
    const text = textOf(id);
    if (!text) return;
    // A skipped text is not restored after a restart, even if its cost is not known yet.
    if (state === 'skipped') over(id, text.state === 'started' ? 'spoken' : 'failed');
    if (isOver(state)) return;
    if (channelId !== text.origin.channelId) change(id, { origin: { ...text.origin, channelId } });
    if (state === 'speaking' && text.state === 'waiting') change(id, { state: 'started' });
  }

  function follow(submission: Submission) {
    const { id } = submission;
    let comesBack = false;
    live.set(id, submission);
    own.add(id);
    changed(submission.item());
    const unsubscribe = submission.onChanged(changed);
    const end = (outcome: 'spoken' | 'failed', failure?: unknown) => {
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
      /** True once the text has failed because this process is being stopped: the next process continues it. */
      get comesBack() {
        return comesBack;
      },
      /** Must be called when the requester knows the text's outcome: deletes the stored text. */
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
    /** Stores an accepted text until its requester knows the outcome. Returns undefined if RESUME_TEXTS is off. */
    keep(submission: Submission, { words: its, origin }: { words: KeptWords; origin: KeptOrigin }) {
      if (!isKept) return undefined;
      add(submission.id, origin, its);
      return follow(submission);
    },
    /** Stores the request for a file or voice message until its requester has an answer. */
    keepReply(origin: KeptOrigin) {
      if (!isKept) return undefined;
      const id = randomUUID();
      own.add(id);
      add(id, origin);
      return {
        /** Notes that the file was made or failed. After a restart, the bot then only replies to the requester. */
        over: () => change(id, { state: 'failed' }),
        told() {
          own.delete(id);
          drop(id);
        },
      };
    },
    keepOn(submission: Submission, { id, comebacks }: KeptText) {
      change(id, { comebacks: comebacks + 1 });
      return follow(submission);
    },
    /** Texts of earlier processes: those that had begun or ended go before those that still waited. */
    left(): readonly KeptText[] {
      const rank = ({ state }: KeptText) => (state === 'waiting' ? 1 : 0);
      return all()
        .filter(({ id }) => !own.has(id))
        .sort((one, other) => rank(one) - rank(other) || one.acceptedAtMs - other.acceptedAtMs);
    },
    /** A text of an earlier process; undefined once the text has been answered, deleted by `/forget`, or queued again by this process. */
    stillLeft: (id: string): KeptText | undefined => (own.has(id) ? undefined : textOf(id)),
    /** Deletes a stored text. Must be called only when the text is over and its requester needs no further answer. */
    drop,
    countOf: (userId: string): number =>
      all().filter(({ id, origin, words: its }) => its && origin.userId === userId && !live.has(id)).length,
    /** Deletes a member's stored texts, including those of other processes. Rejects with a StoreError. */
    async forgetMember(userId: string): Promise<void> {
      forget((origin) => origin.userId === userId);
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
