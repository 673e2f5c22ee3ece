import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { type Client, Collection, DiscordAPIError, Events, MessageFlags } from 'discord.js';
import { describe, expect, it } from 'vitest';
import { comeBack, returnToPlaces } from '../../../src/commands/playback/after-restart.ts';
import type { SpokenNote } from '../../../src/discord/moderation/moderation-log.ts';
import { DeliveryError, refusal, UserError } from '../../../src/errors/user-errors.ts';
import { type AcceptedText, createUnspokenKeeper, type KeptWords } from '../../../src/services/playback/unspoken.ts';
import type { Delivery, NewItem } from '../../../src/services/queue/queue-item.ts';
import { rulesOf } from '../../../src/services/servers/admission.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import type { RecalledPurchase } from '../../../src/services/synthesis/sound-store.ts';
import { BlockedWordError } from '../../../src/services/text/blocked-words.ts';
import { createPending } from '../../../src/services/time/timers.ts';
import { text } from '../../../src/texts/catalog.ts';
import { deliveryOf, itemOf, orderOf, requestedOf } from '../../services/queue/items.ts';
import { createMemoryRows } from '../../services/storage/memory-rows.ts';
import { servicesOf, submissionOf } from '../scene.ts';

const AUTHOR = '7';

/** What can happen meanwhile. */
interface Moment extends Record<'stop' | 'takeBack' | 'forget', () => void> {
  readonly words: string;
  readonly settings: ServerSettings;
}

const apiError = (code: number, status: number, method: string) =>
  new DiscordAPIError({ code, message: 'refused' }, code, status, method, '', {});

/**
 * What an earlier process left of messages that are read out, and a bot that has just logged in. Other `kind`s were asked
 * for by a command, maybe with the words of a member `authorId`. Messages that are not `there` were deleted. Discord takes
 * nothing by the tokens of expired replies. The last three happen while the payment for a text is looked up, while Discord
 * is asked for a message, and while a text is checked for blocked words.
 */
