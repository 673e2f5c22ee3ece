import type { SpeechFacts } from '../../services/synthesis/synthesis-types.ts';
import { type Text, text } from '../../texts/catalogue.ts';
import type { Services } from '../framework/command.ts';

/** What something spoken cost, as the small print of a reply; nothing for the local voice, which is free. */
export function speechLines(
  facts: Pick<SpeechFacts, 'cached' | 'creditsUsed' | 'creditsRemaining' | 'mayBeMore'>,
  { localVoice }: Services,
): Text[] {
  if (localVoice) return [];
  const { cached, creditsUsed, creditsRemaining, mayBeMore } = facts;
  const unknown = mayBeMore ? [text('spent.maybe-more')] : [];
  if (cached) return [text('spent.cached')];
  if (creditsRemaining === undefined) return [text('spent.used', { used: creditsUsed }), ...unknown];
  return [text('credits.used-and-left', { used: creditsUsed, left: creditsRemaining }), ...unknown];
}
