import { ChannelType } from 'discord.js';
import { describe, expect, it } from 'vitest';
import {
  type CommandCall,
  type ControlCall,
  OfferedError,
  type Services,
} from '../../../src/commands/framework/command.ts';
import { formAgainControls } from '../../../src/commands/framework/forms.ts';
import { replay } from '../../../src/commands/playback/replay.ts';
import { saveSpeech, say, speakMessage } from '../../../src/commands/say/say.ts';
import { accept } from '../../../src/commands/say/speak.ts';
import type { Button, Modal } from '../../../src/discord/replies/layout.ts';
import { DeliveryError, refusal, StoreError, UserError } from '../../../src/errors/user-errors.ts';
import { createFilesUnderWay } from '../../../src/services/playback/guild-speakers.ts';
import type { NewItem, SpeechOrder } from '../../../src/services/queue/queue-item.ts';
import { createTextCooldown, rulesOf } from '../../../src/services/servers/admission.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import type { BilledText } from '../../../src/services/spending/spending.ts';
import { charactersOf } from '../../../src/services/synthesis/parts.ts';
import type { RecalledPurchase } from '../../../src/services/synthesis/sound-store.ts';
import { createDictionary, type DictionaryEntry } from '../../../src/services/text/dictionary.ts';
import { SpokenTexts } from '../../../src/services/text/spoken-text.ts';
import { createPending } from '../../../src/services/time/timers.ts';
import type { OwnPlace, OwnSettings } from '../../../src/services/voices/voices.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { SpeechRequest, Voice } from '../../../src/speech/interface/schemas.ts';
import { render, text } from '../../../src/texts/catalog.ts';
import { deliveryOf, itemOf, orderOf } from '../../services/queue/items.ts';
import {
  callOf,
  controlOf,
  failureOf,
  refusalOf,
  replyOf,
  servicesOf,
  submissionOf,
  voiceOf,
  wordsOf,
} from '../scene.ts';

const voice = (name: string, model: string): Voice =>
  voiceOf(name, { id: `${name}-${model}`, model, formats: [model === 'orpheus' ? 'mp3' : 'wav'] });

const OVER_LIMIT = new UserError(
  text('refused.spending', { scope: 'member', about: 30, left: 20, limit: 200, when: 'soon' }),
);

const cutInto = (parts: number, input: string): string[] =>
  Array.from({ length: parts }, (_, part) =>
    input.slice(Math.floor((part * input.length) / parts), Math.floor(((part + 1) * input.length) / parts)),
  );

/**
 * One /say by a member in a voice channel, with a speaker that says everything at once. The service lists aria (gpro), ivy
 * (orpheus) and `more`, or `newer` when it is asked again. A character costs `rate` credits, as the account was billed
 * before, and one of those that the limits leave. `refusals` and `failures` are why the next texts are not accepted or not
 * spoken, one for each; `sound` is of each part of the text.
 */
