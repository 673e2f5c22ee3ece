import { EventEmitter } from 'node:events';
import { type Client, Collection, DiscordAPIError, Events, MessageFlags } from 'discord.js';
import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { comeBack } from '../../../src/commands/playback/after-restart.ts';
import type { SpokenNote } from '../../../src/discord/moderation/moderation-log.ts';
import { refusal } from '../../../src/errors/refusals.ts';
import { DeliveryError, UserError } from '../../../src/errors/user-errors.ts';
import { type AcceptedText, createUnspokenKeeper, type KeptWords } from '../../../src/services/playback/unspoken.ts';
import type { NewItem } from '../../../src/services/queue/live-item.ts';
import type { Delivery } from '../../../src/services/queue/queue-item.ts';
import { rulesOf } from '../../../src/services/servers/server-rules.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import type { RecalledPurchase } from '../../../src/services/synthesis/purchases.ts';
import { BlockedWordError } from '../../../src/services/text/spoken-text.ts';
import { createPending } from '../../../src/services/time/pending.ts';
import { text } from '../../../src/texts/catalog.ts';
import { itemOf, orderOf, requestedOf } from '../../services/queue/items.ts';
import { createMemoryRows } from '../../services/storage/memory-rows.ts';
import { servicesOf } from '../services.ts';

const AUTHOR = '7';

