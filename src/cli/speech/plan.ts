import type { SpeechClient } from '../../speech/client/client.ts';
import { countedCharacters, DEFAULT_MAX_INPUT_LENGTH, inputLimit, modelRules } from '../../speech/interface/models.ts';
import { validateTags } from '../../speech/interface/tags.ts';
import { roomForText, splitText } from '../../speech/split.ts';
import { usageError } from '../terminal/exit.ts';
import { counted } from '../terminal/terminal.ts';

export type SpeakingPlan = Awaited<ReturnType<typeof planSpeaking>>;

/**
 * Splits a text at its sentences where one request cannot take it. Asks for the limit only when it may matter.
 * `billedCharacters` is the length of all requests together: UTF-16 units, tags and counted styles included.
 */
export async function planSpeaking(
  text: string,
  voice: { model: string | undefined; style: string | undefined },
  models: SpeechClient['models'],
  signal: AbortSignal,
) {
  const { model, style } = voice;
  const counted = countedCharacters(model, text, style);
  if (counted <= DEFAULT_MAX_INPUT_LENGTH) return { parts: [text], billedCharacters: counted, limit: undefined };
  const limit = inputLimit(model, (await models({ signal })).models);
  if (counted <= limit) return { parts: [text], billedCharacters: counted, limit };
  const options = {
    limit,
    syntax: modelRules(model).tags,
    model,
    style,
  };
  let parts: string[];
  try {
    parts = splitText(text, options);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(
      `The style leaves ${Math.max(0, roomForText(options))} of ${limit} characters for the text.`,
      'Use a shorter --style: it counts with every request.',
    );
  }
  const billedCharacters = parts.reduce((sum, part) => sum + countedCharacters(model, part, style), 0);
  return { parts, billedCharacters, limit };
}

const WHY = {
  unknown: ['is not a tag', 'are not tags'],
  unclosed: ['is never closed', 'are never closed'],
  unopened: ['was never opened', 'were never opened'],
} as const;

/** Tags that would be read aloud because they are misspelled, with a suggestion; one line for all of a kind. */
export function tagWarnings(text: string, model: string | undefined): string[] {
  const issues = validateTags(text, modelRules(model).tags);
  const kinds = Map.groupBy(issues, ({ problem, suggestion = '' }) => `${problem} ${suggestion}`);
  return [...kinds.values()].map((alike) => {
    const { problem = 'unknown', suggestion } = alike[0] ?? {};
    const [first, second, ...others] = new Set(alike.map(({ raw }) => raw));
    const [one, several] = WHY[problem];
    const who =
      others.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${counted(others.length, 'other')}`;
    const what = second === undefined ? `${first} ${one}` : `${who} ${several}`;
    return `${what} and will be read aloud.${suggestion === undefined ? '' : ` Did you mean ${suggestion}?`}`;
  });
}