function stage({
  listeners = 1,
  optedOut = false,
  authorId = undefined as string | undefined,
  available = true,
  there = ['50', '51'] as readonly string[],
  editedIds = [] as readonly string[],
  allowed = undefined as readonly string[] | undefined,
  isStopping = false,
  paid = 0,
  kind = 'message' as 'message' | 'say' | 'replay' | 'file',
  refused = undefined as UserError | undefined,
  isExpired = false,
  settings = {} as ServerSettings,
  blocked = undefined as string | undefined,
  meanwhile = (_: Moment): unknown => undefined,
  asked = (_: Moment): unknown => undefined,
  checked = (_: Moment): unknown => undefined,
} = {}) {
  let stopping = isStopping ? refusal('stopping') : undefined;
  const rows = { texts: createMemoryRows<AcceptedText>(), words: createMemoryRows<KeptWords>() };
  for (const [index, messageId] of ['50', '51'].entries()) {
    const id = `item ${messageId}`;
    const key = `9 ${AUTHOR} ${id}`;
    const sinceMs = Date.now() + index;
    const order = orderOf({ userId: AUTHOR, authorId, ...(kind === 'message' && { from: 'reading', lane: 'm' }) });
    rows.words.set(key, { sinceMs, value: { order, requested: requestedOf(`Message ${messageId}`) } });
    const reply = { applicationId: '1', interactionId: '2', token: 'token', locale: 'en-US' };
    const origin = {
      ...{ kind, guildId: '9', userId: AUTHOR, channelId: '30', textChannelId: '20', messageId, authorId, lane: 'm' },
      reply: kind === 'message' ? undefined : reply,
    };
    rows.texts.set(key, { sinceMs, value: { id, state: 'waiting', comebacks: 0, origin } });
  }
  const keeper = createUnspokenKeeper({ ...rows, isKept: true });
  const texts = () => rows.texts.entries().map(([key, { value }]) => ({ ...value, words: rows.words.get(key)?.value }));
  const states = Array.from({ length: listeners }, (_, index) => [
    `${index}`,
    { id: `${index}`, channelId: '30', member: { user: { bot: false } } },
  ]);
  const followed = new Map<string, AbortController>();
  const moment = (words = ''): Moment => ({
    words,
    settings,
    stop: () => {
      stopping = refusal('stopping');
    },
    takeBack: () => followed.get(words.replace('Message ', ''))?.abort(),
    forget: () => void keeper.forgetMember(AUTHOR),
  });
  const [posted, edited, buttons]: [string[], string[], string[]] = [[], [], []];
  const toCaller: { readonly content: string; readonly flags: number }[] = [];
  const textChannel = {
    ...{ isTextBased: () => true, isSendable: () => true, isDMBased: () => false, isThread: () => false },
    permissionsFor: () => ({ has: () => true }),
    send: async ({ content }: { content: string }) => void posted.push(content),
    messages: {
      fetch: async (id: string) => {
        asked(moment());
        if (there.includes(id)) return { editedTimestamp: editedIds.includes(id) ? 1 : null };
        throw apiError(10_008, 404, 'GET');
      },
    },
  };
  const voice = (id: string) => [id, { id, isVoiceBased: () => true, guild: { members: {} } }];
  const guild = {
    ...{ available, shardId: 0, preferredLocale: 'en-US' },
    members: { me: null as object | null, cache: new Collection() },
    voiceStates: { cache: new Collection(states as never) },
    channels: { cache: new Collection([voice('30'), voice('31')] as never) },
  };
  const client = Object.assign(new EventEmitter(), {
    guilds: { cache: new Collection([['9', guild]] as never) },
    channels: { cache: new Collection([['20', textChannel]] as never) },
    options: { jsonTransformer: (row: unknown) => row },
    rest: {
      async delete() {
        if (isExpired) throw apiError(50_027, 401, 'DELETE');
      },
      async post(_: string, { body }: { body: { content: string; flags: number } }) {
        toCaller.push(body);
        return { id: '1' };
      },
      async patch(_: string, { body }: { body: { content: string; components: unknown } }) {
        edited.push(body.content);
        buttons.push(JSON.stringify(body.components));
        throw apiError(50_027, 401, 'PATCH');
      },
    },
  });
  const submitted: (NewItem & { readonly over: PromiseWithResolvers<Delivery> })[] = [];
  const noted: SpokenNote[] = [];
  const atMs = Date.now() + 60_000;
  const sound: RecalledPurchase = paid > 0 ? { kind: 'at-hand', paid: { credits: paid, atMs } } : { kind: 'to-buy' };
  const services = servicesOf({
    settings: { of: async () => rulesOf(settings), known: () => rulesOf(settings) },
    texts: {
      async blockedInRequest({ input: words }: { input: string }) {
        checked(moment(words));
        return words === blocked ? new BlockedWordError(text('blocked.refused', { rule: 'x' })) : undefined;
      },
    },
    optOuts: { has: async () => optedOut },
    voices: {
      list: async () => ({ voices: [], models: [] }),
      known: () => ({ voices: [{ id: 'v', name: 'aria', model: 'gpro' }] }),
    },
    synthesizer: {
      async recall() {
        meanwhile(moment());
        return [sound];
      },
    },
    moderation: { note: (note: SpokenNote) => void noted.push(note) },
    pending: createPending(),
    localVoice: paid === 0,
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
          const id = utterance.restored?.id ?? '';
          return submissionOf(itemOf({ ...utterance, id, state: 'speaking', channelId: '30' }), over.promise);
        },
      }),
    },
  });
  const start = () =>
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
    });
  return { rows, texts, posted, edited, buttons, toCaller, submitted, followed, noted, guild, client, start };
}

type Before = Parameters<typeof stage>[0];

const idOf = ({ restored }: NewItem) => restored?.id;

/** The ids of what is spoken after the start, and of what is kept. */
async function spokenAfter(before: Before = {}) {
  const started = stage(before);
  await started.start();
  await turn();
  return { ...started, spoken: started.submitted.map(idOf), kept: started.texts().map(({ id }) => id) };
}

const BOTH = ['item 50', 'item 51'];

it('messages that waited are read out in order, by their ids, and can still be taken back', async () => {
  const { submitted, followed, texts } = await spokenAfter();
  expect(submitted.map(idOf)).toEqual(BOTH);
  expect(submitted.map(({ requested }) => requested.request.input)).toEqual(['Message 50', 'Message 51']);
  expect(submitted[0]?.order).toMatchObject({ lane: 'm', userId: AUTHOR });
  // Notices belong where commands are used.
  expect(submitted[0]?.order.textChannelId).toBeUndefined();
  expect([...followed.keys()]).toEqual(['50', '51']);
  expect(texts()).toMatchObject([{ comebacks: 1 }, { comebacks: 1 }]);
  submitted[0]?.over.resolve({} as Delivery);
  await turn();
  expect(texts().map(({ id }) => id)).toEqual(['item 51']);
});

