import { randomUUID } from 'node:crypto';
import { failureFacts } from '../../errors/explain.ts';
import type { SpeechRequest } from '../../speech/request.ts';
import { isOver } from '../queue/queue-item.ts';
import type { QueuedItem } from '../queue/queued-item.ts';
import { type UnspokenState, type UnspokenText, type UnspokenTexts, WORDS_KEPT_MS } from '../queue/unspoken-texts.ts';
import type { Submission } from './guild-speaker-types.ts';

/** The text itself, with what its requester's command knows about it besides. */
export interface KeptWords {
  readonly request: SpeechRequest;
  readonly details?: unknown;
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

/** Who asked for a text, and where. */
export interface KeptOrigin {
  readonly kind: 'say' | 'replay' | 'message' | 'file' | 'voice-message';
  readonly guildId: string;
  readonly userId: string;
  /** The voice channel; follows the bot. Of a file or a voice message, where it was asked for. */
  readonly channelId: string;
  readonly textChannelId?: string | undefined;
  readonly lane?: string;
  /** Of a command. */
  readonly reply?: KeptReply;
  /** Of a message that is read out. */
  readonly messageId?: string;
  /** See Utterance. */
  readonly authorId?: string | undefined;
}

export type KeptText = UnspokenText<KeptWords, KeptOrigin>;

/** One text that is kept until it was spoken. */
export interface Kept {
  /** The process ends before it was spoken: it comes back after the next start. */
  readonly comesBack: boolean;
  /** Its requester has been told how it ended: nothing of it is kept any more. */
  told(): void;
}

/** One file or voice message that is kept until its requester was told. */
export interface KeptFile extends Pick<Kept, 'told'> {
  /** It was made, or could not be: the moderation log has it, and its requester is still to be told. */
  over(): void;
}

export interface UnspokenKeeper {
  /** Keeps an accepted text, or only where it was asked for, until it is over; undefined where nothing is kept. */
  keep(submission: Submission, text: NewText): Kept | undefined;
  /** The same for one that was kept by an earlier process and has been accepted again. */
  keepOn(submission: Submission, text: KeptText): Kept;
  /** Only where a file or a voice message was asked for, until its requester was told; undefined where nothing is kept. */
  keepReply(origin: KeptOrigin): KeptFile | undefined;
  /** What earlier processes left, in the order of speaking in each server. */
  left(): readonly KeptText[];
  /** One of those as it is now; undefined once it is over or forgotten, or came back. */
  stillLeft(id: string): KeptText | undefined;
  /** It is over, and its requester was told. */
  drop(id: string): void;
  /** Texts of a member that wait to come back. */
  countOf(userId: string): number;
  forgetMember(userId: string): void;
  /** The rules of a server are others now. */
  rulesChanged(guildId: string): void;
  close(): void;
}

/** An accepted text. */
export interface NewText {
  readonly words: KeptWords;
  readonly origin: KeptOrigin;
  /** The id of the reply's message; asked for only where its token is about to expire. */
  readonly locateReply?: () => Promise<string>;
}

interface UnspokenKeeperOptions {
  readonly texts: UnspokenTexts<KeptWords, KeptOrigin>;
  /** Of the texts of a server: themselves, or only where they were asked for, so that they get an answer all the same. */
  readonly keeps: (guildId: string) => 'texts' | 'origins' | 'nothing';
  readonly now?: () => number;
}

/** What was heard is known to this much after a crash. */
const TICK_MS = 500;

interface Live {
  origin: KeptOrigin;
  hasWords: boolean;
  /** As it was last written. */
  last: Pick<KeptText, 'state' | 'position'>;
  readonly submission: Submission;
}

export function createUnspokenKeeper({ texts, keeps, now = Date.now }: UnspokenKeeperOptions): UnspokenKeeper {
  const live = new Map<string, Live>();
  /** Of this process, until their requesters were told. */
  const own = new Set<string>();
  let ticking: NodeJS.Timeout | undefined;

  function note({ submission, last }: Live): void {
    texts.progress(submission.id, { ...last, heardMs: submission.heardMs() });
  }

  function tick(): void {
    const speaking = [...live.values()].filter(({ submission }) => submission.item().state === 'speaking');
    for (const one of speaking) note(one);
    if (speaking.length > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  }

  /** Whoever has a reply may have to be told of it by the next process. */
  function over(one: Live, outcome: 'spoken' | 'failed'): void {
    const { origin, submission } = one;
    const { id } = submission;
    if (origin.reply) {
      // How much was heard, which is written now and then only.
      note(one);
      texts.dropWords(id, outcome);
    } else {
      own.delete(id);
      texts.delete(id);
    }
  }

  function changed(one: Live, { id, state, channelId, position = 0 }: QueuedItem): void {
    // Whoever ended it does not want it back, though what it cost may not be known yet.
    if (state === 'skipped') over(one, one.submission.heardMs() > 0 ? 'spoken' : 'failed');
    if (isOver({ state })) return;
    if (channelId !== one.origin.channelId) {
      one.origin = { ...one.origin, channelId };
      texts.move(id, one.origin);
    }
    // It changes more often than that, and each of these writes would hold up its first packet.
    if (state !== one.last.state || position !== one.last.position) {
      one.last = { state: state as UnspokenState, position };
      note(one);
    }
    if (state === 'speaking') ticking ??= setInterval(tick, TICK_MS).unref();
  }

  function dropWords(one: Live): void {
    one.hasWords = false;
    texts.dropWords(one.submission.id);
  }

  /** The words go; the reply has to be found without its token from now on. */
  async function grownOld(one: Live, locateReply: NewText['locateReply']): Promise<void> {
    const { id } = one.submission;
    dropWords(one);
    const { reply } = one.origin;
    const messageId = reply && (await locateReply?.().catch(() => undefined));
    if (!messageId || !live.has(id)) return;
    one.origin = { ...one.origin, reply: { ...reply, messageId } };
    texts.move(id, one.origin);
  }

  function follow(
    submission: Submission,
    { origin, acceptedAtMs, ...kept }: Pick<KeptText, 'origin' | 'acceptedAtMs'> & Pick<Live, 'last' | 'hasWords'>,
    locate?: NewText['locateReply'],
  ) {
    const { id } = submission;
    const one: Live = { origin, submission, ...kept };
    let comesBack = false;
    live.set(id, one);
    own.add(id);
    const ageing = setTimeout(
      () => void grownOld(one, locate),
      Math.max(0, acceptedAtMs + WORDS_KEPT_MS - now()),
    ).unref();
    changed(one, submission.item());
    const unsubscribe = submission.onChanged((item) => changed(one, item));
    const end = (outcome: 'spoken' | 'failed', failure?: unknown) => {
      clearTimeout(ageing);
      unsubscribe();
      const isKept = live.delete(id);
      if (isKept && one.hasWords && failureFacts(failure).isEndOfProcess) {
        comesBack = true;
        note(one);
      } else {
        over(one, outcome);
      }
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
        if (!comesBack) texts.delete(id);
      },
    };
  }

  function forget(matches: (origin: KeptOrigin) => boolean): void {
    for (const { id, origin } of texts.all()) {
      if (!matches(origin)) continue;
      live.delete(id);
      texts.delete(id);
    }
  }

  return {
    keep(submission, { words, origin, locateReply }) {
      const kept = keeps(origin.guildId);
      // Without a reply, nobody is to be told.
      if (kept === 'nothing' || (kept === 'origins' && !origin.reply)) return undefined;
      const hasWords = kept === 'texts';
      texts.keep({ id: submission.id, words: hasWords ? words : undefined, origin });
      const last = { state: 'waiting', position: 0 } as const;
      return follow(submission, { origin, acceptedAtMs: now(), last, hasWords }, locateReply);
    },
    keepReply(origin) {
      if (keeps(origin.guildId) === 'nothing') return undefined;
      const id = randomUUID();
      own.add(id);
      texts.keep({ id, words: undefined, origin });
      return {
        over: () => texts.dropWords(id, 'failed'),
        told() {
          own.delete(id);
          texts.delete(id);
        },
      };
    },
    keepOn(submission, { id, acceptedAtMs, origin, state, position }) {
      texts.cameBack(id);
      return follow(submission, { origin, acceptedAtMs, last: { state, position }, hasWords: true });
    },
    left: () => texts.all().filter(({ id }) => !own.has(id)),
    stillLeft: (id) => (own.has(id) ? undefined : texts.one(id)),
    drop: texts.delete,
    countOf: (userId) =>
      texts.all().filter(({ id, origin, words }) => words && origin.userId === userId && !live.has(id)).length,
    forgetMember: (userId) => forget((origin) => origin.userId === userId),
    rulesChanged(guildId) {
      const kept = keeps(guildId);
      if (kept === 'texts') return;
      forget((origin) => origin.guildId === guildId && (kept === 'nothing' || !origin.reply));
      for (const one of live.values()) if (one.origin.guildId === guildId) dropWords(one);
      // Those of earlier processes, too.
      for (const { id, origin } of texts.all()) if (origin.guildId === guildId) texts.dropWords(id);
    },
    close() {
      clearInterval(ticking);
    },
  };
}
