import { describe, expect, it, vi } from 'vitest';
import { OfferedError, type Services } from '../../../src/commands/framework/command.ts';
import type { ResolvedOrder, SpeakCall } from '../../../src/commands/say/speak-call.ts';
import { speechFile, speechVoiceMessage } from '../../../src/commands/say/speech-files.ts';
import type { SpeechOrder } from '../../../src/services/playback/speech-order.ts';
import type { KeptOrigin } from '../../../src/services/playback/unspoken-keeper.ts';
import { createPending } from '../../../src/services/time/pending.ts';
import { SpeechError } from '../../../src/speech/errors.ts';

interface InServer {
  readonly keepReply?: Services['unspoken']['keepReply'];
  readonly answered?: Promise<void>;
  readonly privately?: boolean;
}

/** Speech of alice's that is being made and fails when the test says so. */
function underWay(start: typeof speechFile, { keepReply, answered, privately = false }: InServer = {}) {
  const pending = createPending<SpeechOrder>();
  const making = Promise.withResolvers<never>();
  const call = {
    interaction: {
      ...{ user: { id: 'alice' }, channelId: 'chat', token: 'token' },
      ...(keepReply ? { guildId: 'server', inCachedGuild: () => true } : { guildId: null, inCachedGuild: () => false }),
    },
    answered,
    services: {
      pending,
      unspoken: { keepReply },
      moderation: { note: () => undefined },
      synthesiser: { file: () => making.promise, voiceMessage: () => making.promise },
    },
  } as unknown as SpeakCall;
  const order: SpeechOrder = { words: 'Hello', speechOptions: {}, output: {}, as: 'file', from: 'own', privately };
  const reply = start(call, {
    order,
    voice: { name: 'aria' },
    request: { input: 'Hello' },
    vanished: [],
  } as unknown as ResolvedOrder);
  const failed = reply.catch((error: unknown) => error);
  const kept = () => pending.count(({ askerId }) => askerId === 'alice');
  const fail = () => {
    making.reject(new SpeechError({ kind: 'unavailable', message: 'no' }));
    return failed;
  };
  return { pending, kept, fail };
}

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

  it('is not kept any longer when it fails after its asker had it forgotten', async () => {
    const { pending, kept, fail } = underWay(start);
    pending.drop(({ askerId }) => askerId === 'alice');
    expect(await fail()).toBeInstanceOf(SpeechError);
    expect(kept()).toBe(0);
  });
});
