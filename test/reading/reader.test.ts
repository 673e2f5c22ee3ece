import { describe, expect, it } from 'vitest';
import { refusal, StoreError, UserError } from '../../src/errors/user-errors.ts';
import { createDismissals } from '../../src/reading/chosen-voice.ts';
import type { Channels, ReadingServices } from '../../src/reading/decision.ts';
import { createReader } from '../../src/reading/reader.ts';
import type { GuildSpeaker } from '../../src/services/playback/guild-speaker.ts';
import { type Delivery, type ItemState, type NewItem, StoppedByMember } from '../../src/services/queue/queue-item.ts';
import {
  createOptOuts,
  createTextCooldown,
  DEFAULT_RULES,
  rulesOf,
  type ServerRulesBook,
} from '../../src/services/servers/admission.ts';
import type { ServerSettings } from '../../src/services/servers/server-settings.ts';
import { createDictionary } from '../../src/services/text/dictionary.ts';
import { SpokenTexts } from '../../src/services/text/spoken-text.ts';
import type { Preferences } from '../../src/services/voices/preferences.ts';
import { SpeechError } from '../../src/speech/errors.ts';
import type { SpeechRequest } from '../../src/speech/interface/schemas.ts';
import { render, type Text } from '../../src/texts/catalog.ts';
import { voiceOf } from '../commands/scene.ts';
import { placeAt } from '../services/presence/place.ts';
import { openMemoryStore } from '../services/storage/memory-store.ts';
import { silentLog } from '../silent-log.ts';
import { postedBy } from './posted.ts';

const unstyled = { model: 'ext', supports_style: false };
const ENGLISH = voiceOf('english', { ...unstyled, model: 'english', language: 'en-GB' });
const VOICES = { voices: [voiceOf('first', unstyled), voiceOf('second', unstyled), ENGLISH], models: [] } as never;

/** A reader in front of a speaker that does as the test says. */
function stage({
  settings = {} as ServerSettings,
  own = {} as Preferences['here'],
  isFull = (): boolean => false,
  localVoice = false,
  optOuts = createOptOuts(openMemoryStore().store),
} = {}) {
  const submitted: (NewItem & { over: PromiseWithResolvers<Delivery>; state: ItemState; isRequested: boolean })[] = [];
  const notices: string[] = [];
  const bleeped: boolean[] = [];
  const rules = rulesOf({ autoReadChannels: ['20'], autoReadOnlyInVoice: false, ...settings });
  let now = Date.now();
  const cooldown = createTextCooldown(() => now);
  const speaker = {
    channelId: '30',
    submit(utterance: NewItem) {
      if (utterance.signal?.aborted) throw new Error('It was taken back before');
      if (isFull()) throw new UserError(refusal('queue-full', { limit: 1 }));
      const over = Promise.withResolvers<Delivery>();
      const one = { ...utterance, over, state: 'waiting' as ItemState, isRequested: false };
      submitted.push(one);
      return { id: 'x', delivery: over.promise, item: () => one, isRequested: () => one.isRequested };
    },
  } as unknown as GuildSpeaker;
  const channels: Channels = {
    listeners: () => 1,
    placeIn: (_, channelId) => (['20', '21'].includes(channelId) ? undefined : placeAt(channelId)),
    notify: (_guildId, _channelId, words, locale) => notices.push(render(words, locale)),
  };
  const settingsBook = { of: async () => rules, get: async () => settings } as unknown as ServerRulesBook;
  const dictionary = createDictionary([{ from: 'GG', to: 'good game', wholeWord: true }]);
  const services = {
    settings: settingsBook,
    speakers: { of: () => speaker, find: () => speaker, cooldown, unspoken: { keep: () => undefined } },
    joinedChats: { isRead: () => false },
    texts: new SpokenTexts(settingsBook, { of: async () => dictionary } as never),
    voices: {
      list: async () => VOICES,
      known: () => VOICES,
      members: { get: async () => own },
      spokenNames: { of: async () => undefined },
    },
    synthesizer: {
      billedTexts: ({ input, style, voice: { model = 'gpro' } }: SpeechRequest) => [
        { model, characters: input.length + (style === undefined ? 0 : style.length + 4) },
      ],
    },
    optOuts,
    channels,
    circumstances: { localVoice },
    log: silentLog,
  };
  const reader = createReader({
    ...(services as unknown as ReadingServices),
    dismissals: createDismissals(channels),
    onRead: (_, { item }) => bleeped.push(item().requested.isBleeped),
    onBlocked: () => undefined,
    now: () => now,
  });
  return {
    ...{ reader, submitted, notices, bleeped, textCooldown: cooldown, now: () => now },
    said: () => submitted.map(({ requested }) => requested.request.input),
    passes: (ms: number) => {
      now += ms;
    },
  };
}

