import { ChannelType, Client, Collection, type Guild, Message } from 'discord.js';
import { describe, expect, it, vi } from 'vitest';
import {
  membersCalled,
  mentionedNames,
  namesOfMentioned,
  readableParts,
} from '../../../src/discord/messages/readable-parts.ts';
import { silentLog } from '../../silent-log.ts';

const discord = new Client({ intents: [] });

/** A message as discord.js makes it of what Discord sends. */
function parts(data: Record<string, unknown>) {
  const { mentioned, ...all } = readableParts(
    Reflect.construct(Message, [discord, { id: '300', channel_id: '20', content: '', ...data }]),
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

type Answer = (id: string, signal: AbortSignal) => Promise<unknown>;

function guild(answer: Answer) {
  const get = vi.fn((path: string, { signal }: { signal: AbortSignal }) =>
    answer(path.replace('/guilds/9/members/', ''), signal),
  );
  const cache = new Collection([['1', { displayName: 'Known' }]]);
  return { get, guild: { id: '9', members: { cache }, client: { rest: { get } } } as never };
}

const member = (username: string, global_name: string | null = null, nick?: string) => ({
  nick,
  user: { username, global_name },
});
const { signal } = new AbortController();
/** As of a Discord that answers nothing, until it is called off. */
const never: Answer = (_, given) =>
  new Promise((_resolve, reject) => given.addEventListener('abort', () => reject(given.reason)));

describe('names of mentioned members', () => {
  it('are asked for where they are not known, once each, and are those that Discord shows', async () => {
    const answers = [member('bea', 'Bea', 'Queen Bea'), member('cleo', 'Cleo'), member('dan')];
    const { get, guild: server } = guild(async (id) => answers[Number(id) - 2]);
    const names = await namesOfMentioned(server, '<@1> and <@2>, <@!2>, <@3>, <@4>', signal);
    expect([...names]).toEqual([
      ['2', 'Queen Bea'],
      ['3', 'Cleo'],
      ['4', 'dan'],
    ]);
    expect(get).toHaveBeenCalledTimes(3);
  });

  it('do not keep a text waiting, nor do members who have left; what comes too late is called off', async () => {
    const { get, guild: server } = guild(async (id, given) => {
      if (id === '2') throw new Error('Unknown Member');
      return id === '3' ? never(id, given) : member('There');
    });
    const names = await namesOfMentioned(server, '<@2> <@3> <@4>', signal);
    expect([...names]).toEqual([['4', 'There']]);
    await expect.poll(() => get.mock.calls.every(([, options]) => options.signal.aborted)).toBe(true);
  });

  it('are not asked for without a server, without mentions, or for a whole crowd', async () => {
    const { get, guild: server } = guild(async () => member('x'));
    expect((await namesOfMentioned(null, '<@2>', signal)).size).toBe(0);
    expect((await namesOfMentioned(server, 'nobody', signal)).size).toBe(0);
    const crowd = Array.from({ length: 50 }, (_, at) => `<@${at + 100}>`).join(' ');
    expect((await namesOfMentioned(server, crowd, signal)).size).toBe(10);
    expect(get).toHaveBeenCalledTimes(10);
  });
});

const EVERYONE = 'everyone';
const ANN = 'ann';

/** A channel that only those can see who are listed. */
const channel = (name: string, seenBy: readonly string[], type = ChannelType.GuildText) => ({
  name,
  type,
  permissionsFor: (who: string) => ({ has: () => seenBy.includes(who) }),
});

const server = {
  members: { cache: new Collection([['1', { displayName: 'Ann here' }]]) },
  roles: { cache: new Collection([['5', { name: 'Crew' }]]), everyone: EVERYONE },
  channels: {
    cache: new Collection<string, unknown>([
      ['20', channel('general', [EVERYONE, ANN])],
      ['21', channel('staff', [ANN])],
      ['22', channel('board', [])],
      ['23', channel('two of us', [EVERYONE, ANN], ChannelType.PrivateThread)],
    ]),
  },
};
const client = {
  users: { cache: new Collection([['3', { displayName: 'Cleo' }]]) },
  channels: { cache: new Collection([['90', channel('elsewhere', [EVERYONE, ANN])]]) },
};

const names = (parts: { words?: string; reader?: string | null; guild?: null } = {}) =>
  mentionedNames({
    words: '',
    client,
    guild: server,
    reader: ANN,
    signal,
    spokenNames: { of: async (id: string) => (id === '3' ? 'Clio' : undefined) },
    mentioned: (id: string) => (id === '2' ? 'Ben' : undefined),
    ...parts,
  } as never);

describe('names of mentions', () => {
  it('are those that are shown here, else those that came with the message or are known', async () => {
    const { users, roles } = await names();
    expect(['1', '2', '3', '4'].map(users)).toEqual(['Ann here', 'Ben', 'Cleo', undefined]);
    expect(['5', '6'].map(roles)).toEqual(['Crew', undefined]);
    // Those that members chose for being spoken go before any other.
    const chosen = await names({ words: '<@1>, <@3>' });
    expect(['1', '3'].map(chosen.users)).toEqual(['Ann here', 'Clio']);
  });

  it('are none of other servers’ channels, nor of channels hidden from the requester', async () => {
    const ids = ['20', '21', '22', '23', '90'];
    const seen = async (parts?: Parameters<typeof names>[0]) => ids.map((await names(parts)).channels);
    expect(await seen()).toEqual(['general', 'staff', undefined, undefined, undefined]);
    expect(await seen({ reader: null })).toEqual(['general', undefined, undefined, undefined, undefined]);
    expect(await seen({ guild: null })).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});

const named = (names: Readonly<Record<string, string>>) =>
  new Collection(
    Object.entries(names).map(([username, displayName]) => [
      username,
      { id: username, displayName, user: { username } },
    ]),
  );

async function found(name: string, answer: () => Promise<ReturnType<typeof named>>) {
  const search = vi.fn(answer);
  const guild = { id: '1', members: { cache: named({ bob: 'Bob', rob: 'Robby' }), search } } as unknown as Guild;
  const asking = { signal, log: silentLog, mayAskDiscord: () => true };
  return { ids: (await membersCalled(name, guild, asking)).map(({ id }) => id), asked: search.mock.calls };
}

describe('the members with a name', () => {
  it('are those with exactly that name, cached or not; the user name goes first', async () => {
    const answer = async () => named({ bobby: 'Bobby', robert: 'Robby', robby2: 'Robby2' });
    expect(await found('BOB', answer)).toEqual({ ids: ['bob'], asked: [] });
    expect(await found('Robby', answer)).toEqual({
      ids: ['robert', 'rob'],
      asked: [[{ query: 'Robby', limit: 1_000, cache: false }]],
    });
    expect((await found('robert', answer)).ids).toEqual(['robert']);
    expect((await found('Ro', answer)).ids).toEqual([]);
    // No name is that long.
    expect(await found('x'.repeat(33), answer)).toEqual({ ids: [], asked: [] });
  });

  it('are the cached ones where Discord refuses, or does not answer in time', async () => {
    expect((await found('Robby', () => Promise.reject(new Error('Missing Access')))).ids).toEqual(['rob']);
    vi.useFakeTimers();
    const late = found('Robby', () => new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(5_000);
    expect((await late).ids).toEqual(['rob']);
  });
});
