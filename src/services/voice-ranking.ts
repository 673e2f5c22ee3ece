import type { Voice } from './speech/interface/schemas.ts';

/**
 * The voices that match every word of `query` by name, model or language, best first: names that are the word, then names
 * that begin with it, then names that hold it, then models and languages. An empty query matches all, in their order.
 */
export function rankVoices(voices: readonly Voice[], query: string, limit: number): readonly Voice[] {
  const words = query
    .toLowerCase()
    .split(/[\s·(),]+/)
    .filter(Boolean);
  return voices
    .map((voice) => ({ voice, score: scoreOf(voice, words) }))
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
    .slice(0, limit)
    .map(({ voice }) => voice);
}

/** Higher is better; undefined when a word matches nothing. */
function scoreOf(voice: Voice, words: readonly string[]): number | undefined {
  let total = 0;
  for (const word of words) {
    const score = scoreOfWord(voice, word);
    if (score === 0) return undefined;
    total += score;
  }
  return total;
}

function scoreOfWord({ name, model, language }: Voice, word: string): number {
  const lowerName = name.toLowerCase();
  if (lowerName === word) return 6;
  if (lowerName.startsWith(word)) return 5;
  if (model.toLowerCase() === word || (word === 'grok' && model === 'ext')) return 4;
  if (lowerName.includes(word)) return 3;
  if (model.toLowerCase().startsWith(word)) return 2;
  return language.toLowerCase().includes(word) ? 1 : 0;
}
