import { describe, expect, it } from 'vitest';
import { rulesOf } from '../../../src/services/servers/admission.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import { BlockedWordError } from '../../../src/services/text/blocked-words.ts';
import { createDictionary, type DictionaryEntry } from '../../../src/services/text/dictionary.ts';
import { SpokenTexts } from '../../../src/services/text/spoken-text.ts';
import { render } from '../../../src/texts/catalog.ts';

interface Server extends ServerSettings {
  readonly words?: readonly DictionaryEntry[];
}

function spokenTexts({ words = [], ...settings }: Server) {
  const rules = rulesOf(settings);
  const dictionary = createDictionary(words);
  return new SpokenTexts({ of: async () => rules } as never, { of: async () => dictionary } as never);
}

const entry = (from: string, to: string): DictionaryEntry => ({ from, to, wholeWord: true });

const context = {
  guildId: '1',
  locale: 'en-US',
  now: 0,
  tags: 'remove',
  users: () => 'Bob',
  channels: () => undefined,
  roles: () => undefined,
} as const;

const spoken = async (written: string, server: Server, tags: 'keep' | 'remove' = 'remove') =>
  (await spokenTexts(server).ofWritten(written, { ...context, tags })).words;

const refusalOf = (error: unknown) => (error instanceof BlockedWordError ? render(error.text) : String(error));
const refusal = (written: string, server: Server, tags?: 'keep') =>
  spoken(written, server, tags).then(() => 'spoken', refusalOf);

describe('the spoken form of a written text', () => {
  it('is readable, without blocked words, and pronounced as the server wants it, in that order', async () => {
    const server = { words: [entry('Bob', 'Robert'), entry('beep', 'honk')], blockedWords: ['darn'] };
    const words = await spoken('**Hey** <@5>, darn it!', { ...server, blockedWordsMode: 'bleep' });
    expect(words).toBe('Hey Robert, honk it!');
  });

  it('has no blocked word either that the dictionary would put in', async () => {
    const server: Server = { words: [entry('Bob', 'darn'), entry('mid', 'da[pause]rn')], blockedWords: ['darn'] };
    expect(await refusal('Hello Bob', server)).toContain('blocks “darn”');
    expect(await refusal('Hello mid', server, 'keep')).toContain('blocks “darn”');
    const texts = spokenTexts({ ...server, blockedWordsMode: 'bleep' });
    expect(await texts.ofWritten('Hello Bob', context)).toEqual({ words: 'Hello beep', isBleeped: true });
    expect(await texts.ofWritten('Hello beep', context)).toEqual({ words: 'Hello beep', isBleeped: false });
    expect(await texts.blockedIn('Bob', '1')).toBeDefined();
    // A spoken form is not looked up in the dictionary again.
    expect(await texts.blockedIn('Bob', '1', { isPronounced: true })).toBe(undefined);
    expect(await texts.blockedIn('darn', '1', { isPronounced: true })).toBeDefined();
  });

  it('is looked for with its style where it was accepted before', async () => {
    const texts = spokenTexts({ words: [entry('Bob', 'rascal')], blockedWords: ['rascal'] });
    const blocked = async (style: string | undefined, input = 'Hello') =>
      (await texts.blockedInRequest({ input, style }, '1'))?.text.key;
    expect(await blocked(undefined, 'rascal')).toBe('blocked.refused');
    expect(await blocked('as a rascal')).toBe('blocked.style');
    // The dictionary changes no style.
    expect(await blocked('like Bob')).toBeUndefined();
  });

  it('has an emoji as the server’s dictionary has it, whatever its variation, in place of its name', async () => {
    const words = [entry('🔥', 'lit'), entry('❤️', 'love'), entry('👍', ''), entry('🎉 now', 'never')];
    expect(await spoken('this is 🔥🔥 now', { words })).toBe('this is lit, 2 times now');
    expect(await spoken('hello❤ and ❤️', { words })).toBe('hello love and love');
    expect(await spoken('good 👍🏽', { words })).toBe('good');
    expect(await spoken('🎉', { words })).toBe('party popper');
  });

  it('is as it was written outside servers', async () => {
    const texts = spokenTexts({ words: [entry('gif', 'jif')], blockedWords: ['gif'] });
    const { words } = await texts.ofReadable('a gif', { guildId: undefined, locale: 'en-US' });
    expect(words).toBe('a gif');
  });

  it('of several lines is refused for what is split over two of them, in any mode', async () => {
    const linesOf = async (lines: readonly string[], server: Server) => {
      const each = lines.map((words) => ({ words, locale: 'en-US' }));
      const said = spokenTexts(server).ofLines(each, { guildId: '1', locale: 'en-US', tags: 'keep' });
      return said.then((spokenLines) => spokenLines.map(({ words }) => words), refusalOf);
    };
    const server = { blockedWords: ['bad phrase', 'darn'], words: [entry('gif', 'jif')] };
    const refused = 'This text wasn’t spoken: the server blocks “bad phrase”. Use other words.';
    const split = ['A bad', 'phrase in a gif.'];
    expect(await linesOf(split, server)).toBe(refused);
    expect(await linesOf(split, { ...server, blockedWordsMode: 'bleep' })).toBe(refused);
    expect(await linesOf(['A darn', 'gif.'], { ...server, blockedWordsMode: 'bleep' })).toEqual(['A beep', 'jif.']);
    // What is bleeped is clean, also where the bleep itself is a blocked word.
    const beep: Server = { blockedWords: ['beep'], blockedWordsMode: 'bleep' };
    expect(await linesOf(['A beep', 'gif.'], beep)).toEqual(['A beep', 'gif.']);
    expect(await linesOf(split, { words: [entry('gif', 'bad phrase')] })).toEqual(['A bad', 'phrase in a bad phrase.']);
  });

  it('of several lines has each one’s bleeps in its own language', async () => {
    const server: Server = { blockedWords: ['darn'], blockedWordsMode: 'bleep' };
    const lines = [
      { words: 'Oh darn!', locale: 'en-US' },
      { words: 'Ach, darn!', locale: 'de' },
      { words: 'Well.', locale: 'en-US' },
    ];
    expect(await spokenTexts(server).ofLines(lines, { guildId: '1', locale: 'en-US' })).toEqual([
      { words: 'Oh beep!', isBleeped: true },
      { words: 'Ach, piep!', isBleeped: true },
      { words: 'Well.', isBleeped: false },
    ]);
  });

  it('is known to hold a blocked word before it would be bleeped', async () => {
    const refusedName = async (name: string, server: Server) => {
      const refusal = await spokenTexts(server).blockedIn(name, '1');
      return refusal ? render(refusal.text) : 'clean';
    };
    for (const blockedWordsMode of ['refuse', 'bleep'] as const) {
      const server = { blockedWords: ['rude'], blockedWordsMode };
      expect(await refusedName('Rude Boy', server)).toContain('blocks “rude”');
      expect(await refusedName('Ru<sigh>de Boy', server)).toContain('blocks “rude”');
      expect(await refusedName('Prudence', server)).toBe('clean');
    }
  });
});