function asked({
  options = {} as Readonly<Record<string, string | number>>,
  isStoreDown = false,
  own = {} as Partial<Record<'here' | 'everywhere', OwnSettings>>,
  rules = {} as ServerSettings,
  dictionary = [] as readonly DictionaryEntry[],
  rate = undefined as number | undefined,
  charactersLeft = Number.POSITIVE_INFINITY,
  localVoice = false,
  newer = undefined as readonly Voice[] | undefined,
  isServiceDown = false,
  more = [] as readonly Voice[],
  refusals = [] as UserError[],
  failures = [] as unknown[],
  sound = ['to-buy'] as readonly RecalledPurchase['kind'][],
} = {}) {
  const said: NewItem[] = [];
  const made: SpeechRequest[] = [];
  let nowMs = 0;
  const voices = [voice('aria', 'gpro'), voice('ivy', 'orpheus'), ...more];
  const list = { voices, models: [], fetchedAtMs: 0 };
  const heard = deliveryOf({ creditsUsed: 5, creditsRemaining: 95, cached: false }, { channelId: '1' });
  const settings = { of: async () => rulesOf(rules) };
  const services = {
    localVoice,
    settings,
    members: {
      async get({ guildId }: OwnPlace) {
        if (isStoreDown) throw new StoreError('hung');
        return own[guildId === undefined ? 'everywhere' : 'here'] ?? {};
      },
    },
    voices: {
      known: () => list,
      list: async () => {
        if (isServiceDown) throw new Error('There is no service');
        return list;
      },
      refresh: async () => ({ ...list, voices: newer ?? list.voices }),
    },
    texts: new SpokenTexts(settings as never, { of: async () => createDictionary(dictionary) } as never),
    moderation: { note: () => undefined },
    pending: createPending() as Services['pending'],
    // As time does, it goes on from one look to the next.
    cooldown: createTextCooldown(() => {
      nowMs += 0.001;
      return nowMs;
    }),
    unspoken: { keep: () => undefined, keepReply: () => undefined },
    files: createFilesUnderWay(),
    showsBalance: true,
    synthesizer: {
      billedTexts: ({ input, voice: { model = 'gpro' } }: SpeechRequest) =>
        cutInto(sound.length, input).map((part) => ({ model, characters: part.length })),
      recall: async () => sound.map((kind) => ({ kind })),
      async file(request: SpeechRequest) {
        made.push(request);
        return { bytes: new Uint8Array(), extension: 'wav', facts: heard.speech };
      },
    },
    spending: {
      estimateCredits: (texts: readonly BilledText[]) =>
        rate === undefined ? undefined : { about: rate * charactersOf(texts) },
      async mustAllow(_who: unknown, texts: readonly BilledText[]) {
        if (charactersOf(texts) > charactersLeft) throw OVER_LIMIT;
      },
    },
    speakers: {
      find: () => undefined,
      of: () => ({
        submit(item: NewItem) {
          const refused = refusals.shift();
          if (refused) throw refused;
          said.push(item);
          const failure = failures.shift();
          const queued = itemOf({ ...item, state: 'synthesizing', channelId: '1' });
          return submissionOf(queued, failure ? Promise.reject(failure) : Promise.resolve(heard));
        },
      }),
    },
  };
  const given: Readonly<Record<string, string | number>> = { text: 'Hello', ...options };
  const get = (name: string) => given[name] ?? null;
  const names = { cache: new Map() };
  const channel = { id: '1', type: ChannelType.GuildVoice, guild: { voiceAdapterCreator: () => undefined } };
  const interaction = {
    ...{ isChatInputCommand: () => true, inGuild: () => true, member: { voice: { channel } } },
    guild: { members: { ...names, me: null }, channels: names, roles: names },
    client: { users: names, channels: names },
    options: { getString: get, getNumber: get, getInteger: get, getChannel: () => null },
  };
  return { call: callOf(interaction, services), said, made };
}

type Circumstances = Parameters<typeof asked>[0];

/** The same command with these string options alone. */
function withOptions(call: CommandCall, given: Readonly<Record<string, string | undefined>>): CommandCall {
  const getString = (name: string) => given[name] ?? null;
  const { interaction } = call;
  return { ...call, interaction: { ...interaction, options: { ...interaction.options, getString } } } as CommandCall;
}

async function reply(circumstances: Circumstances) {
  const { call, said, made } = asked(circumstances);
  const { lines } = await replyOf(say, call);
  return { lines: lines.map((line) => render(line)), request: said[0]?.requested.request ?? made[0] };
}

/** The words of a refusal, before anything is spoken. */
async function refused(circumstances: Circumstances): Promise<string> {
  const { call, said } = asked(circumstances);
  const words = await refusalOf(() => say.begin(call));
  expect(said).toEqual([]);
  return words;
}

/** The offer that somebody gets instead of what was asked for. */
async function offered(attempt: () => unknown) {
  const offer = await failureOf(attempt);
  if (!(offer instanceof OfferedError)) throw new Error('Something should have been offered', { cause: offer });
  const [[button]] = offer.rows as [[Button]];
  const control = controlOf(say, button.control);
  const pressed = (call: CommandCall, argument = button.argument) =>
    ({ ...call, argument, values: [], fields: {} }) as unknown as ControlCall;
  return {
    words: wordsOf(offer),
    begin: (call: CommandCall, argument?: string) => control.begin(pressed(call, argument)),
    press: (call: CommandCall) => replyOf(control, pressed(call)),
  };
}

const LONG = { options: { text: 'Well now. '.repeat(20) }, rules: { confirmAboveCharacters: 100 } };
const style = 'as a rascal';
const rascal = { blockedWords: ['rascal'] };

