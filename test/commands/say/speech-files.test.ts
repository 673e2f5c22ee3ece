import { describe, expect, it, vi } from 'vitest';
import { OfferedError, type PendingActions, type SpeakCall } from '../../../src/commands/framework/command.ts';
import { speechFile, speechVoiceMessage } from '../../../src/commands/say/speech-files.ts';
import { refusal } from '../../../src/errors/refusals.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { createFilesUnderWay } from '../../../src/services/playback/guild-speakers.ts';
import type { KeptOrigin, UnspokenKeeper } from '../../../src/services/playback/unspoken.ts';
import { createPending } from '../../../src/services/time/pending.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import type { Voice } from '../../../src/speech/interface/schemas.ts';
import { orderOf, requestedOf } from '../../services/queue/items.ts';
import { servicesOf } from '../services.ts';

interface InServer {
  readonly keepReply?: UnspokenKeeper['keepReply'];
  readonly answered?: Promise<void>;
  readonly privately?: boolean;
}

/** Speech of alice's that is being made and fails when the test says so. */
function underWay(start: typeof speechFile, { keepReply, answered, privately = false }: InServer = {}) {
  const pending = createPending() as PendingActions;
  const files = createFilesUnderWay();
  const making = Promise.withResolvers<never>();
  const refresh = vi.fn(async () => undefined);
  const make = (_: unknown, { signal }: { signal: AbortSignal }) => {
    if (signal.aborted) making.reject(signal.reason);
    signal.addEventListener('abort', () => making.reject(signal.reason));
    return making.promise;
  };
  const call = {
    interaction: {
      ...{ user: { id: 'alice' }, channelId: 'chat', token: 'token' },
      ...(keepReply ? { guildId: 'server', inCachedGuild: () => true } : { guildId: null, inCachedGuild: () => false }),
    },
    answered,
    signal: new AbortController().signal,
    services: servicesOf({
      pending,
      files,
      unspoken: { keepReply },
      moderation: { note: () => undefined },
      synthesizer: { file: make, voiceMessage: make },
      voices: { refresh, known: () => undefined },
    }),
  } as unknown as SpeakCall;
  const order = orderOf({ as: 'file', privately });
  const billed = [{ model: 'm', characters: 5 }];
  const requested = requestedOf('Hello', { voices: [{ name: 'aria' } as Voice], billed });
  const { request } = requested;
  const file = files.begin({ guildId: keepReply && 'server', userId: 'alice', request }, call.signal);
  const reply = start(call, order, requested, file);
  const failed = reply.catch((error: unknown) => error);
  const kept = () => pending.countOf('alice');
  const fail = (kind: SpeechError['kind'] = 'unavailable') => {
    making.reject(new SpeechError({ kind, message: 'no' }));
    return failed;
  };
  return { pending, files, failed, kept, fail, refresh };
}

it.each([
  [100, 250, 'is not begun, and can be tried again', 'say.not-covered'],
  [251, 250, 'is begun', undefined],
  [undefined, 250, 'is begun where the account does not say what is left', undefined],
  [100, undefined, 'is begun where its price is not known', undefined],
])('a file of several parts with %s credits left of about %s %s', async (left, about, _, key) => {
  const made = vi.fn(() => Promise.reject(new SpeechError({ kind: 'content-policy', message: 'no' })));
  const call = {
    interaction: { user: { id: 'alice' }, guildId: null, inCachedGuild: () => false },
    signal: new AbortController().signal,
    services: servicesOf({
      pending: createPending() as PendingActions,
      files: createFilesUnderWay(),
      localVoice: false,
      log: { info: () => undefined },
      moderation: { note: () => undefined },
      spending: { estimateCredits: () => (about === undefined ? undefined : { about }) },
      billing: async () => {
        if (left === undefined) throw new SpeechError({ kind: 'timeout', message: 'no' });
        return { creditsLeft: left };
      },
      synthesizer: { file: made, recall: async () => [{ kind: 'at-hand' }, { kind: 'to-buy' }, { kind: 'to-buy' }] },
    }),
  } as unknown as SpeakCall;
  const billed = Array.from({ length: 3 }, () => ({ model: 'm', characters: 5 }));
  const requested = requestedOf('Hello', { voices: [{ name: 'aria' } as Voice], billed });
  const thrown = await speechFile(call, orderOf({ as: 'file' }), requested, {
    signal: new AbortController().signal,
    over: () => undefined,
  }).catch((error: unknown) => error);
  if (key === undefined) return expect(made).toHaveBeenCalledOnce();
  expect(made).not.toHaveBeenCalled();
  expect(thrown).toMatchObject({ cause: { text: { key, values: { about, left } } }, rows: [[{ control: 'say-go' }]] });
});

describe.each([
  ['a file', speechFile],
  ['a voice message', speechVoiceMessage],
] as const)('%s that is being made', (_, start) => {
  it('is known to be kept, and can be tried again when it fails', async () => {
    const { kept, fail } = underWay(start);
    expect(kept()).toBe(1);
    expect(await fail()).toBeInstanceOf(OfferedError);
    expect(kept()).toBe(1);
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
    const first = underWay(start, inServer);
    expect(over).not.toHaveBeenCalled();
    await first.fail();
    expect(over).toHaveBeenCalledOnce();
    await underWay(start, { ...inServer, privately: true }).fail();
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
    const { files, failed } = underWay(start, { keepReply: () => undefined });
    const why = new UserError(refusal('member-muted'));
    files.end(({ userId }) => userId === 'bob', new Error('not this one'));
    files.end(({ guildId, userId }) => guildId === 'server' && userId === 'alice', why);
    expect(await failed).toMatchObject({ cause: why, rows: [] });
    expect(files.ofServer('server')).toEqual([]);
  });

  it('has the voices listed anew where the service has its voice no more', async () => {
    const others = underWay(start);
    await others.fail();
    expect(others.refresh).not.toHaveBeenCalled();
    const { fail, refresh } = underWay(start);
    await fail('voice-not-found');
    expect(refresh).toHaveBeenCalledOnce();
  });

  it('is not kept any longer when it fails after its asker had it forgotten', async () => {
    const { pending, kept, fail } = underWay(start);
    pending.forgetMember('alice');
    expect(await fail()).toBeInstanceOf(SpeechError);
    expect(kept()).toBe(0);
  });
});