describe('blocked words', () => {
  it('are found behind Discord’s marks, between speech tags, and in the names of emoji', async () => {
    const server = { blockedWords: ['darn'] };
    expect(await refusal('da**r**n it', server)).toContain('darn');
    expect(await refusal('so 🍆🍆 today', { blockedWords: ['eggplant'] })).toContain('eggplant');
    expect(await refusal('da[pause]rn it', server, 'keep')).toContain('darn');
    expect(await refusal('<whisper>darn</whisper> it', server, 'keep')).toContain('darn');
    expect(await refusal('[darn] it', server, 'keep')).toContain('darn');
  });

  it('are bleeped, between speech tags too, which then have no effect', async () => {
    const server = { blockedWords: ['darn'], blockedWordsMode: 'bleep' as const };
    expect(await spoken('[laugh] darn it', server, 'keep')).toBe('[laugh] beep it');
    expect(await spoken('da[pause]rn it', server, 'keep')).toBe('beep it');
  });
});

it('the dictionary leaves permitted speech tags alone, and not the words between them', async () => {
  const server = { words: [entry('laugh', 'giggle'), entry('whisper', 'hiss')] };
  const tagged = await spoken('[laugh] <whisper>a whisper</whisper> laugh', server, 'keep');
  expect(tagged).toBe('[laugh] <whisper>a hiss</whisper> giggle');
  expect(await spoken('[laugh] at that', server)).toBe('giggle at that');
});

it('a text that the dictionary makes far longer is not looked at further than any text may be spoken', async () => {
  const made = await spoken('a '.repeat(2_000), { words: [entry('a', 'a long form, '.repeat(15).trim())] });
  expect(made.length).toBeLessThan(11_000);
});
