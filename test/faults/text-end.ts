import type { SentInteraction } from '../../src/playground/world/world.ts';

/** 'unanswered': at the end of the cell, the reply says neither. */
export type TextEnd = 'spoken' | 'told' | 'spoken and told' | 'postponed' | 'unanswered';

/** https://discord.com/developers/docs/interactions/receiving-and-responding#interaction-callback */
const NOT_ANSWERED_MS = 3_500;

const isSpoken = (text: string) => /Spoken in/.test(text);

const isPostponed = (text: string) =>
  /will speak this if it’s back|won’t be generated again|can have it spoken again/.test(text);

/** Texts that a restarted bot writes into the earlier reply. */
const isToldLater = (text: string) => /wasn’t spoken|isn’t generated again/.test(text);

/** The text's end as far as its requester has seen it. */
export function endOf({ replies, acknowledgedAtMs, sentAtMs }: SentInteraction): {
  readonly end: TextEnd;
  /** The replies that say that the text was not spoken. */
  readonly told: readonly string[];
} {
  // Discord's client shows this error itself.
  if (acknowledgedAtMs === undefined && performance.now() - sentAtMs > NOT_ANSWERED_MS) {
    return { end: 'told', told: ['The application did not respond'] };
  }
  const seen = replies.filter(({ deleted, thinking }) => !deleted && !thinking);
  const told = seen
    .filter(({ ephemeral, failed, text }) => ephemeral || failed || isToldLater(text))
    .map(({ text }) => text);
  const spoken = seen.some(({ text, ephemeral }) => !ephemeral && isSpoken(text));
  if (spoken) return { end: told.length > 0 ? 'spoken and told' : 'spoken', told };
  if (told.length > 0) return { end: 'told', told };
  const postponed = seen.map(({ text }) => text).filter(isPostponed);
  return { end: postponed.length > 0 ? 'postponed' : 'unanswered', told: postponed };
}
