import { ChannelType } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import {
  type CommandCall,
  type Control,
  type ControlCall,
  OfferedError,
  type PendingActions,
  type Reply,
} from '../../../src/commands/framework/command.ts';
import { replay } from '../../../src/commands/playback/replay.ts';
import { saveSpeech, say, speakMessage } from '../../../src/commands/say/say.ts';
import { accept } from '../../../src/commands/say/speak.ts';
import type { Button } from '../../../src/discord/replies/layout.ts';
import { refusal } from '../../../src/errors/refusals.ts';
import { DeliveryError, StoreError, UserError } from '../../../src/errors/user-errors.ts';
import { createFilesUnderWay } from '../../../src/services/playback/guild-speakers.ts';
import type { NewItem } from '../../../src/services/queue/live-item.ts';
import type { Delivery, SpeechOrder } from '../../../src/services/queue/queue-item.ts';
import { createTextCooldown } from '../../../src/services/servers/cooldowns.ts';
import { rulesOf } from '../../../src/services/servers/server-rules.ts';
import type { ServerSettings } from '../../../src/services/servers/server-settings.ts';
import type { BilledText } from '../../../src/services/spending/spending.ts';
import { charactersOf } from '../../../src/services/synthesis/parts.ts';
import type { RecalledPurchase } from '../../../src/services/synthesis/purchases.ts';
import { Dictionary, type DictionaryEntry } from '../../../src/services/text/dictionary.ts';
import { BlockedWordError, SpokenTexts } from '../../../src/services/text/spoken-text.ts';
import { createPending } from '../../../src/services/time/pending.ts';
import type { OwnPlace, OwnSettings } from '../../../src/services/voices/member-settings.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { requestWarnings, type SpeechRequest } from '../../../src/speech/request.ts';
import { render, text } from '../../../src/texts/catalog.ts';
import { itemOf, orderOf } from '../../services/queue/items.ts';
import { replyOf } from '../reply-of.ts';
import { servicesOf } from '../services.ts';

function voice(name: string, model: string): Voice {
  return {
    id: `${name}-${model}`,
    name,
    model,
    language: 'multiple',
    formats: model === 'orpheus' ? ['mp3'] : ['wav'],
    supports_style: true,
  };
}

interface Circumstances {
  readonly text?: string;
  readonly voice?: string;
  /** The numbers, the style and the format that were filled in. */
  readonly options?: Readonly<Record<string, string | number>>;
  readonly isStoreDown?: boolean;
  readonly own?: Partial<Record<'here' | 'everywhere', OwnSettings>>;
  readonly rules?: ServerSettings;
  readonly dictionary?: readonly DictionaryEntry[];
  /** Credits a character, as the account was billed before. */
  readonly rate?: number;
  /** What the limits on credits leave, at a credit a character. */
  readonly charactersLeft?: number;
  readonly localVoice?: boolean;
  /** What the service lists when it is asked again. */
  readonly newer?: readonly Voice[];
  /** Why the next texts are not accepted; one for each. */
  readonly refusals?: UserError[];
  /** Why the next accepted ones are not spoken; one for each. */
  readonly failures?: unknown[];
  /** Of each part of the text. */
  readonly sound?: readonly RecalledPurchase['kind'][];
  /** What becomes of looking for the service's voices. */
  readonly voices?: () => Promise<never>;
}

const OVER_LIMIT = new UserError(text('refused.spending.member', { limit: 200, left: 20 }));

const cutInto = (parts: number, input: string): string[] =>
  Array.from({ length: parts }, (_, part) =>
    input.slice(Math.floor((part * input.length) / parts), Math.floor(((part + 1) * input.length) / parts)),
  );

