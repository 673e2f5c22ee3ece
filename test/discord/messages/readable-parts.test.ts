import { Client, Message } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { readableParts } from '../../../src/discord/messages/readable-parts.ts';

const client = new Client({ intents: [] });

/** A message as discord.js makes it of what Discord sends. */
function parts(data: Record<string, unknown>) {
  const { mentioned, ...all } = readableParts(
    Reflect.construct(Message, [client, { id: '300', channel_id: '20', content: '', ...data }]),
  );
  return { ...all, ben: mentioned('2') };
}

const nothing = { attachments: [], stickers: [], ben: undefined };
const image = { id: '7', filename: 'cat.png', content_type: 'image/png', size: 1, url: '', proxy_url: '' };
const mentions = [{ id: '2', username: 'ben', global_name: 'Ben' }];

describe('the readable parts of a message', () => {
  it('are its words and what hangs on it', () => {
    expect(parts({ content: 'Look, <@2>', mentions, attachments: [image] })).toMatchObject({
      content: 'Look, <@2>',
      attachments: [{ name: 'cat.png', voiceMessage: false }],
      ben: 'Ben',
    });
  });

  it('are voice messages by their waveform: other sounds and videos have a duration, too', () => {
    const sound = { ...image, filename: 'a.ogg', content_type: 'audio/ogg', duration_secs: 12.3 };
    const video = { ...image, id: '8', filename: 'a.mp4', content_type: 'video/mp4', duration_secs: 12.3, flags: 8 };
    const voice = { ...sound, id: '9', filename: 'voice-message.ogg', waveform: 'AAA=' };
    expect(parts({ attachments: [sound, video, voice] }).attachments).toMatchObject([
      { name: 'a.ogg', voiceMessage: false },
      { name: 'a.mp4', voiceMessage: false, spoiler: true },
      { name: 'voice-message.ogg', voiceMessage: true },
    ]);
  });

  it('are the words of its embeds where it has none of its own, as bots write', () => {
    const embeds = [{ title: 'Tomorrow', description: 'Sun.' }, { description: 'And wind.' }];
    expect(parts({ embeds })).toEqual({ content: 'Tomorrow\nSun.\nAnd wind.', ...nothing });
    expect(parts({ content: 'https://example.com', embeds }).content).toBe('https://example.com');
  });

  it('are the texts of its components where it has no other words, without those of buttons', () => {
    const shown = (content: string) => ({ type: 10, content });
    const button = { type: 2, style: 1, label: 'More', custom_id: 'more' };
    const components = [
      shown('# News'),
      {
        type: 17,
        components: [
          { type: 9, components: [shown('It rains.')], accessory: button },
          { type: 14 },
          shown('Still.'),
          { type: 1, components: [button] },
        ],
      },
    ];
    expect(parts({ flags: 1 << 15, components })).toEqual({ content: '# News\nIt rains.\nStill.', ...nothing });
  });

  it('are the question and the answers of a poll', () => {
    const answers = ['Tea', 'Coffee'].map((text, at) => ({ answer_id: at + 1, poll_media: { text } }));
    const poll = { channel_id: '20', question: { text: 'What shall it be?' }, answers };
    expect(parts({ poll })).toEqual({ content: 'What shall it be?\nTea\nCoffee', ...nothing });
  });

  it('is what it forwards, files and all', () => {
    const forwarding = (message: Record<string, unknown>) => ({
      message_reference: { type: 1, message_id: '200', channel_id: '21', guild_id: '9' },
      message_snapshots: [{ message: { type: 0, ...message } }],
    });
    const written = { content: 'Hello, <@2>', embeds: [], attachments: [image], mentions, sticker_items: [] };
    expect(parts(forwarding(written))).toMatchObject({
      content: 'Hello, <@2>',
      attachments: [{ name: 'cat.png' }],
      ben: 'Ben',
    });
    const embedded = { content: '', embeds: [{ description: 'It rains.' }], attachments: [], mentions: [] };
    expect(parts(forwarding(embedded))).toEqual({ content: 'It rains.', ...nothing });
  });
});