it.each<[string, Before, string[]]>([
  ['was edited', { editedIds: ['50'] }, ['item 51']],
  ['was deleted', { there: ['51'] }, ['item 51']],
  ['has an author who opted out', { optedOut: true }, []],
  ['is in a server that the bot may not be in any more', { allowed: ['1'] }, []],
  ['is forgotten while Discord is asked', { asked: ({ forget }) => forget() }, []],
  ['is taken back meanwhile', { checked: ({ words, takeBack }) => words.endsWith('50') && takeBack() }, ['item 51']],
])('a message is not read out that %s, and nothing of it is kept', async (_, before, left) => {
  const { spoken, kept } = await spokenAfter(before);
  expect([spoken, kept]).toEqual([left, left]);
});

describe('the moderators', () => {
  it('are told what was paid for a text before the start, which is not counted as free', async () => {
    const { submitted, noted } = await spokenAfter({ paid: 2_055 });
    expect(submitted).toMatchObject([{ restored: { wasPaidBefore: true } }, { restored: { wasPaidBefore: true } }]);
    submitted[0]?.over.resolve(deliveryOf({}));
    const lost = new UserError(refusal('connection-lost', { heard: 'nothing' }));
    submitted[1]?.over.reject(new DeliveryError('30', { kind: 'none' }, lost, true));
    await expect.poll(() => noted).toHaveLength(2);
    expect(noted).toMatchObject([
      { outcome: 'spoken', credits: 2_055 },
      { outcome: 'failed', credits: 2_055 },
    ]);
  });

  it('are told of what is not spoken any more, and of a file once, though its requester is still to be told', async () => {
    expect((await spokenAfter({ paid: 2_055, listeners: 0 })).noted).toMatchObject([
      {
        ...{ kind: 'auto-read', userId: AUTHOR, outcome: 'unspoken', cause: 'nobody-listening' },
        ...{ voices: [{ name: 'aria' }], characters: 10, credits: 2_055 },
      },
      { outcome: 'unspoken', credits: 2_055 },
    ]);
    expect((await spokenAfter({ there: ['51'] })).noted).toMatchObject([{ outcome: 'unspoken', credits: 0 }]);
    const { start, rows, noted, edited } = stage({ kind: 'file' });
    for (const [index, [key, row]] of rows.texts.entries().entries()) {
      rows.words.delete(key);
      if (index === 1) rows.texts.set(key, { ...row, value: { ...row.value, state: 'failed' } });
    }
    await start();
    await expect.poll(() => edited).toHaveLength(2);
    expect(noted).toMatchObject([{ kind: 'file', outcome: 'unspoken', cause: 'stopping' }]);
  });
});

it('a text that the queue refuses is told of with what was paid for it', async () => {
  const refused = new UserError(refusal('queue-full', { limit: 20 }));
  const { edited } = await spokenAfter({ paid: 2_055, kind: 'say', refused });
  expect(edited[0]).toContain('2,055 credits were used.');
});

it.each(['say', 'replay'] as const)('others do not hear (%s) a message whose author opted out', async (kind) => {
  const before = await spokenAfter({ kind, authorId: '8' });
  expect(before.submitted).toMatchObject([{ order: { authorId: '8' } }, { order: { authorId: '8' } }]);
  const { spoken, edited, noted, buttons } = await spokenAfter({ kind, authorId: '8', optedOut: true });
  expect(edited[0]).toContain('has opted out of being read aloud');
  expect(buttons.join()).not.toContain('say-go');
  expect(noted).toMatchObject([{ cause: 'opted-out' }, { cause: 'opted-out' }]);
  expect(spoken).toEqual([]);
});

it.each([
  ['for a member who was muted', { mutedMembers: [AUTHOR] }],
  ['in a channel that was forbidden', { allowedChannels: ['31'] }],
])('nothing is spoken %s meanwhile, also a moment ago', async (_, rules) => {
  const forbid = ({ settings }: Moment) => void Object.assign(settings, rules);
  const member = { permissions: { has: () => false }, roles: { cache: new Map() }, user: {} };
  for (const [before, spoken] of [
    [{}, BOTH],
    [{ settings: rules }, []],
    [{ meanwhile: forbid }, []],
    [{ checked: forbid }, []],
  ] as const) {
    const { start, guild, submitted } = stage(before);
    guild.members.cache.set(AUTHOR, member as never);
    await start();
    expect(submitted.map(idOf)).toEqual(spoken);
  }
});