describe('/say', () => {
  const ivy = { voiceId: 'ivy-orpheus', name: 'ivy', model: 'orpheus' };
  it.each<[string, Circumstances, string]>([
    ['the server’s default voice', { rules: { defaultVoice: ivy } }, 'ivy-orpheus'],
    ['the first one, although the store is down', { isStoreDown: true }, 'aria-gpro'],
    ['one that is newer than the list', { options: { voice: 'nova' }, newer: [voice('nova', 'ext')] }, 'nova-ext'],
  ])('speaks with %s', async (_, circumstances, voiceId) => {
    expect((await reply(circumstances)).request?.voice.voiceId).toBe(voiceId);
  });

  it.each<[Circumstances, string | RegExp]>([
    [{ options: { voice: 'arai' } }, 'Did you mean aria (gpro)?'],
    [{ options: { voice: 'zzzzzzz' } }, 'Unknown voice “zzzzzzz”'],
    // Emoji are spoken by their names.
    [{ options: { text: '👍🎉'.repeat(4) }, rules: { maxCharacters: 30 } }, /\d+ characters when read aloud, .* is 30/],
    [{ options: { style }, rules: rascal }, 'This style has a word that this server blocks. Choose another one.'],
    [{ options: { text: 'Crier!' }, dictionary: [{ from: 'Crier', to: '', wholeWord: true }] }, 'skips everything'],
    [{ options: { text: '[laugh]', voice: 'aria' } }, 'aria (gpro)'],
    [{ options: { speed: 1.6 } }, 'The speech service rejected this request.'],
    // Without asking the service, which may be slow or down.
    [{ options: { text: 'so '.repeat(40) }, rules: { maxCharacters: 100 }, isServiceDown: true }, /119 .* is 100/],
    [{ options: { text: 'You rascal' }, rules: rascal, isServiceDown: true }, 'blocks “rascal”'],
    [{ options: { text: '?!' }, isServiceDown: true }, 'nothing to read'],
  ])('refuses %j before anything is spent', async (circumstances, words) => {
    expect(await refused(circumstances)).toMatch(words);
  });

  it('leaves out a kept style with a blocked word, and opens no form for one', async () => {
    const own = { here: { style }, everywhere: { style: 'calm' } };
    expect((await reply({ own, rules: rascal })).request?.style).toBe('calm');
    const { call } = asked({ rules: rascal });
    expect(await refusalOf(() => say.begin(withOptions(call, { style })))).toContain('This style has a word');
  });

  it('asks for what was filled in, and for one’s own where nothing was', async () => {
    const own = { here: { speed: 1.2, voice: ivy }, everywhere: { speed: 0.8, style: 'calm', temperature: 0.5 } };
    expect((await reply({ own, options: { temperature: 0, seed: 7 } })).request).toEqual({
      input: 'Hello',
      voice: { kind: 'id', voiceId: 'ivy-orpheus', model: 'orpheus', formats: ['mp3'] },
      ...{ style: 'calm', speed: 1.2, temperature: 0, seed: 7 },
    });
  });

  it('says which parameters the voice’s model ignores, and leaves out the tags that it would read', async () => {
    const options = { voice: 'ivy', temperature: 1, style: 'calm', seed: 1 };
    expect((await reply({ options })).lines[1]).toBe('-# ivy (orpheus) ignores style and temperature.');
    const plain = await reply({ options: { text: 'Ha [laugh] ha, **yes** https://example.com/x [sic]' } });
    expect(plain.request?.input).toBe('Ha ha, yes link to example.com [sic]');
    expect(plain.lines).toContain('-# aria (gpro) ignores speech tags; /tags shows whether other voices support them.');
  });

  it('offers the voice of the same name that takes the options, and speaks the text again with it', async () => {
    const options = { voice: 'ivy-orpheus', speed: 1.2 };
    const more = [voice('ivy', 'gpro'), voice('ivy', 'ext')];
    const { call, said } = asked({ options, more });
    const { lines, rows = [] } = await replyOf(say, call);
    expect(lines.map((line) => render(line))[1]).toBe('-# ivy (orpheus) ignores speed, but ivy (ext) doesn’t.');
    const { control, argument, label } = rows.flat().at(-1) as Button;
    expect([control, render(label)]).toEqual(['say-go', 'Say it with ivy (ext)']);
    await replyOf(controlOf(say, control), { ...call, argument, values: [], fields: {} } as unknown as ControlCall);
    expect(said.map(({ requested: { request } }) => request)).toMatchObject([
      { voice: { voiceId: 'ivy-orpheus' }, speed: 1.2 },
      { voice: { voiceId: 'ivy-ext' }, speed: 1.2 },
    ]);
    const rules = { allowedModels: ['orpheus', 'gpro'] };
    expect((await reply({ options, more, rules })).lines[1]).toBe('-# ivy (orpheus) ignores speed.');
  });

  it('asks for the same sound where the format is named that the voice makes anyway; a file has it', async () => {
    const { request } = await reply({ options: { voice: 'ivy' } });
    expect((await reply({ options: { voice: 'ivy', format: 'mp3' } })).request).toEqual(request);
    const free = await reply({ options: { voice: 'ivy', format: 'mp3' }, localVoice: true });
    expect(free.request?.responseFormat).toBe('mp3');
    expect((await reply({ options: { voice: 'ivy', format: 'mp3', as: 'file' } })).request?.responseFormat).toBe('mp3');
  });
});

