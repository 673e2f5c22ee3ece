import { describe, expect, it, vi } from 'vitest';
import { type ControlCall, OfferedError, type Services } from '../../../src/commands/framework/command.ts';
import { makeMessage, saveButton } from '../../../src/commands/say/files.ts';
import { refusal, UserError } from '../../../src/errors/user-errors.ts';
import { createFilesUnderWay, type GuildSpeakers } from '../../../src/services/playback/guild-speakers.ts';
import type { KeptOrigin, UnspokenKeeper } from '../../../src/services/playback/unspoken.ts';
import type { FileOptions } from '../../../src/services/synthesis/parts.ts';
import { createPending } from '../../../src/services/time/timers.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { SpeechRequest } from '../../../src/speech/interface/schemas.ts';
import { itemOf, orderOf, requestedOf } from '../../services/queue/items.ts';
import { callOf, replyOf } from '../scene.ts';

it.each([
  [100, 250, 'is not begun, and can be tried again', 'say.not-covered'],
  [251, 250, 'is begun', undefined],
  [undefined, 250, 'is begun if the account does not say what is left', undefined],
  [100, undefined, 'is begun if its price is not known', undefined],
])('a file of several parts with %s credits left of about %s %s', async (left, about, _, key) => {
  const made = vi.fn(() => Promise.reject(new SpeechError({ kind: 'content-policy', message: 'no' })));
  const services = {
    pending: createPending() as Services['pending'],
    files: createFilesUnderWay(),
    localVoice: false,
    moderation: { note: () => undefined },
    spending: { estimateCredits: () => (about === undefined ? undefined : { about }) },
    billing: async () => {
      if (left === undefined) throw new SpeechError({ kind: 'timeout', message: 'no' });
      return { creditsLeft: left };
    },
    synthesizer: { file: made, recall: async () => [{ kind: 'at-hand' }, { kind: 'to-buy' }, { kind: 'to-buy' }] },
  };
  const billed = Array.from({ length: 3 }, () => ({ model: 'm', characters: 5 }));
  const thrown = await makeMessage(
    callOf({ user: { id: 'alice' }, guildId: null, inCachedGuild: () => false }, services),
    orderOf({ as: 'file' }),
    requestedOf('Hello', { billed }),
  )(() => undefined).catch((error: unknown) => error);
  if (key === undefined) return expect(made).toHaveBeenCalledOnce();
  expect(made).not.toHaveBeenCalled();
  expect(thrown).toMatchObject({ cause: { text: { key, values: { about } } }, rows: [[{ control: 'say-go' }]] });
});

