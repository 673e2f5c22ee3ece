import { describe, expect, it } from 'vitest';
import type { MessageCommandCall } from '../../../src/commands/framework/command.ts';
import { saveSpeech, speakMessage } from '../../../src/commands/say/say.ts';
import { messageWords } from '../../../src/commands/say/text-preparation.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { rulesOf } from '../../../src/services/servers/server-rules.ts';
import { Dictionary } from '../../../src/services/text/dictionary.ts';
import { SpokenTexts } from '../../../src/services/text/spoken-text.ts';
import { render } from '../../../src/texts/catalog.ts';
import { orderOf } from '../../services/queue/items.ts';
import { servicesOf } from '../services.ts';

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
  const rules = { of: async () => rulesOf({}) };
  const dictionaries = { of: async () => new Dictionary([]) };
  const spokenTexts = new SpokenTexts(rules as never, dictionaries as never);
  const optOuts = { has: async (id: string) => id === 'hermit' };
  return {
    interaction,
    services: servicesOf({ settings: rules, texts: spokenTexts, optOuts, speakers: {} }),
  } as unknown as MessageCommandCall;
}

describe('a message command', () => {
  it.each([speakMessage, saveSpeech])(
    '$name does not read out what the bot says of its own speech',
    async (command) => {
      const refused = await Promise.resolve(command.begin(usedOn('bot'))).catch((error: unknown) => error);
      expect(refused instanceof UserError && render(refused.text)).toContain('That message is from the bot itself.');
    },
  );

  it.each([speakMessage, saveSpeech])(
    '$name does not read the message of an opted-out author to others',
    async (command) => {
      const begun = (userId?: string) =>
        Promise.resolve(command.begin(usedOn('hermit', userId))).catch((error: unknown) => error);
      expect(await begun()).toMatchObject({ text: { key: 'speak-message.opted-out' } });
      expect(await begun('hermit')).not.toMatchObject({ text: { key: 'speak-message.opted-out' } });
    },
  );
});

describe('what is read out of a message', () => {
  const wordsFor = (audience: Parameters<typeof messageWords>[2]) => {
    const call = usedOn('somebody');
    return messageWords(call, call.interaction.targetMessage, audience);
  };

  it('is announced in the server’s language where others hear it', async () => {
    expect(await wordsFor(orderOf({ as: 'voice' }))).toContain('an audio file');
    expect(await wordsFor(orderOf({ as: 'voice', privately: true }))).toContain('an audio file');
  });

  it('is announced in the caller’s own where nobody else does', async () => {
    expect(await wordsFor(orderOf({ as: 'file', privately: true }))).toContain('un archivo de audio');
  });
});