/** One /say by a member in a voice channel, with a speaker that says everything at once. */
function asked(circumstances: Circumstances) {
  const said: NewItem[] = [];
  const made: SpeechRequest[] = [];
  let nowMs = 0;
  const list = { voices: [voice('aria', 'gpro'), voice('ivy', 'orpheus')], models: [], fetchedAtMs: 0 };
  const delivery = (request: SpeechRequest): Delivery => ({
    outcome: 'finished',
    channelId: '1',
    firstAudioMs: 20,
    encrypted: true,
    speech: {
      creditsUsed: 5,
      creditsRemaining: 95,
      cached: false,
      warnings: requestWarnings(request),
    },
  });
  const rules = { of: async () => rulesOf(circumstances.rules ?? {}) };
  const dictionary = new Dictionary(circumstances.dictionary ?? []);
  const services = servicesOf({
    log: pino({ level: 'silent' }),
    localVoice: circumstances.localVoice ?? false,
    settings: rules,
    members: {
      async get({ guildId }: OwnPlace) {
        if (circumstances.isStoreDown) throw new StoreError('hung');
        return circumstances.own?.[guildId === undefined ? 'everywhere' : 'here'] ?? {};
      },
    },
    voices: {
      known: () => list,
      list: circumstances.voices ?? (async () => list),
      refresh: async () => ({ ...list, voices: circumstances.newer ?? list.voices }),
    },
    texts: new SpokenTexts(rules as never, { of: async () => dictionary } as never),
    moderation: { note: () => undefined },
    pending: createPending() as PendingActions,
    // As time does, it goes on from one look to the next.
    cooldown: createTextCooldown(() => {
      nowMs += 0.001;
      return nowMs;
    }),
    unspoken: { keep: () => undefined, keepReply: () => undefined },
    files: createFilesUnderWay(),
    synthesizer: {
      billedTexts: ({ input, voice: { model = 'gpro' } }: SpeechRequest) =>
        cutInto(circumstances.sound?.length ?? 1, input).map((part) => ({ model, characters: part.length })),
      recall: async () => (circumstances.sound ?? ['to-buy']).map((kind) => ({ kind })),
      async file(request: SpeechRequest) {
        made.push(request);
        return { bytes: new Uint8Array(), extension: 'wav', facts: delivery(request).speech };
      },
    },
    spending: {
      estimateCredits: (texts: readonly BilledText[]) =>
        circumstances.rate !== undefined && { about: circumstances.rate * charactersOf(texts) },
      async mustAllow(_who: unknown, texts: readonly BilledText[]) {
        if (charactersOf(texts) > (circumstances.charactersLeft ?? Number.POSITIVE_INFINITY)) throw OVER_LIMIT;
      },
    },
    speakers: {
      find: () => undefined,
      of: () => ({
        submit(utterance: NewItem) {
          const refusal = circumstances.refusals?.shift();
          if (refusal) throw refusal;
          said.push(utterance);
          const failure = circumstances.failures?.shift();
          return {
            id: 'item',
            delivery: failure ? Promise.reject(failure) : Promise.resolve(delivery(utterance.requested.request)),
            item: () => itemOf({ ...utterance, state: 'synthesizing', channelId: '1' }),
            onChanged: () => () => undefined,
          };
        },
      }),
    },
  });
  const options: Record<string, unknown> = {
    text: circumstances.text ?? 'Hello',
    voice: circumstances.voice,
    ...circumstances.options,
  };
  const get = (name: string) => options[name] ?? null;
  const names = { cache: new Map() };
  const interaction = {
    guildId: '9',
    inCachedGuild: () => true,
    isChatInputCommand: () => true,
    user: { id: '7' },
    inGuild: () => true,
    locale: 'en-US',
    createdTimestamp: 0,
    guild: { members: { ...names, me: null }, channels: names, roles: names },
    client: { users: names, channels: names },
    options: { getString: get, getNumber: get, getInteger: get, getChannel: () => null },
    member: {
      voice: { channel: { id: '1', type: ChannelType.GuildVoice, guild: { voiceAdapterCreator: () => undefined } } },
    },
  };
  const signal = new AbortController().signal;
  const call = { interaction, services, signal, answered: Promise.resolve() } as unknown as CommandCall;
  return { call, said, made };
}

/** The same command with these string options alone. */
function withOptions(call: CommandCall, given: Readonly<Record<string, string>>): CommandCall {
  const getString = (name: string) => given[name] ?? null;
  const { interaction } = call;
  return { ...call, interaction: { ...interaction, options: { ...interaction.options, getString } } } as CommandCall;
}