/** More turns of the event loop than a text takes, which has one for each of its steps on a busy machine. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
}

describe('the reader', () => {
  it('says the bot’s words in the language of the message where the voice goes by that, else in the server’s', async () => {
    const german = 'Guten Morgen zusammen, wie geht es euch?';
    for (const [own, announced] of [
      [{ language: 'de' }, 'Ann sagt: '],
      [{}, 'Ann says: '],
    ] as const) {
      const { reader, said } = stage({ own });
      reader.posted(postedBy({ content: german }));
      await expect.poll(said).toEqual([`${announced}${german}`]);
    }
  });

  it('leaves out the style where it would cost more than what is asked about, and keeps it otherwise', async () => {
    const style = 'slowly and with a sigh';
    const { reader, submitted } = stage({ settings: { confirmAboveCharacters: 100 }, own: { style, speed: 1.5 } });
    reader.posted(postedBy({ content: 'Hello everybody' }));
    reader.posted(postedBy({ content: 'and so on '.repeat(20), id: 'long' }));
    await expect.poll(() => submitted).toHaveLength(2);
    const [short, long] = submitted.map(({ requested }) => requested.request);
    expect(short).toMatchObject({ input: 'Ann says: Hello everybody', style, speed: 1.5 });
    expect(long).toMatchObject({ speed: 1.5, style: undefined });
    expect(long?.input.length).toBeGreaterThan(80);
    expect(long?.input.length).toBeLessThanOrEqual(100);
  });

  it('speaks messages in the order in which they were posted, however long each takes to prepare', async () => {
    const { reader, said, submitted } = stage();
    const { promise, resolve } = Promise.withResolvers<void>();
    const { names } = postedBy();
    reader.posted(postedBy({ content: 'One.', names: (signal) => promise.then(() => names(signal)) }));
    reader.posted(postedBy({ content: 'GG', author: { id: '2', name: 'Ben' } }));
    resolve();
    await expect.poll(said).toEqual(['Ann says: One.', 'Ben says: good game']);
    expect(new Set(submitted.map(({ order }) => order.lane)).size).toBe(1);
    expect(submitted.map(({ order }) => order.userId)).toEqual(['1', '2']);
    expect(submitted.every(({ order }) => order.textChannelId === undefined)).toBe(true);
  });

  it('withdraws deleted messages, those of a deleted channel, and all of them when it is closed', async () => {
    const { reader, submitted, said } = stage({ settings: { autoReadChannels: ['20', '21'], autoReadNames: 'never' } });
    const [early, later] = [postedBy({ content: 'Early.' }), postedBy({ content: 'Later.' })];
    reader.posted(early);
    reader.deleted([early.id]);
    for (const message of [later, postedBy({ channelId: '21' }), postedBy()]) reader.posted(message);
    await expect.poll(said).toEqual(['Later.', 'Hello.', 'Hello.']);
    const withdrawn = () => submitted.map(({ signal }) => signal?.aborted);
    reader.deleted([later.id]);
    expect(withdrawn()).toEqual([true, false, false]);
    reader.posted(postedBy({ content: 'Not ready yet.' }));
    reader.channelsDeleted(['20']);
    await settled();
    expect(withdrawn()).toEqual([true, false, true]);
    reader.close();
    expect(withdrawn()).toEqual([true, true, true]);
  });

  it('reads an edited message with its new words, in whatever break between two texts', async () => {
    const { reader, submitted, said, notices } = stage({ settings: { cooldownSeconds: 30, autoReadNames: 'never' } });
    const message = postedBy({ content: 'Helo.' });
    reader.posted(message);
    // Before it is ready.
    reader.edited({ ...message, content: 'Hello.' });
    await expect.poll(said).toEqual(['Hello.']);
    // A preview of a link changes no words.
    reader.edited({ ...message, content: 'Hello.' });
    await settled();
    expect(submitted[0]?.signal?.aborted).toBe(false);
    reader.edited({ ...message, content: 'Hello, all.' });
    submitted[0]?.over.reject(new StoppedByMember());
    await expect.poll(said).toEqual(['Hello.', 'Hello, all.']);
    expect(submitted[0]?.signal?.aborted).toBe(true);
    reader.deleted([message.id]);
    expect([submitted[1]?.signal?.aborted, notices]).toEqual([true, []]);
  });

  it('leaves out an edited message whose old words may be billed, and goes on with one that is heard', async () => {
    for (const localVoice of [false, true]) {
      const { reader, submitted, said } = stage({ localVoice, settings: { autoReadNames: 'never' } });
      const [heard, bought] = [postedBy({ content: 'Heard.' }), postedBy({ content: 'Bought.' })];
      for (const message of [heard, bought]) reader.posted(message);
      await expect.poll(() => submitted).toHaveLength(2);
      Object.assign(submitted[0] ?? {}, { state: 'speaking', isRequested: true });
      Object.assign(submitted[1] ?? {}, { isRequested: true });
      for (const message of [heard, bought]) reader.edited({ ...message, content: 'Changed.' });
      await settled();
      expect(submitted.map(({ signal }) => signal?.aborted).slice(0, 2)).toEqual([false, true]);
      expect(said().slice(2)).toEqual(localVoice ? ['Changed.'] : []);
    }
  });

  it('reads no messages of members whose opt-out state is unknown', async () => {
    let asked = 0;
    const known = createOptOuts(openMemoryStore().store);
    const has = async (id: string) => {
      if (asked++ === 0) throw new StoreError('down');
      return known.has(id);
    };
    const { reader, said, notices } = stage({ optOuts: { ...known, has } });
    reader.posted(postedBy({ content: 'While it is down.' }));
    reader.posted(postedBy({ content: 'When it is back.' }));
    await expect.poll(said).toEqual(['Ann says: When it is back.']);
    expect(notices).toEqual([]);
  });

  it('reads no message that is being prepared when its author opts out', async () => {
    const optOuts = createOptOuts(openMemoryStore().store);
    const { reader, said } = stage({ optOuts });
    const { promise, resolve } = Promise.withResolvers<void>();
    const { names } = postedBy();
    reader.posted(postedBy({ names: (signal) => promise.then(() => names(signal)) }));
    await settled();
    await optOuts.set('1', true);
    resolve();
    await settled();
    expect(said()).toEqual([]);
  });

  it('tells that messages beyond the queue’s limit are not read, and names the next author', async () => {
    let asked = 0;
    const { reader, said, notices } = stage({ isFull: () => asked++ === 0 });
    for (const content of ['One.', 'Two.']) reader.posted(postedBy({ content }));
    await expect.poll(said).toEqual(['Ann says: Two.']);
    expect(notices).toEqual([expect.stringContaining('The queue is full (1 text).')]);
  });

  it('keeps to the break between two texts of one member, whether by message or command, but not for admins', async () => {
    const cooldownSeconds = 30;
    const settings = { cooldownSeconds, autoReadNames: 'never' } as const;
    const { reader, said, notices, textCooldown } = stage({ settings });
    const post = (content: string, id = '1') =>
      reader.posted(postedBy({ content, author: { id, isAdmin: id === '3' } }));
    textCooldown.count('9', { userId: '4', isAdmin: false }, rulesOf({ cooldownSeconds }));
    for (const content of ['One.', 'Two.']) post(content);
    for (const id of ['2', '3', '3', '4']) post(`By ${id}.`, id);
    await expect.poll(said).toEqual(['One.', 'By 2.', 'By 3.', 'By 3.']);
    await expect.poll(() => notices.join()).toContain('The limit is one text every 30 seconds.');
  });

  it('reads as many messages of one member in ten seconds as they may have spoken by commands, and says so once', async () => {
    const { reader, said, notices, textCooldown, passes, now } = stage({
      settings: { autoReadNames: 'never', autoReadBots: true },
    });
    for (let texts = 0; texts < 3; texts += 1) textCooldown.count('9', { userId: '1', isAdmin: false }, DEFAULT_RULES);
    const post = (content: string) => reader.posted(postedBy({ content, atMs: now() }));
    const bots = () => postedBy({ content: 'Bot.', atMs: now(), author: { id: '5', kind: 'bot' } });
    // A bot's messages are left out without a word.
    for (let count = 1; count <= 6; count += 1) reader.posted(bots());
    for (const content of ['Four.', 'Five.', 'Six.']) post(content);
    await expect.poll(said).toEqual([...Array(5).fill('Bot.'), 'Four.', 'Five.']);
    const sign = '-# At least one message by <@1> wasn’t read aloud. The limit is 5 texts per 10 seconds.';
    await expect.poll(() => notices).toEqual([sign]);
    post('Six again.');
    await settled();
    passes(10_000);
    post('Seven.');
    await expect.poll(() => said().at(-1)).toBe('Seven.');
    expect(notices).toEqual([sign]);
  });

  it('tells once where the messages are what keeps them from being read', async () => {
    const { reader, submitted, notices } = stage();
    const fail = async (index: number, error: Error) => {
      reader.posted(postedBy({ content: `Number ${index}.` }));
      await expect.poll(() => submitted.length).toBe(index + 1);
      submitted[index]?.over.reject(error);
      await settled();
    };
    const noCredits = new SpeechError({ kind: 'insufficient-credits', message: 'no credits' });
    await fail(0, noCredits);
    await fail(1, noCredits);
    await fail(2, new SpeechError({ kind: 'content-policy', message: 'not this' }));
    expect(notices).toEqual([expect.stringMatching(/^-# At least .* wasn’t read aloud\. Not enough credits/)]);
  });

  const english = { voiceId: 'english', name: 'english', model: 'ext' };
  it.each<[string, ServerSettings, Text]>([
    ['the forced voice cannot speak what others could', { forcedVoice: english }, refusal('forced-cannot-speak')],
    ['no allowed voice can speak a message', { allowedModels: ['english'] }, refusal('nobody-speaks')],
  ])('tells once, without a word of it, that %s', async (_, settings, why) => {
    const { reader, said, notices } = stage({ settings: { ...settings, autoReadNames: 'never' } });
    for (const content of ['Привет, <@1>!', 'Добрый вечер.', 'Good evening.']) reader.posted(postedBy({ content }));
    await expect.poll(said).toEqual(['Good evening.']);
    expect(notices).toEqual([`-# At least one message by <@1> wasn’t read aloud. ${render(why)}`]);
  });

  it('takes no more at once than can be prepared while people still remember them', async () => {
    const { reader, submitted } = stage({ settings: { textsInTenSeconds: 100 } });
    for (let index = 0; index < 100; index++) reader.posted(postedBy({ content: `Number ${index}.` }));
    reader.posted(postedBy({ guildId: '8', content: 'Elsewhere.' }));
    await expect.poll(() => submitted.length).toBe(31);
  });

  it('reads what is new by Discord’s clock, however wrong the one here is, and not what is replayed much later', async () => {
    const { reader, said, passes, now } = stage({ settings: { autoReadNames: 'never' } });
    const hourBehind = () => now() - 3_600_000;
    reader.posted(postedBy({ content: 'Now.', atMs: hourBehind() }));
    await expect.poll(said).toEqual(['Now.']);
    const missed = postedBy({ content: 'While the connection was lost.', atMs: hourBehind() });
    passes(10 * 60_000);
    reader.posted(missed);
    reader.posted(postedBy({ content: 'Now again.', atMs: hourBehind() }));
    await expect.poll(said).toEqual(['Now.', 'Now again.']);
  });

  it('counts a message as asked for when it was posted: a /stop meanwhile ends it', async () => {
    const { reader, submitted } = stage();
    const beforeMs = performance.now();
    reader.posted(postedBy({ content: 'Stop me.' }));
    const postedMs = performance.now();
    await expect.poll(() => submitted.length).toBe(1);
    expect(submitted[0]?.askedAtMs).toBeGreaterThanOrEqual(beforeMs);
    expect(submitted[0]?.askedAtMs).toBeLessThanOrEqual(postedMs);
  });

  it('tells of each message whether a word in it was bleeped', async () => {
    const settings: ServerSettings = { blockedWords: ['dragon'], blockedWordsMode: 'bleep', autoReadNames: 'never' };
    const { reader, said, bleeped } = stage({ settings });
    for (const content of ['A dragon!', 'A mouse.']) reader.posted(postedBy({ content }));
    await expect.poll(said).toEqual(['A beep!', 'A mouse.']);
    expect(bleeped).toEqual([true, false]);
  });

  it('does not speak names that hold a blocked word', async () => {
    const { reader, said } = stage({ settings: { blockedWords: ['dragon'] } });
    reader.posted(postedBy({ author: { name: 'The Dragon' } }));
    await expect.poll(said).toEqual(['somebody says: Hello.']);
  });
});
