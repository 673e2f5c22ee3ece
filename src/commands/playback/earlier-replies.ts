import type { Client } from 'discord.js';
import { postNotice } from '../../discord/channels/post.ts';
import { openEarlierReply } from '../../discord/replies/answer.ts';
import { drawContent, quote, type Row, wordsOf } from '../../discord/replies/layout.ts';
import { costLines, failureFacts, type Severity } from '../../errors/explain.ts';
import { type Cost, DeliveryError } from '../../errors/user-errors.ts';
import type { Submission } from '../../services/playback/speaker-queue.ts';
import type { Kept, KeptText, Told } from '../../services/playback/unspoken.ts';
import { text } from '../../texts/catalog.ts';
import type { Reply, Services } from '../framework/command.ts';
import { drawnInPublic, failureOf } from '../framework/final-reply.ts';
import { againRows, laterReply } from '../say/offers.ts';
import type { createFollower } from '../say/replies.ts';

interface Resumed {
  readonly submission: Submission;
  readonly kept: Kept;
  readonly follower: ReturnType<typeof createFollower>;
  readonly creditsBefore: number;
}

/** The interaction id is also in older log lines, so that the owner can find all lines of a text. */
export const factsOf = ({ id, origin: { guildId, reply } }: KeptText) => ({
  guildId,
  itemId: id,
  interactionId: reply?.interactionId,
});

interface Ending {
  readonly reply: Reply;
  readonly severity: Severity;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** Continues replies from before the restart, by edits or, if Discord accepts no edits, by a new message. */
export function createEarlierReplies(client: Client<true>, services: Services) {
  const { log } = services;
  const { commandIds } = services.bot;

  function open({ origin: { reply } }: KeptText) {
    return reply && openEarlierReply(client, log, reply);
  }

  /** Rejects if an edit of the reply fails for another reason than its age. */
  async function end(one: KeptText, { reply, severity, facts }: Ending, earlier = open(one)): Promise<void> {
    log[severity]({ ...factsOf(one), ...facts }, 'A text from before the restart has ended');
    const { guildId, userId, textChannelId, reply: asked } = one.origin;
    if (!asked || !earlier) return;
    const inPublic = drawnInPublic(reply, asked.locale, commandIds);
    const whose = inPublic ? 'caller' : 'everyone';
    const isShown = await earlier.conclude(drawContent(reply, asked.locale, commandIds), whose, inPublic);
    const [what, ...more] = reply.toOthers ?? reply.lines;
    if (!isShown && textChannelId !== undefined && what) {
      const lines = [text('lines.pair', { name: `<@${userId}>`, value: what }), ...more];
      await postNotice(
        client,
        { guildId, channelId: textChannelId, content: wordsOf(lines, asked.locale, commandIds) },
        log,
      );
    }
    log.debug(factsOf(one), 'Sent the reply to a text from before the restart');
  }

  function anotherTry({ origin, words }: KeptText): readonly Row[] {
    if (origin.kind !== 'say' || !words) return [];
    return againRows(services, { ...words.order, isConfirmed: true, wasAccepted: true });
  }

  const done = (reply: Reply) => ({ reply, severity: 'info', facts: { ...reply.facts, outcome: 'done' } }) as const;

  function failed(one: KeptText, error: unknown) {
    const failure = failureOf(error, services.bot);
    return {
      ...failure,
      reply: { ...failure.reply, rows: failureFacts(error).isWorthRetrying ? anotherTry(one) : [] },
    };
  }

  return {
    wordsOf: ({ words }: KeptText) => quote(words?.requested.request.input ?? ''),
    /** Shows in the reply how the text ended. Rejects if Discord does not accept that last edit. */
    async follow(one: KeptText, { submission, kept, follower, creditsBefore }: Resumed): Promise<void> {
      const { locale } = one.origin.reply ?? {};
      const earlier = open(one);
      const ending = await follower
        .follow(submission, (content, atOnce) => {
          if (locale !== undefined) earlier?.progress(drawContent(content, locale, commandIds), atOnce);
        })
        .then(done)
        .catch((error: unknown) =>
          kept.comesBack ? done(laterReply(error, services)) : failed(one, withCreditsBefore(error, creditsBefore)),
        );
      await end(one, ending, earlier);
      kept.told();
    },
    /** Rejects if the reply could not be sent. */
    async tell(one: KeptText, { why, toOthers, cost, mayTryAgain }: Told): Promise<void> {
      const credits = cost.kind === 'none' ? [] : costLines(cost);
      const inPublic = toOthers && [toOthers, ...credits];
      const reply = { lines: [why, ...credits], toOthers: inPublic, rows: mayTryAgain ? anotherTry(one) : [] };
      await end(one, { reply, severity: 'info', facts: { outcome: 'refused', reason: why.key } });
    },
  };
}

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
