import { describe, expect, it } from 'vitest';
import type { MessageCommandCall } from '../../../src/commands/framework/command.ts';
import { saveSpeech, speakMessage } from '../../../src/commands/say/say.ts';
import { leaveOutTags, messageWords } from '../../../src/commands/say/wording.ts';
import { DEFAULT_RULES } from '../../../src/services/servers/server-rules.ts';
import { Dictionary } from '../../../src/services/text/dictionary.ts';
import { SpokenTexts } from '../../../src/services/text/spoken-text.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { orderOf } from '../../services/queue/items.ts';
import { servicesOf } from '../services.ts';

const voice = (name: string, model: string): Voice => ({
  ...{ id: `${name}-${model}`, name, model, language: 'multiple', formats: ['wav'], supports_style: true },
});

describe('the tags that a voice would read aloud', () => {
  const aria = voice('aria', 'gpro');
  const spoken = (input: string) => leaveOutTags({ passages: [{ input, voice: aria }], notes: [], isBleeped: false });

  it.each([
    ['[whispering] good evening', 'good evening'],
    ['uno[pause]dos', 'uno dos'],
    ['Well <sigh> there <Short pause> it is', 'Well there it is'],
    ['a <soft>quiet</soft> word', 'a quiet word'],
    ['He said [sic] so', 'He said [sic] so'],
  ])('are left out as /tags names them, and words stay apart: %s', (input, words) => {
    expect(spoken(input).passages[0]?.input).toBe(words);
  });

  it('are refused alone; among other passages the next one’s voice speaks first', () => {
    expect(() => spoken('[laugh]')).toThrow('say.only-tags');
    const basil = { input: 'Well [sigh] then.\n', voice: voice('basil', 'ext') };
    const cast = { passages: [{ input: '[laugh]\n', voice: aria }, basil], notes: [], isBleeped: false };
    expect(leaveOutTags(cast)).toMatchObject({ passages: [basil], notes: [{ key: 'say.tags-ignored' }] });
  });
});

/** Somebody's use of a command on a message with a sound, in a Spanish person's Discord and an English server. */
function usedOn(author: 'bot' | 'somebody' | 'hermit', userId = '7') {
  const nothing = new Map();
  const targetMessage = {
    author: { id: author },
    content: 'Listen:',
    attachments: [{ name: 'a.ogg', contentType: 'audio/ogg', waveform: null, spoiler: false }],
    embeds: [],
    stickers: [],
    messageSnapshots: { first: () => undefined },
    mentions: { users: nothing },
  };
  const interaction = {
    user: { id: userId },
    inCachedGuild: () => true,
    guildId: '9',
    guildLocale: 'en-US',
    locale: 'es-ES',
    createdTimestamp: 0,
    guild: null,
    client: { user: { id: 'bot' }, users: { cache: nothing }, channels: { cache: nothing } },
    targetMessage,
  };
  const settings = { of: async () => DEFAULT_RULES };
  const texts = new SpokenTexts(settings as never, { of: async () => new Dictionary([]) } as never);
  const optOuts = { has: async (id: string) => id === 'hermit' };
  return {
    interaction,
    services: servicesOf({ settings, texts, optOuts, speakers: {} }),
  } as unknown as MessageCommandCall;
}

describe.each([speakMessage, saveSpeech])('$name', (command) => {
  const refusalOf = async (...used: Parameters<typeof usedOn>) =>
    Promise.resolve(command.begin(usedOn(...used))).catch((error: { text?: { key: string } }) => error.text?.key);

  it('does not read out what the bot says of its own speech, nor an opted-out author to others', async () => {
    expect(await refusalOf('bot')).toBe('speak-message.bots-own');
    expect(await refusalOf('hermit')).toBe('speak-message.opted-out');
    expect(await refusalOf('hermit', 'hermit')).not.toBe('speak-message.opted-out');
  });
});

it.each([
  [{ as: 'voice' }, 'an audio file'],
  [{ as: 'voice', privately: true }, 'an audio file'],
  [{ as: 'file', privately: true }, 'un archivo de audio'],
] as const)('a message is announced in the language of its hearers: %j', async (audience, words) => {
  const call = usedOn('somebody');
  const { targetMessage } = call.interaction;
  expect(await messageWords(call, targetMessage, orderOf(audience), DEFAULT_RULES)).toContain(words);
});