/** What an earlier process left of messages that are read out, and a bot that has just logged in. */
function stage({
  listeners = 1,
  optedOut = false,
  /** Of what others asked for. */
  authorId = undefined as string | undefined,
  available = true,
  there = ['50', '51'],
  editedIds = [] as readonly string[],
  allowed = undefined as string[] | undefined,
  isStopping = false,
  paid = 0,
  /** The others than messages were asked for by a command. */
  kind = 'message' as 'message' | 'say' | 'replay' | 'file',
  /** How far the process before was with each. */
  state = 'waiting' as AcceptedText['state'],
  refused = undefined as UserError | undefined,
  /** Discord takes nothing by the tokens of the replies any more. */
  isExpired = false,
  /** While it is looked up what was paid for a text. */
  meanwhile = (_: { readonly settings: ServerSettings }) => {},
  /** While Discord is asked whether its message is still there. */
  asked = (_: { readonly forget: (userId: string) => void }) => {},
  settings = {} as ServerSettings,
  /** A text with a blocked word. */
  blocked = '',
  /** While it is looked up whether a text has one. */
  checked = async (_: {
    readonly words: string;
    readonly settings: ServerSettings;
    readonly stop: () => void;
    readonly takeBack: () => void;
  }): Promise<void> => undefined,
} = {}) {
  const decisions: unknown[] = [];
  const log = pino(
    { level: 'info' },
    {
      write(line: string) {
        const { decision } = JSON.parse(line);
        if (decision !== undefined) decisions.push(decision);
      },
    },
  );
  let stopping = isStopping ? refusal('stopping') : undefined;
  const stop = () => {
    stopping = refusal('stopping');
  };
  const rows = { texts: createMemoryRows<AcceptedText>(), words: createMemoryRows<KeptWords>() };
  for (const [index, messageId] of ['50', '51'].entries()) {
    const id = `item ${messageId}`;
    const key = `9 ${AUTHOR} ${id}`;
    const sinceMs = Date.now() + index;
    rows.words.set(key, {
      sinceMs,
      value: {
        order: orderOf({ userId: AUTHOR, authorId, ...(kind === 'message' && { from: 'reading', lane: 'm' }) }),
        requested: requestedOf(`Message ${messageId}`),
      },
    });
    const origin = {
      ...{ kind, guildId: '9', userId: AUTHOR, channelId: '30', textChannelId: '20', messageId, authorId, lane: 'm' },
      reply:
        kind === 'message' ? undefined : { applicationId: '1', interactionId: '2', token: 'token', locale: 'en-US' },
    };
    rows.texts.set(key, { sinceMs, value: { id, state, comebacks: 0, origin } });
  }
  const keeper = createUnspokenKeeper({ ...rows, isKept: true });
  const texts = {
    all: () => rows.texts.entries().map(([key, { value }]) => ({ ...value, words: rows.words.get(key)?.value })),
  };
  const states = Array.from({ length: listeners }, (_, index) => [
    `${index}`,
    { id: `${index}`, channelId: '30', member: { user: { bot: false } } },
  ]);
  const [posted, edited]: [string[], string[]] = [[], []];
  const buttons: string[] = [];
  const toCaller: { readonly content: string; readonly flags: number }[] = [];
  const textChannel = {
    isTextBased: () => true,
    isSendable: () => true,
    isDMBased: () => false,
    isThread: () => false,
    permissionsFor: () => ({ has: () => true }),
    send: async ({ content }: { content: string }) => void posted.push(content),
    messages: {
      fetch: async (id: string) => {
        asked({ forget: (userId) => void keeper.forgetMember(userId) });
        if (there.includes(id)) return { editedTimestamp: editedIds.includes(id) ? 1 : null };
        throw new DiscordAPIError({ code: 10_008, message: 'Unknown Message' }, 10_008, 404, 'GET', '', {});
      },
    },
  };
  const guild = {
    available,
    shardId: 0,
    preferredLocale: 'en-US',
    members: { me: null as object | null, cache: new Collection() },
    voiceStates: { cache: new Collection(states as never) },
    channels: {
      cache: new Collection([['30', { id: '30', isVoiceBased: () => true, guild: { members: {} } }]] as never),
    },
  };
  const client = Object.assign(new EventEmitter(), {
    guilds: { cache: new Collection([['9', guild]] as never) },
    channels: { cache: new Collection([['20', textChannel]] as never) },
    options: { jsonTransformer: (row: unknown) => row },
    rest: {
      async delete() {
        if (isExpired) throw new DiscordAPIError({ code: 50_027, message: '' }, 50_027, 401, 'DELETE', '', {});
      },
      async post(_: string, { body }: { body: { content: string; flags: number } }) {
        toCaller.push(body);
        return { id: '1' };
      },
      async patch(_: string, { body }: { body: { content: string; components: unknown } }) {
        edited.push(body.content);
        buttons.push(JSON.stringify(body.components));
        throw new DiscordAPIError({ code: 50_027, message: 'Invalid Webhook Token' }, 50_027, 401, 'PATCH', '', {});
      },
    },
  });
  const submitted: (NewItem & { readonly over: PromiseWithResolvers<Delivery> })[] = [];
  const followed = new Map<string, AbortController>();
  const noted: SpokenNote[] = [];
  const atMs = Date.now() + 60_000;
  const sound: RecalledPurchase = paid > 0 ? { kind: 'at-hand', paid: { credits: paid, atMs } } : { kind: 'to-buy' };
  const recall = async () => {
    meanwhile({ settings });
    return [sound];
  };
  const services = servicesOf({
    settings: { of: async () => rulesOf(settings), known: () => rulesOf(settings) },
    texts: {
      async blockedInRequest({ input: words }: { input: string }) {
        const takeBack = () => followed.get(words.replace('Message ', ''))?.abort();
        await checked({ words, settings, stop, takeBack });
        return words === blocked ? new BlockedWordError(text('blocked.refused', { rule: 'x' })) : undefined;
      },
    },
    optOuts: { has: async () => optedOut },
    voices: {
      list: async () => ({ voices: [], models: [] }),
      known: () => ({ voices: [{ id: 'v', name: 'aria', model: 'gpro' }] }),
    },
    synthesizer: { recall },
    moderation: { note: (note: SpokenNote) => void noted.push(note) },
    pending: createPending(),
    localVoice: paid === 0,
    log,
    unspoken: keeper,
    speakers: {
      get refusal() {
        return stopping;
      },
      of: () => ({
        submit(utterance: NewItem) {
          if (stopping) throw new UserError(stopping);
          if (refused) throw refused;
          const over = Promise.withResolvers<Delivery>();
          submitted.push({ ...utterance, over });
          return {
            id: utterance.id,
            delivery: over.promise,
            item: () => itemOf({ ...utterance, state: 'speaking', channelId: '30' }),
            onChanged: () => () => undefined,
          };
        },
      }),
    },
  });
  return {
    rows,
    texts,
    keeper,
    posted,
    edited,
    buttons,
    toCaller,
    submitted,
    followed,
    noted,
    decisions,
    guild,
    client,
    start: () =>
      comeBack({
        client: client as unknown as Client<true>,
        services,
        allowed,
        followMessage({ id }) {
          const end = new AbortController();
          followed.set(id, end);
          return end.signal;
        },
        underWay: new Set(),
      }),
  };
}