describe.each(['file', 'voice-message'] as const)('a %s that is being made', (as) => {
  /** It is alice's, and fails when the test says so. */
  function underWay({
    keepReply = undefined as UnspokenKeeper['keepReply'] | undefined,
    answered = Promise.resolve(),
    privately = false,
  } = {}) {
    const pending = createPending() as Services['pending'];
    const files = createFilesUnderWay();
    const making = Promise.withResolvers<never>();
    const refresh = vi.fn(async () => undefined);
    const make = (_: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener('abort', () => making.reject(signal.reason));
      return making.promise;
    };
    const guildId = keepReply ? 'server' : null;
    const interaction = { user: { id: 'alice' }, channelId: 'chat', token: 'token', guildId };
    const services = {
      ...{ pending, files, unspoken: { keepReply }, localVoice: false },
      moderation: { note: () => undefined },
      synthesizer: { file: make, voiceMessage: make },
      voices: { refresh, known: () => undefined },
    };
    const failed = makeMessage(
      callOf({ ...interaction, inCachedGuild: () => guildId !== null }, services, { answered }),
      orderOf({ as, privately }),
      requestedOf(),
    )(() => undefined).catch((error: unknown) => error);
    const kept = () => pending.countOf('alice');
    const fail = (kind: SpeechError['kind'] = 'unavailable') => {
      making.reject(new SpeechError({ kind, message: 'no' }));
      return failed;
    };
    return { pending, files, failed, kept, fail, refresh };
  }

  it('is known to be kept, and can be tried again when it fails, unless its asker had it forgotten', async () => {
    const { kept, fail, refresh } = underWay();
    expect(kept()).toBe(1);
    expect(await fail()).toBeInstanceOf(OfferedError);
    expect(kept()).toBe(1);
    expect(refresh).not.toHaveBeenCalled();
    const forgotten = underWay();
    forgotten.pending.forgetMember('alice');
    expect(await forgotten.fail()).toBeInstanceOf(SpeechError);
    expect(forgotten.kept()).toBe(0);
  });

  it('is kept with where it was asked for until that is told, without the channel where it is for its asker alone', async () => {
    const origins: KeptOrigin[] = [];
    const [told, over] = [vi.fn(), vi.fn()];
    const keepReply = (origin: KeptOrigin) => {
      origins.push(origin);
      return { told, over };
    };
    const answered = Promise.withResolvers<void>();
    const inServer = { keepReply, answered: answered.promise };
    const first = underWay(inServer);
    expect(over).not.toHaveBeenCalled();
    await first.fail();
    expect(over).toHaveBeenCalledOnce();
    await underWay({ ...inServer, privately: true }).fail();
    expect(origins).toMatchObject([
      { guildId: 'server', userId: 'alice', channelId: 'chat', textChannelId: 'chat', reply: { token: 'token' } },
      { guildId: 'server', userId: 'alice', channelId: 'chat', textChannelId: undefined, reply: { token: 'token' } },
    ]);
    expect(told).not.toHaveBeenCalled();
    answered.resolve();
    await answered.promise;
    expect(told).toHaveBeenCalledTimes(2);
  });

  it('is called off with the reason for its asker', async () => {
    const { files, failed } = underWay({ keepReply: () => undefined });
    const why = new UserError(refusal('member-muted'));
    files.end(({ userId }) => userId === 'bob', new Error('not this one'));
    files.end(({ guildId, userId }) => guildId === 'server' && userId === 'alice', why);
    expect(await failed).toMatchObject({ cause: why, rows: [] });
    expect(files.ofServer('server')).toEqual([]);
  });

  it('has the voices listed anew where the service has its voice no more', async () => {
    const { fail, refresh } = underWay();
    await fail('voice-not-found');
    expect(refresh).toHaveBeenCalledOnce();
  });
});

describe('the button that saves what was spoken', () => {
  const own = itemOf({ order: orderOf({ userId: '7' }) });
  const clip = { packets: [], durationMs: 20 };

  function pressed(memory: { item?: object; spoken?: object; meanwhile?: (files: GuildSpeakers['files']) => void }) {
    const made: FileOptions[] = [];
    const files = createFilesUnderWay();
    const services = {
      ...{ files, localVoice: false, moderation: { note: () => undefined } },
      texts: { blockedInRequest: async () => undefined },
      speakers: { find: () => ({ find: () => memory.item, spoken: () => memory.spoken }) },
      synthesizer: {
        async file(_: SpeechRequest, options: FileOptions) {
          made.push(options);
          memory.meanwhile?.(files);
          options.signal?.throwIfAborted();
          const facts = { creditsUsed: 0, cached: true, warnings: [] };
          return { bytes: new Uint8Array(1), extension: 'ogg', facts };
        },
      },
    };
    const interaction = { channelId: '1', attachmentSizeLimit: 1e6 };
    return { call: callOf<ControlCall>(interaction, services, { argument: 'item' }), made, files };
  }

  it('gives the sound that was heard, so that nothing is paid for twice, and has it made where that is gone', async () => {
    const { call, made } = pressed({ item: own, spoken: { item: own, clip } });
    expect((await replyOf(saveButton, call)).files).toHaveLength(1);
    expect(made).toMatchObject([{ heard: clip, userId: '7', maxBytes: 1e6 }]);
    const speaking = pressed({ item: own });
    await replyOf(saveButton, speaking.call);
    expect(speaking.made[0]?.heard).toBeUndefined();
    await expect(async () => saveButton.begin(pressed({}).call)).rejects.toThrow('replay.gone');
  });

  it('is called off like any file that is being made, also before anything is made of it', async () => {
    const why = new UserError(refusal('opted-out'));
    const meanwhile = (files: GuildSpeakers['files']) => files.end(({ authorId }) => authorId === 'alice', why);
    const first = pressed({ item: { ...own, order: { ...own.order, authorId: 'alice' } }, meanwhile });
    await expect(async () => replyOf(saveButton, first.call)).rejects.toThrow(why);
    expect(first.files.ofServer('9')).toEqual([]);
    const { call, made, files } = pressed({ item: own, spoken: { item: own, clip } });
    const work = await saveButton.begin(call);
    files.end(() => true, why);
    await expect((work as () => Promise<unknown>)()).rejects.toThrow(why);
    expect(made).toEqual([]);
  });
});