describe('the question about a long text', () => {
  const question = 'This is a long text: 199 characters will be billed';
  const [atHand, toBuy] = ['at-hand', 'to-buy'] as const;
  const longer = { ...LONG, options: { text: 'Well now. '.repeat(30) }, sound: [toBuy, atHand, toBuy] };
  const withStyle = (model: string) => ({
    ...LONG,
    newer: [voice('nova', model)],
    options: { ...LONG.options, voice: 'nova', style: 'softly' },
  });

  it.each<[string, Circumstances, string]>([
    ['says how long it is', LONG, `${question}. Speak it?`],
    ['says what it costs where that is known', { ...LONG, rate: 0.0623 }, `${question}, about 12 credits. Speak it?`],
    ['counts what is not at hand', { ...longer, rate: 2 }, `${question}, about 398 credits. Speak it?`],
    ['says that a style is billed', withStyle('gpro'), 'will be billed (including the style). Speak it?'],
    ['says nothing of a style that is free', withStyle('gpro38'), 'will be billed. Speak it?'],
    ['is not asked where the limits leave less', { ...LONG, charactersLeft: 198 }, render(OVER_LIMIT.text)],
    ['is asked where they leave enough', { ...LONG, charactersLeft: 199 }, question],
    ['counts for the limits what is not at hand', { ...longer, charactersLeft: 198 }, render(OVER_LIMIT.text)],
    ['names what is made', { ...LONG, options: { ...LONG.options, as: 'file' } }, `${question}. Create the file?`],
  ])('%s', async (_, circumstances, words) => {
    expect(await refused(circumstances)).toContain(words);
  });

  it.each<[string, Circumstances]>([
    ['of which all is at hand', { ...LONG, charactersLeft: 0, sound: [atHand, atHand] }],
    ['of which little is not', { ...LONG, sound: [atHand, toBuy] }],
    ['of the free built-in voice', { ...LONG, localVoice: true }],
    ['of a model that is free', { ...LONG, rate: 0 }],
  ])('is not asked about one %s', async (_, circumstances) => {
    expect((await reply(circumstances)).request).toBeDefined();
  });

  it('is answered once, by its requester', async () => {
    const { call, said } = asked(LONG);
    const { press, begin } = await offered(() => say.begin(call));
    const others = { ...call, interaction: { ...call.interaction, user: { id: '8' } } } as CommandCall;
    expect(() => begin(others)).toThrow('refused.over');
    await press(call);
    expect(said).toHaveLength(1);
    // A double click, while it is being spoken: nothing went wrong with the text.
    expect(() => begin(call)).toThrow('refused.pressed-already');
    expect(() => begin(call, 'unknown')).toThrow('refused.over');
  });

  it('keeps a text whose answer was refused, for when that has been seen to', async () => {
    const full = new UserError(refusal('queue-full', { limit: 1 }));
    const { call, said } = asked({ ...LONG, rules: { ...LONG.rules, cooldownSeconds: 30 }, refusals: [full] });
    const nowhere = { ...call, interaction: { ...call.interaction, member: { voice: { channel: null } } } } as never;
    const first = await offered(() => say.begin(call));
    const second = await offered(() => first.press(nowhere));
    expect(second.words).toContain('voice channel');
    const third = await offered(() => second.press(call));
    expect(third.words).toBe(render(full.text));
    await third.press(call);
    expect(said).toHaveLength(1);
    await failureOf(() => third.press(call));
  });
});