it.each(['checked', 'meanwhile'] as const)('a failed lookup (%s) keeps its text, and holds up none', async (when) => {
  let lookups = 0;
  const fails = () => {
    if (lookups++ === 0) throw new Error('The store is out of order');
  };
  const { spoken, texts } = await spokenAfter({ [when]: fails });
  expect(spoken).toEqual(['item 51']);
  expect(texts()).toMatchObject([{ words: { requested: {} }, comebacks: 0 }, { comebacks: 1 }]);
});

it.each<[string, Before]>([
  ['while a message is checked', { checked: ({ stop }) => stop() }],
  ['while a text is checked', { kind: 'say', checked: ({ stop }) => stop() }],
  ['before', { isStopping: true }],
])('what has not come back when the bot is stopped again (%s) stays kept', async (_, before) => {
  const { spoken, texts, edited, noted } = await spokenAfter(before);
  expect([spoken, edited, noted]).toEqual([[], [], []]);
  expect(texts()).toMatchObject([{ words: { requested: {} } }, { words: { requested: {} } }]);
});

it.each([
  ['a word that is blocked since', { blocked: 'Message 50' }, '“x”'],
  ['its member, who was muted', { settings: { mutedMembers: [AUTHOR] } }, 'muted you'],
])('others do not read why a text is not spoken for %s', async (_, options, why) => {
  const told = await spokenAfter({ ...options, kind: 'say' });
  expect(told.toCaller[0]).toMatchObject({ content: expect.stringContaining(why) });
  expect(told.toCaller[0]?.flags).toBe(MessageFlags.Ephemeral | MessageFlags.SuppressEmbeds);
  expect([...told.edited, ...told.posted].join()).not.toContain(why);

  const late = await spokenAfter({ ...options, kind: 'say', isExpired: true });
  expect(late.edited).toContain('This server’s rules don’t allow speaking this.');
  expect(late.toCaller).toEqual([]);
});

it('messages that nobody would hear are told of once in their channel', async () => {
  const { start, guild, submitted, posted, texts } = stage({ listeners: 0 });
  guild.members.me = { communicationDisabledUntilTimestamp: null, permissions: { has: () => true } };
  guild.channels.cache.clear();
  await start();
  await turn();
  expect([submitted, texts()]).toEqual([[], []]);
  expect(posted).toEqual(['-# The bot restarted: 2 messages weren’t read aloud.']);
});

it('a server with an outage is come back to when that is over', async () => {
  const { start, client, guild, submitted } = stage({ available: false });
  await start();
  expect(submitted).toEqual([]);
  guild.available = true;
  for (let times = 0; times < 2; times += 1) client.emit(Events.GuildAvailable, { id: '9' });
  await expect.poll(() => submitted.length).toBe(2);
  await turn();
  expect(submitted).toHaveLength(2);
});

it('goes back into ten channels of a shard at a time, and none waits for a join that hangs or fails', async () => {
  const listener = { id: '7', channelId: '30', member: { user: { bot: false } } };
  const guild = {
    ...{ available: true, shardId: 0, members: { me: null } },
    voiceStates: { cache: new Collection([['7', listener]]) },
    channels: { cache: new Collection([['30', { id: '30', isVoiceBased: () => true, guild: { members: {} } }]]) },
  };
  const guildIds = Array.from({ length: 14 }, (_, index) => String(index));
  const client = { guilds: { cache: new Collection(guildIds.map((id) => [id, guild])) } } as unknown as Client<true>;
  const joins: PromiseWithResolvers<void>[] = [];
  const join = () => {
    const joining = Promise.withResolvers<void>();
    joins.push(joining);
    return joining.promise;
  };
  const speakers = { refusal: undefined, of: () => ({ channelId: undefined, join }) };
  const services = servicesOf({ speakers, reading: {} });
  const places = guildIds.map((guildId) => ({ guildId, channelId: '30', readsChat: false }));
  const returning = returnToPlaces(places, { client, services, allowed: undefined });
  expect(joins).toHaveLength(10);
  joins[1]?.reject(new Error('not joined'));
  joins[2]?.resolve();
  await turn();
  expect(joins).toHaveLength(12);
  for (const joining of joins.slice(3)) joining.resolve();
  await turn();
  expect(joins).toHaveLength(14);
  for (const joining of joins) joining.resolve();
  await returning;
});
