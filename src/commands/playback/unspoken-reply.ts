import type { Client } from 'discord.js';
import type { Logger } from 'pino';
import { postNotice } from '../../discord/channels/post.ts';
import { drawContent } from '../../discord/replies/content.ts';
import { openEarlierReply } from '../../discord/replies/earlier-reply.ts';
import { button, type Row, wordsOf } from '../../discord/replies/layout.ts';
import { quote } from '../../discord/replies/quote.ts';
import { costLines, failureFacts, type Severity } from '../../errors/explain.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { Submission } from '../../services/playback/guild-speaker-types.ts';
import type { Kept, KeptText, Told } from '../../services/playback/unspoken.ts';
import type { Delivery, QueueItem } from '../../services/queue/queue-item.ts';
import { text } from '../../texts/catalog.ts';
import type { Reply, Services } from '../framework/command.ts';
import { drawnInPublic, failureOf } from '../framework/final-reply.ts';
import { finalReply, laterReply, type PartsWatch, progressOf } from '../say/speech-progress.ts';
import { replayed, replayProgressOf } from './replay.ts';

interface ResumedRepliesOptions {
  readonly client: Client<true>;
  readonly services: Services;
  readonly log: Logger;
}

/** A kept text that is in the queue again. */
interface Resumed {
  readonly submission: Submission;
  readonly kept: Kept;
  readonly parts: PartsWatch;
  /** What was paid for it before the start. */
  readonly creditsBefore: number;
}

/** For the log: with the id of the interaction it was asked for by, as in the lines of the process before. */
export const factsOf = ({ id, origin: { guildId, reply } }: KeptText) => ({
  guildId,
  itemId: id,
  interactionId: reply?.interactionId,
});

type EarlierReply = ReturnType<typeof openEarlierReply> | undefined;

/** How a kept text ended, for its requester and for the log. */
interface Ending {
  readonly reply: Reply;
  readonly severity: Severity;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Goes on with the replies of an earlier process: as edits, or by a message where Discord takes no edit any more. */
export function createResumedReplies({ client, services, log }: ResumedRepliesOptions) {
  function open({ origin: { reply, textChannelId } }: KeptText) {
    return reply && openEarlierReply({ ...reply, client, channelId: textChannelId, log });
  }

  /** Says it in the reply, else in its channel. Rejects when Discord takes neither for now. */
  async function conclude(one: KeptText, reply: Reply, earlier: EarlierReply = open(one)): Promise<void> {
    const { guildId, userId, textChannelId, reply: asked } = one.origin;
    if (!asked || !earlier) return;
    const inPublic = drawnInPublic(reply, asked.locale);
    if (await earlier.conclude(drawContent(reply, asked.locale), inPublic)) return;
    const [what, ...more] = reply.toOthers ?? reply.lines;
    if (textChannelId === undefined || !what) return;
    const lines = [text('resumed.notice', { member: `<@${userId}>`, what }), ...more];
    const content = wordsOf(lines, asked.locale);
    await postNotice(client, { guildId, channelId: textChannelId, content }, log);
  }

  /** The same text at the press of a button. */
  function anotherTry({ origin, words }: KeptText): readonly Row[] {
    if (origin.kind !== 'say' || !words) return [];
    const token = services.pending.put('order', { ...words.order, isConfirmed: true, wasAccepted: true });
    return [[button('say-go', text('say.again'), token)]];
  }

  function progress(one: KeptText, item: QueueItem, parts: PartsWatch) {
    if (one.origin.kind === 'replay') return replayProgressOf(item, quote(item.requested.request.input));
    return progressOf(item, parts.latest, services);
  }

  function heard(one: KeptText, item: QueueItem, delivery: Delivery, creditsBefore: number): Reply {
    if (one.origin.kind === 'replay') return replayed(delivery, quote(item.requested.request.input), services);
    const { speech } = delivery;
    const paid = { creditsUsed: speech.creditsUsed + creditsBefore, cached: speech.cached && creditsBefore === 0 };
    return finalReply(item, { ...delivery, speech: { ...speech, ...paid } }, services);
  }

  function done(reply: Reply): Ending {
    return { reply, severity: 'info', facts: { ...reply.facts, outcome: 'done' } };
  }

  function failed(one: KeptText, error: unknown): Ending {
    const { lines, toOthers, ...failure } = failureOf(error, services.bot);
    return { reply: { lines, toOthers, rows: failureFacts(error).isWorthRetrying ? anotherTry(one) : [] }, ...failure };
  }

  /** With what was paid for it before the start. */
  function withCreditsBefore(error: unknown, creditsBefore: number): unknown {
    if (creditsBefore === 0) return error;
    const { channelId, cost, cause, wasHeard } =
      error instanceof DeliveryError ? error : new DeliveryError(undefined, { kind: 'none' }, error);
    const all: Cost =
      cost.kind === 'used'
        ? { ...cost, credits: cost.credits + creditsBefore }
        : { kind: 'used', credits: creditsBefore, mayBeMore: cost.kind === 'unknown' || undefined };
    return new DeliveryError(channelId, all, cause, wasHeard);
  }

  /** The log line comes first, since Discord may reject the reply. */
  async function end(one: KeptText, { reply, severity, facts }: Ending, earlier?: EarlierReply): Promise<void> {
    log[severity]({ ...factsOf(one), ...facts }, 'How a text from before the restart ended');
    await conclude(one, reply, earlier);
    log.debug(factsOf(one), 'Answered');
  }

  return {
    /** Shows how far it has come, and in the end what was heard. Rejects when Discord does not take that. */
    async follow(one: KeptText, { submission, kept, parts, creditsBefore }: Resumed): Promise<void> {
      const { locale } = one.origin.reply ?? {};
      const earlier = open(one);
      const show = (item: QueueItem) => {
        const content = progress(one, item, parts);
        if (content && locale !== undefined) earlier?.progress(drawContent(content, locale));
      };
      parts.onChanged = () => show(submission.item());
      const unsubscribe = submission.onChanged(show);
      show(submission.item());
      const ending = await submission.delivery
        .finally(unsubscribe)
        .then((delivery) => done(heard(one, submission.item(), delivery, creditsBefore)))
        .catch((error: unknown) =>
          kept.comesBack ? done(laterReply(error, services)) : failed(one, withCreditsBefore(error, creditsBefore)),
        );
      await end(one, ending, earlier);
      kept.told();
    },
    /** Says why it is not spoken, and what it cost. Rejects when Discord does not take that. */
    async tell(one: KeptText, { why, toOthers, cost, mayTryAgain }: Told): Promise<void> {
      const credits = cost.kind === 'none' ? [] : costLines(cost);
      const inPublic = toOthers && [toOthers, ...credits];
      const reply = { lines: [why, ...credits], toOthers: inPublic, rows: mayTryAgain ? anotherTry(one) : [] };
      await end(one, { reply, severity: 'info', facts: { outcome: 'refused', reason: why.key } });
    },
  };
}
