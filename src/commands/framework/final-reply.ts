import { DiscordAPIError, HTTPError } from 'discord.js';
import type { Logger } from 'pino';
import { type Answer, AnswerLostError } from '../../discord/replies/answer.ts';
import { drawContent, drawVoiceMessage, quote, type Visibility, voiceFile } from '../../discord/replies/layout.ts';
import { type Circumstances, costLines, explain, type Severity } from '../../errors/explain.ts';
import { causeOf, DeliveryError, UserError } from '../../errors/user-errors.ts';
import { StoppedByMember, wasRemoved } from '../../services/queue/queue-item.ts';
import { type CommandIds, type Text, text } from '../../texts/catalog.ts';
import type { Reply, Services } from './command.ts';

/** The reply and log fields of a failed command, or of a failed text that was accepted before a restart. */
export function failureOf(error: unknown, circumstances: Circumstances) {
  const { lines: told, toOthers, severity, reason, incident, requestId, cost } = explain(error, circumstances);
  const isRefusal = (error instanceof DeliveryError ? error.cause : error) instanceof UserError;
  const outcome = wasRemoved(error) ? 'removed' : isRefusal ? 'refused' : 'failed';
  const facts = { outcome, reason, incident, requestId, ...cost, err: reason === undefined ? error : undefined };
  const removed = removedLine(causeOf(error));
  const reply: Reply = { lines: removed ? [removed, ...told.slice(1)] : told, toOthers };
  return { reply, severity, facts };
}

function removedLine(cause: unknown): Text | undefined {
  if (!(cause instanceof StoppedByMember) || cause.words === undefined) return undefined;
  const ended = cause.command === 'stop' ? 'play.stopped-current' : 'play.skipped';
  return text(cause.wasWaiting ? 'play.removed' : ended, {
    by: cause.byUserId ?? 'requester',
    text: quote(cause.words, 80),
  });
}

export interface Conclusion {
  /** Undefined if a form was the answer, or if Discord no longer accepts a reply. */
  readonly reply: Reply | undefined;
  readonly visibility: Visibility;
  readonly severity: Severity;
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * If Discord rejects the final reply, sends a simpler reply, because the placeholder would otherwise stay. Resolves if
 * a deferred interaction has expired. Rejects with an AnswerLostError if Discord accepts no first answer, and with
 * Discord's error if Discord rejects the simpler reply or a private message that follows the final reply.
 */
export async function conclude(
  answer: Answer,
  { reply, visibility, facts }: Conclusion,
  { localVoice, commandIds }: Services['bot'],
  { locale, log }: { readonly locale: string; readonly log: Logger },
): Promise<void> {
  if (!reply) return;
  const refusalOf = async (sending: Promise<unknown>) => {
    try {
      await sending;
      return undefined;
    } catch (error) {
      if (error instanceof AnswerLostError) throw error;
      log.warn({ err: error }, 'Discord rejected a reply: trying a simpler one');
      return { error } as const;
    }
  };

  const { voiceMessage, lines } = reply;
  if (voiceMessage && !(await refusalOf(answer.conclude(drawVoiceMessage(voiceMessage), visibility)))) {
    await answer.addPrivately(drawContent(reply, locale, commandIds));
    return;
  }
  const inWords: Reply = voiceMessage
    ? { ...reply, lines: [...lines, text('say.voice-message-refused')], files: [voiceFile(voiceMessage)] }
    : reply;
  const inPublic = drawnInPublic(reply, locale, commandIds);
  const refusal = await refusalOf(answer.conclude(drawContent(inWords, locale, commandIds), visibility, inPublic));
  if (!refusal) {
    if (reply.also) await answer.addPrivately(drawContent(reply.also, locale, commandIds));
    return;
  }
  const plain = [text('failed.answer-refused'), ...(localVoice ? [] : costOf(facts)), ...referenceLines(refusal.error)];
  await answer.conclude(drawContent({ lines: plain }, locale, commandIds), 'caller');
}

export const drawnInPublic = ({ toOthers, rows }: Reply, locale: string, ids: CommandIds) =>
  toOthers && drawContent({ lines: toOthers, rows }, locale, ids);

function costOf({ creditsUsed: credits, creditsMayBeSpent }: Conclusion['facts']): Text[] {
  const mayBeMore = creditsMayBeSpent === true || undefined;
  if (!credits && mayBeMore) return costLines({ kind: 'unknown' });
  if (typeof credits !== 'number') return [];
  return costLines(credits === 0 ? { kind: 'none' } : { kind: 'used', credits, mayBeMore });
}

function referenceLines(error: unknown): Text[] {
  if (!(error instanceof DiscordAPIError || error instanceof HTTPError)) return [];
  // Discord's general error code 0 does not tell the cause, so the reply names the HTTP status instead.
  const code = (error instanceof DiscordAPIError && error.code) || error.status;
  return [text('failed.reference', { reference: `discord ${code}` })];
}