it('messages that waited are read out in order, by their ids, and can still be taken back', async () => {
  const { start, submitted, followed, texts } = stage();
  await start();
  expect(submitted).toMatchObject([
    { id: 'item 50', order: { lane: 'm', userId: AUTHOR }, requested: { request: { input: 'Message 50' } } },
    { id: 'item 51', requested: { request: { input: 'Message 51' } } },
  ]);
  // Notices belong where commands are used.
  expect(submitted[0]?.order.textChannelId).toBeUndefined();
  expect([...followed.keys()]).toEqual(['50', '51']);
  expect(texts.all()).toMatchObject([{ comebacks: 1 }, { comebacks: 1 }]);
  submitted[0]?.over.resolve({} as Delivery);
  await new Promise((resolve) => setImmediate(resolve));
  expect(texts.all().map(({ id }) => id)).toEqual(['item 51']);
});

it('each of those that are left is looked up on its own, however many there are', async () => {
  const { start, keeper, submitted } = stage();
  const all = vi.spyOn(keeper, 'left');
  await start();
  expect(submitted).toHaveLength(2);
  expect(all).toHaveBeenCalledOnce();
});

it('what was paid for before the start is told to the moderators, and is not counted as free', async () => {
  const { start, submitted, noted } = stage({ paid: 2_055 });
  await start();
  expect(submitted).toMatchObject([{ wasPaidBefore: true }, { wasPaidBefore: true }]);
  const speech = { creditsUsed: 0, cached: true, warnings: [] };
  const heard: Delivery = { outcome: 'finished', channelId: '30', speech, firstAudioMs: 20, encrypted: true };
  submitted[0]?.over.resolve(heard);
  submitted[1]?.over.reject(
    new DeliveryError('30', { kind: 'none' }, new UserError(refusal('connection-lost', { heard: 'nothing' })), true),
  );
  await expect.poll(() => noted).toHaveLength(2);
  expect(noted).toMatchObject([
    { outcome: 'spoken', credits: 2_055 },
    { outcome: 'failed', credits: 2_055 },
  ]);
});

it('what is not spoken any more is told to the moderators, with what was paid for it', async () => {
  const { start, noted } = stage({ paid: 2_055, listeners: 0 });
  await start();
  expect(noted).toMatchObject([
    {
      ...{ kind: 'auto-read', userId: AUTHOR, outcome: 'unspoken', cause: 'nobody-listening' },
      ...{ voices: [{ name: 'aria' }], characters: 10, credits: 2_055 },
    },
    { outcome: 'unspoken', credits: 2_055 },
  ]);
});

it('a text that the queue refuses is told of with what was paid for it', async () => {
  const refused = new UserError(refusal('queue-full', { limit: 20 }));
  const { start, edited } = stage({ paid: 2_055, kind: 'say', refused });
  await start();
  await expect.poll(() => edited).toHaveLength(2);
  expect(edited[0]).toContain('2,055 credits were used.');
});

it('a file is told to the moderators once, also where its requester is still to be told', async () => {
  const { start, rows, noted, edited } = stage({ kind: 'file' });
  for (const [index, [key, row]] of rows.texts.entries().entries()) {
    rows.words.delete(key);
    if (index === 1) rows.texts.set(key, { ...row, value: { ...row.value, state: 'failed' } });
  }
  await start();
  await expect.poll(() => edited).toHaveLength(2);
  expect(noted).toMatchObject([{ kind: 'file', outcome: 'unspoken', cause: 'stopping' }]);
});

