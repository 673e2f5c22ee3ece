import { ChannelType } from 'discord.js';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { CommandCall, Services } from '../../src/commands/command.ts';
import { say } from '../../src/commands/say.ts';
import { UserError } from '../../src/errors.ts';
import type { ServerSettings } from '../../src/services/settings.ts';
import type { Voice } from '../../src/services/speech/interface/schemas.ts';
import { StoreError } from '../../src/services/store.ts';
import type { Delivery, Utterance } from '../../src/services/utterance.ts';
import { render } from '../../src/texts/catalogue.ts';

function voice(name: string, model: string): Voice {
  return { id: `${name}-${model}`, name, model, language: 'multiple', formats: ['wav'], supports_style: true };
}

interface Circumstances {
  readonly text?: string;
  readonly voice?: string;
  readonly settings?: () => Promise<ServerSettings>;
  readonly queueFull?: boolean;
  readonly localVoice?: boolean;
  /** What the service lists when it is asked again. */
  readonly newer?: readonly Voice[];
}

/** One /say by a member in a voice channel, with a speaker that says everything at once. */
function asked(circumstances: Circumstances) {
  const said: Utterance[] = [];
  const list = { voices: [voice('aria', 'gpro'), voice('ivy', 'orpheus')], models: [], fetchedAtMs: 0 };
  const delivery = (outcome: Delivery['outcome'] = 'finished'): Delivery => ({
    outcome,
    channelId: '1',
    firstAudioMs: 20,
    speech: { audioUrl: new URL('https://a.example'), creditsUsed: 5, creditsRemaining: 95, warnings: [] },
  });
  const services = {
    log: pino({ level: 'silent' }),
    localVoice: circumstances.localVoice ?? false,
    settings: { get: circumstances.settings ?? (async () => ({})) },
    voices: {
      list: async () => list,
      refresh: async () => ({ ...list, voices: circumstances.newer ?? list.voices }),
    },
    speakers: {
      of: () => ({
        queueFull: circumstances.queueFull ?? false,
        queueLimit: 20,
        say: async (utterance: Utterance) => {
          said.push(utterance);
          return delivery();
        },
      }),
    },
  } as unknown as Services;
  const options: Record<string, string | null> = {
    text: circumstances.text ?? 'Hello',
    voice: circumstances.voice ?? null,
  };
  const interaction = {
    guildId: '9',
    options: { getString: (name: string) => options[name] },
    member: {
      voice: { channel: { id: '1', type: ChannelType.GuildVoice, guild: { voiceAdapterCreator: () => undefined } } },
    },
  };
  const call = { interaction, services, signal: new AbortController().signal } as unknown as CommandCall;
  return { call, said };
}

async function reply(circumstances: Circumstances) {
  const { call, said } = asked(circumstances);
  const { lines } = await (await say.begin(call))();
  return { lines: lines.map((line) => render(line)), spokenWith: said.map(({ request }) => request.voice.voiceId) };
}

async function refused(circumstances: Circumstances) {
  const { call, said } = asked(circumstances);
  const error = await Promise.resolve(say.begin(call)).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(said).toEqual([]);
  if (!(error instanceof UserError)) throw new Error('It should have been refused', { cause: error });
  return render(error.text);
}

describe('/say', () => {
  it('says what was spoken where and with which voice, and the credits', async () => {
    expect(await reply({})).toEqual({
      lines: ['Spoken in <#1> with aria (gpro): “Hello”', '-# 5 credits used, 95 credits left.'],
      spokenWith: ['aria-gpro'],
    });
  });

  it('says that local credits cost nothing', async () => {
    expect((await reply({ localVoice: true })).lines[1]).toContain('The voice is local: they cost nothing.');
  });

  it('takes the server’s default voice, unless another one is named', async () => {
    const settings = async () => ({ defaultVoice: { voiceId: 'ivy-orpheus', name: 'ivy', model: 'orpheus' } });
    expect((await reply({ settings })).spokenWith).toEqual(['ivy-orpheus']);
    expect((await reply({ settings, voice: 'aria' })).spokenWith).toEqual(['aria-gpro']);
  });

  it('speaks with the bot’s default when the server’s is gone, and says so', async () => {
    const settings = async () => ({ defaultVoice: { voiceId: 'x', name: 'gone', model: 'gpro' } });
    const { lines, spokenWith } = await reply({ settings });
    expect(spokenWith).toEqual(['aria-gpro']);
    expect(lines[1]).toContain('gone (gpro), no longer exists');
  });

  it('speaks although the store is down', async () => {
    const settings = () => Promise.reject(new StoreError('hung'));
    expect((await reply({ settings })).spokenWith).toEqual(['aria-gpro']);
  });

  it('finds a voice that is newer than the list', async () => {
    expect((await reply({ voice: 'nova', newer: [voice('nova', 'ext')] })).spokenWith).toEqual(['nova-ext']);
  });

  it('refuses a voice that does not exist, a text that is too long or empty, and a full queue, before anything is spent', async () => {
    expect(await refused({ voice: 'arai' })).toContain('Did you mean aria (gpro)?');
    expect(await refused({ voice: 'zzzzzzz' })).toContain('There is no voice “zzzzzzz”');
    expect(await refused({ text: 'x'.repeat(510) })).toContain(
      'it has 510 characters, and aria (gpro) takes at most 500',
    );
    expect(await refused({ text: '  ' })).toContain('nothing to say');
    expect(await refused({ queueFull: true })).toContain('20 texts are already waiting');
  });
});