describe('the break between texts', () => {
  const failed = (cause: unknown, credits = 0) =>
    new DeliveryError('1', credits === 0 ? { kind: 'none' } : { kind: 'used', credits }, cause);
  const down = new SpeechError({ kind: 'unavailable', message: 'down' });
  const rules = { cooldownSeconds: 30 };
  const PAUSE = 'This server has a cooldown between texts. Try again in 30 seconds.';
  const again = (call: CommandCall) => refusalOf(() => replyOf(say, call));

  it('is asked for between texts that are spoken, however often one was asked about them; a form opens without', async () => {
    const { call, said } = asked({ ...LONG, rules: { ...LONG.rules, ...rules } });
    for (let times = 0; times < 2; times += 1) expect(await say.begin(withOptions(call, {}))).toHaveProperty('fields');
    const { press } = await offered(() => say.begin(call));
    await press(call);
    expect(await again(call)).toBe(PAUSE);
    expect(await refusalOf(() => say.begin(withOptions(call, {})))).toBe(PAUSE);
    expect(said).toHaveLength(1);
  });

  it('comes after as many texts in ten seconds as admins want; the stricter limit is named', async () => {
    const short = asked({ rules: { cooldownSeconds: 3, textsInTenSeconds: 1 } }).call;
    await replyOf(say, short);
    expect(await again(short)).toBe('Slow down: the limit is 1 text per 10 seconds. Try again in 10 seconds.');
    // No limit of their own besides that one.
    for (const command of [say, speakMessage, saveSpeech, replay]) expect(command).not.toHaveProperty('cooldown');
  });

  it('does not come after a text that was refused, nor before the same text is tried again', async () => {
    const full = new UserError(refusal('queue-full', { limit: 1 }));
    const strict = { ...rules, ...rascal, textsInTenSeconds: 1, maxCharacters: 50 };
    const { call, said } = asked({ rules: strict, refusals: [full], failures: [failed(down), failed(down)] });
    for (const options of [{ text: 'a '.repeat(60) }, { text: 'rascal' }, { text: 'Hi', voice: 'zzz' }, { text: 'Hi' }])
      await failureOf(() => replyOf(say, withOptions(call, options)));
    expect(said).toEqual([]);
    const tried = asked({ rules, failures: [failed(down, 5), failed(down, 5)] });
    const first = await offered(() => replyOf(say, tried.call));
    const second = await offered(() => first.press(tried.call));
    await second.press(tried.call);
    expect(tried.said).toHaveLength(3);
  });

  it('does not come after a text that failed for nothing, which counts among those in ten seconds', async () => {
    const policy = new SpeechError({ kind: 'content-policy', message: 'no' });
    const limited = { ...rules, textsInTenSeconds: 3 };
    const { call } = asked({ rules: limited, failures: [failed(policy), failed(policy), failed(policy)] });
    for (let times = 0; times < 3; times += 1) await failureOf(() => replyOf(say, call));
    expect(await again(call)).toContain('the limit is 3 texts');
    const paid = asked({ rules: limited, failures: [failed(policy, 5)] }).call;
    await failureOf(() => replyOf(say, paid));
    expect(await again(paid)).toBe(PAUSE);
  });

  it('is counted in each of the bot’s servers, and everywhere else together', () => {
    const services = servicesOf({ cooldown: createTextCooldown(() => 0) });
    const accepts = (guildId: string | null, isBotThere: boolean) => () => {
      const interaction = { guildId, user: { id: '1' }, inCachedGuild: () => isBotThere, memberPermissions: null };
      accept({ interaction, services } as unknown as CommandCall, rulesOf({}), () => async () => ({ lines: [] }));
    };
    for (const guildId of [null, '11', '12', '13', '14']) accepts(guildId, false)();
    for (const guildId of [null, '15']) expect(accepts(guildId, false)).toThrow('refused.too-many-texts');
    for (let texts = 0; texts < 5; texts += 1) accepts('21', true)();
    expect(accepts('21', true)).toThrow('refused.too-many-texts');
    expect(accepts('22', true)).not.toThrow();
  });
});

describe('the form of a long text', () => {
  const control = controlOf(say, 'say-text');

  /** It is sent with the token of an order that waits for it. */
  function sent(order: Partial<SpeechOrder> = {}) {
    const { call, said } = asked();
    const { pending } = call.services;
    const argument = pending.put('order', orderOf({ userId: '7', words: '', ...order }));
    const fields = { text: 'What was written.' };
    return { call: { ...call, argument, values: [], fields } as unknown as ControlCall, said, pending };
  }

  it('takes no words of a message for one’s own, nor another member’s', () => {
    for (const order of [{ from: 'message' }, { userId: '8' }] as const) {
      expect(() => control.begin(sent(order).call)).toThrow('say.form-over');
    }
  });

  it('is gone after a restart; what was written in it comes back in one that can be sent', async () => {
    const { call, said, pending } = sent({ isScript: true });
    pending.forgetMember('7');
    expect(() => control.begin(call)).toThrow('say.form-over');
    const { argument, fields } = call;
    const rejected = pending.put('form', { argument, fields, userId: '7', words: '' });
    const again = await formAgainControls(control)[0]?.begin({ ...call, argument: rejected });
    expect(again).toMatchObject({ fields: [{ value: 'What was written.' }] });
    await replyOf(control, { ...call, argument: (again as Modal).argument });
    expect(said).toHaveLength(1);
  });
});