async function reply(circumstances: Circumstances) {
  const { call, said, made } = asked(circumstances);
  const { lines } = await replyOf(say, call);
  return {
    lines: lines.map((line) => render(line)),
    spokenWith: said.map(({ requested }) => requested.request.voice.voiceId),
    request: said[0]?.requested.request ?? made[0],
  };
}

async function refused(circumstances: Circumstances) {
  const { call, said } = asked(circumstances);
  const error = await Promise.resolve(say.begin(call)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(said).toEqual([]);
  if (error instanceof OfferedError) return wordsOf(error.cause);
  return wordsOf(error);
}

/** The offer that somebody gets instead of what was asked for. */
async function offered(
  attempt: () => unknown,
): Promise<{ readonly words: string; readonly press: (call: CommandCall) => Promise<Reply> }> {
  const offer = await Promise.resolve(attempt()).catch((error: unknown) => error);
  if (!(offer instanceof OfferedError)) throw new Error('Something should have been offered', { cause: offer });
  const [[button]] = offer.rows as [[Button]];
  const control = say.controls?.find(({ name }) => name === button.control) as Control;
  return {
    words: offer.cause instanceof UserError ? wordsOf(offer.cause) : String(offer.cause),
    press: (call) =>
      replyOf(control, { ...call, argument: button.argument, values: [], fields: {} } as unknown as ControlCall),
  };
}

function wordsOf(error: unknown): string {
  if (!(error instanceof UserError)) throw new Error('It should have been refused', { cause: error });
  return render(error.text);
}

describe('/say', () => {
  it('takes the server’s default voice, unless another one is named', async () => {
    const rules = { defaultVoice: { voiceId: 'ivy-orpheus', name: 'ivy', model: 'orpheus' } };
    expect((await reply({ rules })).spokenWith).toEqual(['ivy-orpheus']);
    expect((await reply({ rules, voice: 'aria' })).spokenWith).toEqual(['aria-gpro']);
    expect((await reply({ rules, isStoreDown: true })).spokenWith).toEqual(['ivy-orpheus']);
  });

  it('speaks although the store is down', async () => {
    expect((await reply({ isStoreDown: true })).spokenWith).toEqual(['aria-gpro']);
  });

  it('finds a voice that is newer than the list', async () => {
    expect((await reply({ voice: 'nova', newer: [voice('nova', 'ext')] })).spokenWith).toEqual(['nova-ext']);
  });

  it('refuses a voice that does not exist and a text that is too long or empty, before anything is spent', async () => {
    expect(await refused({ voice: 'arai' })).toContain('Did you mean aria (gpro)?');
    expect(await refused({ voice: 'zzzzzzz' })).toContain('Unknown voice “zzzzzzz”');
    expect(await refused({ text: 'so '.repeat(40), rules: { maxCharacters: 100 } })).toContain(
      'has 119 characters, and this server’s limit is 100',
    );
    // Emoji are spoken by their names.
    expect(await refused({ text: '👍🎉'.repeat(4), rules: { maxCharacters: 30 } })).toMatch(
      /has \d+ characters when read aloud, and this server’s limit is 30\./,
    );
    expect(await refused({ text: '  ' })).toContain('nothing to read');
  });

  it('refuses a text that cannot be spoken without asking the service, which may be slow or down', async () => {
    const voices = () => Promise.reject(new Error('There is no service'));
    expect(await refused({ text: 'so '.repeat(40), rules: { maxCharacters: 100 }, voices })).toContain('limit is 100');
    expect(await refused({ text: 'You rascal', rules: { blockedWords: ['rascal'] }, voices })).toContain(
      'blocks “rascal”',
    );
    expect(await refused({ text: '?!', voices })).toContain('nothing to read');
  });

  it('refuses a style with a blocked word, and leaves out a kept one', async () => {
    const rules = { blockedWords: ['rascal'] };
    const style = 'as a rascal';
    expect(await refused({ text: 'Hello', options: { style }, rules })).toBe(
      'This style has a word that this server blocks. Choose another one.',
    );
    // One that was kept for other servers is left out, and the next one in order counts.
    const styled = async (circumstances: Circumstances) =>
      (await reply({ text: 'Hello', ...circumstances })).request?.style;
    expect(await styled({ own: { here: { style }, everywhere: { style: 'calm' } }, rules })).toBe('calm');
    // Before a long text is written.
    const { call } = asked({ options: { style }, rules });
    await expect(Promise.resolve(say.begin(withOptions(call, { style })))).rejects.toThrow(BlockedWordError);
  });

  it('tells a text that is empty from one of which the server’s dictionary leaves nothing', async () => {
    const dictionary = [{ from: 'Crier', to: '', wholeWord: true }];
    expect(await refused({ text: 'Crier!', dictionary })).toContain('dictionary skips everything in that text');
    expect(await refused({ text: '?!', dictionary })).toContain('nothing to read in that text');
  });

  it('asks for what was filled in, and for one’s own where nothing was', async () => {
    const own = {
      here: { speed: 1.2, voice: { voiceId: 'ivy-orpheus', name: 'ivy', model: 'orpheus' } },
      everywhere: { speed: 0.8, style: 'calm', temperature: 0.5 },
    };
    expect((await reply({ own, options: { temperature: 0, seed: 7 } })).request).toEqual({
      input: 'Hello',
      voice: { kind: 'id', voiceId: 'ivy-orpheus', model: 'orpheus', formats: ['mp3'] },
      style: 'calm',
      speed: 1.2,
      temperature: 0,
      seed: 7,
    });
  });

  it('asks for the same sound when the format is named that the voice makes anyway', async () => {
    const { request } = await reply({ voice: 'ivy' });
    expect((await reply({ voice: 'ivy', options: { format: 'mp3' } })).request).toEqual(request);
  });

  it('asks for a file of the format that was named', async () => {
    const { request } = await reply({ voice: 'ivy', options: { format: 'mp3', as: 'file' } });
    expect(request?.responseFormat).toBe('mp3');
  });

  it('says which parameters the voice’s model ignores', async () => {
    expect((await reply({ options: { speed: 1.2, style: 'calm' } })).lines[1]).toBe('-# aria (gpro) ignores speed.');
    const options = { temperature: 1, style: 'calm', seed: 1 };
    expect((await reply({ voice: 'ivy', options })).lines[1]).toBe('-# ivy (orpheus) ignores style, temperature.');
  });

  it.each([
    [{ speed: 1.6 }, 'The speed option must be from 0.7 to 1.5.'],
    [{ speed: 0.69 }, 'The speed option must be from 0.7 to 1.5.'],
    [{ temperature: -0.1 }, 'The temperature option must be from 0 to 2.'],
    [{ seed: -1 }, 'The seed option must be from 0 to 2,147,483,647.'],
    [{ seed: 1.5 }, 'The seed option must be a whole number.'],
    [
      { format: 'mp3' },
      'aria (gpro) only supports wav. Leave out the format option, or choose a voice of orpheus for mp3.',
    ],
  ])('refuses %j, before anything is spent', async (options, words) => {
    expect(await refused({ options })).toBe(words);
  });

  it('asks before a long text is spoken, with what it costs as far as that is known', async () => {
    const long = { text: 'Well now. '.repeat(20), rules: { confirmAboveCharacters: 100 } };
    expect(await refused(long)).toBe('This is a long text: 199 characters will be billed. Speak it?');
    expect(await refused({ ...long, rate: 0.0623 })).toBe(
      'This is a long text: 199 characters will be billed, about 12 credits. Speak it?',
    );
  });

  it('refuses at once a text that is to be confirmed and costs more than the limits leave, and never what is at hand', async () => {
    const long = { text: 'Well now. '.repeat(20).trim(), rules: { confirmAboveCharacters: 100 } };
    expect(await refused({ ...long, charactersLeft: 198 })).toBe(render(OVER_LIMIT.text));
    expect(await refused({ ...long, charactersLeft: 199 })).toContain('will be billed');
    expect((await reply({ ...long, charactersLeft: 0, sound: ['at-hand'] })).spokenWith).toHaveLength(1);
  });

  it('asks nothing about a text at hand, which is not billed', async () => {
    const rules = { confirmAboveCharacters: 100 };
    const text = 'Well now. '.repeat(20);
    expect((await reply({ text, rules, sound: ['at-hand', 'at-hand'] })).spokenWith).toHaveLength(1);
    // Of 199 characters.
    expect((await reply({ text, rules, sound: ['at-hand', 'to-buy'] })).spokenWith).toHaveLength(1);
  });

  it('counts in the question only what is not at hand', async () => {
    const rules = { confirmAboveCharacters: 100 };
    const text = 'Well now. '.repeat(30);
    expect(await refused({ text, rules, rate: 2, sound: ['to-buy', 'at-hand', 'to-buy'] })).toBe(
      'This is a long text: 199 characters will be billed, about 398 credits. Speak it?',
    );
    expect(await refused({ text, rules, rate: 2, charactersLeft: 198, sound: ['to-buy', 'at-hand', 'to-buy'] })).toBe(
      render(OVER_LIMIT.text),
    );
  });

  it('asks about no text of the free local voice', async () => {
    const text = 'Well now. '.repeat(120);
    expect((await reply({ text, localVoice: true })).spokenWith).toHaveLength(1);
  });

  it('speaks it when its caller has seen that, and only once', async () => {
    const { call, said } = asked({ text: 'Well now. '.repeat(20), rules: { confirmAboveCharacters: 100 } });
    const offer = await Promise.resolve(say.begin(call)).catch((error: unknown) => error);
    if (!(offer instanceof OfferedError)) throw new Error('It should have asked', { cause: offer });
    const [[button]] = offer.rows as [[Button]];
    const goOn = say.controls?.find(({ name }) => name === button.control) as Control;
    const pressed = { ...call, argument: button.argument, values: [], fields: {} } as unknown as ControlCall;
    await replyOf(goOn, pressed);
    expect(said).toHaveLength(1);
    // A double click, while it is being spoken: nothing went wrong with the text.
    expect(() => goOn.begin(pressed)).toThrow('refused.pressed-already');
    expect(() => goOn.begin({ ...pressed, argument: 'unknown' })).toThrow('say.not-kept');
    const others = { ...pressed, interaction: { ...pressed.interaction, user: { id: '8' } } } as typeof pressed;
    expect(() => goOn.begin(others)).toThrow('say.not-kept');
  });

  it('has a file that was accepted called off while Discord is still taking its first answer', async () => {
    const { call } = asked({ options: { as: 'file' } });
    const work = await say.begin(call);
    expect(call.services.speakers.files.ofServer('9')).toHaveLength(1);
    call.services.speakers.files.end(() => true, new UserError(refusal('member-muted')));
    if (typeof work !== 'function') throw new Error('Nothing is made');
    await expect(work(() => undefined)).rejects.toThrow();
    expect(call.services.speakers.files.ofServer('9')).toEqual([]);
  });

  it('asks for a break only between texts that are spoken, however often it was asked about them', async () => {
    const long = 'Well now. '.repeat(20);
    const { call, said } = asked({ text: long, rules: { confirmAboveCharacters: 100, cooldownSeconds: 30 } });
    const { press } = await offered(() => say.begin(call));
    await press(call);
    expect(said).toHaveLength(1);
    expect(wordsOf(await Promise.resolve(say.begin(call)).catch((error: unknown) => error))).toContain('30 seconds');
    await expect(Promise.resolve(say.begin(withOptions(call, {})))).rejects.toThrow('refused.server-cooldown');
    expect(said).toHaveLength(1);
  });

  it('is accepted five times in ten seconds, or as often as admins want, the message menu included', async () => {
    const { call, said } = asked({ rules: { textsInTenSeconds: 2 } });
    for (let texts = 0; texts < 2; texts += 1) await replyOf(say, call);
    await expect(replyOf(say, call)).rejects.toMatchObject({ text: { key: 'refused.too-many-texts' } });
    expect(said).toHaveLength(2);
    // No limit of their own besides that one.
    for (const { needs } of [say, speakMessage, saveSpeech, replay]) expect(needs).not.toHaveProperty('cooldown');
  });

  it('opens its form without a break to come', async () => {
    const { call, said } = asked({ rules: { cooldownSeconds: 30 } });
    for (let times = 0; times < 2; times += 1) expect(await say.begin(withOptions(call, {}))).toHaveProperty('modal');
    await replyOf(say, call);
    expect(said).toHaveLength(1);
  });

  it('asks for no break after a text that was not accepted, and for none before the same text is tried again', async () => {
    const failure = new DeliveryError('1', { kind: 'none' }, new SpeechError({ kind: 'unavailable', message: 'down' }));
    const full = new UserError(refusal('queue-full', { limit: 1 }));
    const { call, said } = asked({ rules: { cooldownSeconds: 30 }, refusals: [full], failures: [failure, failure] });
    await expect(replyOf(say, call)).rejects.toBe(full);
    const first = await offered(() => replyOf(say, call));
    const second = await offered(() => first.press(call));
    await second.press(call);
    expect(said).toHaveLength(3);
  });

  it('counts no text that is refused: too long, with a blocked word, or for a voice that is not there', async () => {
    const rules = { textsInTenSeconds: 1, cooldownSeconds: 30, maxCharacters: 50, blockedWords: ['rascal'] };
    const { call, said } = asked({ rules });
    const refused: Readonly<Record<string, string>>[] = [
      { text: 'a '.repeat(60) },
      { text: 'rascal' },
      { text: 'Hello', voice: 'zzzzzzz' },
    ];
    for (const given of refused) {
      await expect(replyOf(say, withOptions(call, given))).rejects.toThrow(UserError);
    }
    await replyOf(say, withOptions(call, { text: 'Hello' }));
    expect(said).toHaveLength(1);
    await expect(replyOf(say, withOptions(call, { text: 'Hello' }))).rejects.toMatchObject({
      text: { key: 'refused.server-cooldown' },
    });
  });

  it('names of the pause and the limit in ten seconds the one that keeps a text back', async () => {
    const keptBack = async (rules: ServerSettings) => {
      const { call } = asked({ rules });
      await replyOf(say, call);
      const error = await replyOf(say, call).catch((reason: unknown) => reason);
      return wordsOf(error);
    };
    expect(await keptBack({ cooldownSeconds: 3, textsInTenSeconds: 1 })).toBe(
      'Slow down: the limit is 1 text per 10 seconds. Try again in 10 seconds.',
    );
    expect(await keptBack({ cooldownSeconds: 30, textsInTenSeconds: 1 })).toBe(
      'This server has a cooldown between texts. Try again in 30 seconds.',
    );
  });

  it('does not count a text that a limit on credits refuses after it was accepted', async () => {
    const limit = new UserError(text('refused.owner-only'));
    const failures = Array.from({ length: 6 }, () => new DeliveryError('1', { kind: 'none' }, limit));
    const { call, said } = asked({ rules: { cooldownSeconds: 30 }, failures });
    for (let times = 0; times < 6; times += 1) await expect(replyOf(say, call)).rejects.toMatchObject({ rows: [] });
    await replyOf(say, call);
    expect(said).toHaveLength(7);
    await expect(replyOf(say, call)).rejects.toMatchObject({ text: { key: 'refused.server-cooldown' } });
  });

  it('keeps no pause after a text that failed for nothing, which counts among those in ten seconds', async () => {
    const failed = (credits: number) => {
      const cost = credits === 0 ? ({ kind: 'none' } as const) : ({ kind: 'used', credits } as const);
      return new DeliveryError('1', cost, new SpeechError({ kind: 'content-policy', message: 'no' }));
    };
    const rules = { cooldownSeconds: 30, textsInTenSeconds: 3 };
    const { call } = asked({ rules, failures: [failed(0), failed(0), failed(0)] });
    for (let times = 0; times < 3; times += 1) await expect(replyOf(say, call)).rejects.toThrow(OfferedError);
    await expect(replyOf(say, call)).rejects.toMatchObject({ text: { key: 'refused.too-many-texts' } });
    const paid = asked({ rules, failures: [failed(5)] }).call;
    await expect(replyOf(say, paid)).rejects.toThrow(OfferedError);
    await expect(replyOf(say, paid)).rejects.toMatchObject({ text: { key: 'refused.server-cooldown' } });
  });

  it('keeps a text whose button was refused, for when that has been seen to', async () => {
    const full = new UserError(refusal('queue-full', { limit: 1 }));
    const { call, said } = asked({
      text: 'Well now. '.repeat(20),
      rules: { confirmAboveCharacters: 100, cooldownSeconds: 30 },
      refusals: [full],
    });
    const nowhere = {
      ...call,
      interaction: { ...call.interaction, member: { voice: { channel: null } } },
    } as unknown as CommandCall;
    const first = await offered(() => say.begin(call));
    const second = await offered(() => first.press(nowhere));
    expect(second.words).toContain('voice channel');
    const third = await offered(() => second.press(call));
    expect(third.words).toBe(render(full.text));
    await third.press(call);
    expect(said).toHaveLength(1);
    await expect(async () => third.press(call)).rejects.toThrow(UserError);
  });

  it('reads out what was written: names for links, and brackets', async () => {
    expect((await reply({ text: '**Look** at https://example.com/x [sic]' })).request?.input).toBe(
      'Look at link to example.com [sic]',
    );
  });

  it('leaves out the tags that a voice would read aloud, and says so', async () => {
    const plain = await reply({ text: 'Ha [laugh] ha, <whisper>yes</whisper> [sic]', voice: 'aria (gpro)' });
    expect(plain.request?.input).toBe('Ha ha, yes [sic]');
    expect(plain.lines).toContain('-# aria (gpro) ignores speech tags; /tags shows whether other voices support them.');
    await expect(reply({ text: '[laugh]', voice: 'aria (gpro)' })).rejects.toThrow(UserError);
  });

  it.each([
    ['gpro', 'softly', 'will be billed (including the style). Speak it?'],
    // Its style is free.
    ['gpro38', 'softly', 'will be billed. Speak it?'],
  ])('says that a style is among the characters that are billed, with %s', async (model, style, words) => {
    const long = { text: 'Well now. '.repeat(20), rules: { confirmAboveCharacters: 100 } };
    const newer = [voice('nova', model)];
    expect(await refused({ ...long, newer, voice: 'nova', options: { style } })).toContain(words);
  });

  it('asks nothing where every model is free', async () => {
    const long = { text: 'Well now. '.repeat(20), rules: { confirmAboveCharacters: 100 } };
    expect((await reply({ ...long, rate: 0 })).spokenWith).toHaveLength(1);
  });

  it.each([
    [{}, '4,000'],
    [{ maxCharacters: 300 }, '300'],
    [{ maxCharacters: 5_000 }, '4,000'],
  ] as const)('says in its form how long a text may be, with the rules %j', async (rules, limit) => {
    const { call } = asked({ rules });
    const form = await say.begin(withOptions(call, {}));
    const [field] = 'modal' in form ? form.modal.fields : [];
    expect(field?.description && render(field.description)).toBe(`Up to ${limit} characters, read in one go.`);
  });
});

describe('the form of a long text', () => {
  const control = say.controls?.find(({ name }) => name === 'say-text') as Control;

  /** Alice sends it, with the token of an order that waits for it. */
  function sent(order: Partial<SpeechOrder> = {}) {
    const { call, said } = asked({});
    const { pending } = call.services;
    const argument = pending.put('order', orderOf({ userId: '7', words: '', ...order }));
    const fields = { text: 'What was written.' };
    return { call: { ...call, argument, values: [], fields } as unknown as ControlCall, said, pending };
  }

  it('is spoken with what was chosen beside it', async () => {
    const { call, said } = sent({ voice: 'ivy' });
    await replyOf(control, call);
    expect(said).toMatchObject([{ requested: { request: { input: 'What was written.' } } }]);
    expect(said[0]?.order.voice).toBe('ivy');
  });

  it('takes no words of a message for one’s own, nor another member’s', async () => {
    for (const order of [{ from: 'message' }, { userId: '8' }] as const) {
      expect(() => control.begin(sent(order).call)).toThrow('say.form-over');
    }
  });

  it('is gone after a restart; what was written in it comes back in one that can be sent', async () => {
    const { call, said, pending } = sent({ isScript: true });
    pending.forgetMember('7');
    expect(() => control.begin(call)).toThrow('say.form-over');
    const again = await control.form?.(call);
    expect(again?.fields).toMatchObject([{ value: 'What was written.' }]);
    await replyOf(control, { ...call, argument: again?.argument ?? '' });
    expect(said).toHaveLength(1);
  });
});

it('a person’s texts are counted in each of the bot’s servers, and everywhere else together', () => {
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