it('a message that was edited meanwhile is not read out with its old words', async () => {
  const { start, submitted, texts } = stage({ editedIds: ['50'] });
  await start();
  expect(submitted.map(({ id }) => id)).toEqual(['item 51']);
  expect(texts.all().map(({ id }) => id)).toEqual(['item 51']);
});

it('a message that was deleted meanwhile, or whose author opted out, is not read out', async () => {
  const deleted = stage({ there: ['51'] });
  await deleted.start();
  expect(deleted.submitted.map(({ id }) => id)).toEqual(['item 51']);
  expect(deleted.noted).toMatchObject([{ outcome: 'unspoken', credits: 0 }]);
  const gone = stage({ optedOut: true });
  await gone.start();
  expect(gone.submitted).toEqual([]);
  expect(gone.texts.all()).toEqual([]);
});

it.each(['say', 'replay'] as const)(
  'a member’s message is not spoken (%s) to others whom its author no longer wants to have it, also from that moment on',
  async (kind) => {
    const before = stage({ kind, authorId: '8' });
    await before.start();
    expect(before.submitted).toMatchObject([{ order: { authorId: '8' } }, { order: { authorId: '8' } }]);
    const { start, submitted, edited, noted, buttons } = stage({ kind, authorId: '8', optedOut: true });
    await start();
    await expect.poll(() => edited).toHaveLength(2);
    expect(edited[0]).toContain('has opted out of being read aloud');
    expect(buttons.join()).not.toContain('say-go');
    await expect.poll(() => noted).toMatchObject([{ cause: 'opted-out' }, { cause: 'opted-out' }]);
    expect(submitted).toEqual([]);
  },
);

it('what is taken back while it is on its way is not read out', async () => {
  const forgotten = stage({ asked: ({ forget }) => forget(AUTHOR) });
  await forgotten.start();
  expect(forgotten.submitted).toEqual([]);
});

it.each([
  ['for a member who was muted', { mutedMembers: [AUTHOR] }],
  ['in a channel that was forbidden', { allowedChannels: ['31'] }],
])('nothing is spoken %s meanwhile, also a moment ago', async (_, rules) => {
  const started = async (options: Parameters<typeof stage>[0]) => {
    const { start, guild, submitted } = stage(options);
    guild.channels.cache.set('31', { id: '31', isVoiceBased: () => true } as never);
    const member = { permissions: { has: () => false }, roles: { cache: new Map() }, user: {} };
    guild.members.cache.set(AUTHOR, member as never);
    await start();
    return submitted;
  };
  expect(await started({})).toHaveLength(2);
  expect(await started({ settings: rules })).toEqual([]);
  expect(await started({ meanwhile: ({ settings }) => Object.assign(settings, rules) })).toEqual([]);
  expect(await started({ checked: async ({ settings }) => void Object.assign(settings, rules) })).toEqual([]);
});

it('a message that is taken back while its words are checked is not read out', async () => {
  const { start, submitted, texts, noted, decisions } = stage({
    checked: async ({ words, takeBack }) => {
      if (words === 'Message 50') takeBack();
    },
  });
  await start();
  expect(submitted.map(({ id }) => id)).toEqual(['item 51']);
  expect(texts.all().map(({ id }) => id)).toEqual(['item 51']);
  expect([noted, decisions]).toMatchObject([[{ outcome: 'unspoken' }], ['taken-back', 'speak']]);
});

it.each(['checked', 'meanwhile'] as const)(
  'one text whose lookup fails (%s) stays kept, and holds up no other',
  async (when) => {
    const fails = vi.fn().mockImplementationOnce(() => {
      throw new Error('The thread for long texts has ended');
    });
    const { start, submitted, texts } = stage({ [when]: fails });
    await start();
    expect(submitted.map(({ id }) => id)).toEqual(['item 51']);
    expect(texts.all()).toMatchObject([{ words: { requested: {} }, comebacks: 0 }, { comebacks: 1 }]);
  },
);

it.each(['message', 'say'] as const)(
  'a text (%s) stays kept where the bot is stopped while it is checked',
  async (kind) => {
    const { start, submitted, texts, edited, noted } = stage({ kind, checked: async ({ stop }) => stop() });
    await start();
    await new Promise((resolve) => setImmediate(resolve));
    expect([submitted, edited, noted]).toEqual([[], [], []]);
    expect(texts.all()).toMatchObject([{ words: { requested: {} } }, { words: { requested: {} } }]);
  },
);

it('a text with a word that is blocked since is not spoken', async () => {
  const { start, submitted, posted, decisions } = stage({ blocked: 'Message 50' });
  await start();
  expect(decisions).toEqual(['blocked.refused', 'speak']);
  expect(submitted).toMatchObject([{ id: 'item 51' }]);
  expect(posted).toEqual([]);
});

it.each([
  ['a word that is blocked since', { blocked: 'Message 50' }, '“x”'],
  ['its member, who was muted', { settings: { mutedMembers: [AUTHOR] } }, 'muted you'],
])('others do not read why a text is not spoken for %s', async (_, options, why) => {
  const told = stage({ ...options, kind: 'say' });
  await told.start();
  await expect.poll(() => told.toCaller[0]).toMatchObject({ content: expect.stringContaining(why) });
  expect(told.toCaller[0]?.flags).toBe(MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds);
  expect([...told.edited, ...told.posted].join()).not.toContain(why);

  const late = stage({ ...options, kind: 'say', isExpired: true });
  await late.start();
  await expect.poll(() => late.edited[0]).toBe('This server’s rules don’t allow speaking this.');
  expect(late.toCaller).toEqual([]);
});

it('a text for a channel that was forbidden can be tried again', async () => {
  const { start, guild, edited, buttons } = stage({ kind: 'say', settings: { allowedChannels: ['31'] } });
  guild.channels.cache.set('31', { id: '31', isVoiceBased: () => true } as never);
  // Its requester is not known, and counts as no admin.
  await start();
  await expect.poll(() => edited[0]).toContain('only in <#31>');
  expect(buttons[0]).toContain('say-go');
});

it('messages that nobody would hear are told of once in their channel', async () => {
  const { start, guild, submitted, posted, texts } = stage({ listeners: 0 });
  guild.members.me = { communicationDisabledUntilTimestamp: null, permissions: { has: () => true } };
  guild.channels.cache.clear();
  await start();
  await new Promise((resolve) => setImmediate(resolve));
  expect(submitted).toEqual([]);
  expect(posted).toEqual(['-# The bot restarted: 2 messages weren’t read aloud.']);
  expect(texts.all()).toEqual([]);
});

it('a text that was being spoken is offered again, and not spoken by itself', async () => {
  const { start, submitted, edited, buttons, noted } = stage({ kind: 'say', state: 'started' });
  await start();
  await expect.poll(() => edited).toHaveLength(2);
  expect(edited[0]).toBe('The bot restarted, so this wasn’t spoken in full.');
  expect(buttons[0]).toContain('say-go');
  expect(noted).toMatchObject([{ outcome: 'failed', cause: 'stopping' }, { outcome: 'failed' }]);
  expect(submitted).toEqual([]);
});

it('a server with an outage is come back to when that is over', async () => {
  const { start, client, guild, submitted } = stage({ available: false });
  await start();
  expect(submitted).toEqual([]);
  guild.available = true;
  client.emit(Events.GuildAvailable, { id: '9' });
  await expect.poll(() => submitted.length).toBe(2);
  client.emit(Events.GuildAvailable, { id: '9' });
  await new Promise((resolve) => setImmediate(resolve));
  expect(submitted).toHaveLength(2);
});

it('what has not come back when the bot is stopped again stays kept', async () => {
  const { start, submitted, texts } = stage({ isStopping: true });
  await start();
  expect(submitted).toEqual([]);
  expect(texts.all()).toMatchObject([{ words: { requested: {} } }, { words: { requested: {} } }]);
});

it('nothing is said in servers that the bot may not be in', async () => {
  const { start, submitted, posted, texts } = stage({ allowed: ['1'] });
  await start();
  expect([submitted, posted, texts.all()]).toEqual([[], [], []]);
});
