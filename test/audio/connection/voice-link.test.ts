import { getVoiceConnection, type Networking, NetworkingStatusCode } from '@discordjs/voice';
import { expect } from 'vitest';
import { OTHER_CHANNEL } from './gateway.ts';
import { test } from './voice-world.ts';

type VoiceSocket = Extract<Networking['state'], { code: NetworkingStatusCode.UdpHandshaking }>['udp'];

/** Runs `then` right after the library has made its UDP socket, in the same turn of the event loop. */
function onVoiceSocket(guildId: string, then: () => void): Promise<VoiceSocket> {
  return new Promise((resolve) => {
    let followed: Networking | undefined;
    getVoiceConnection(guildId)?.on('stateChange', (_, state) => {
      if (followed || !('networking' in state)) return;
      followed = state.networking;
      followed.on('stateChange', (_: unknown, made: Networking['state']) => {
        if (made.code !== NetworkingStatusCode.UdpHandshaking) return;
        const { udp } = made;
        process.nextTick(() => {
          then();
          // The library's own immediate is before this one.
          setImmediate(resolve, udp);
        });
      });
    });
  });
}

// The library would end the process.
test('left in the turn in which its UDP socket is made, it sends nothing more', async ({ world }) => {
  const caller = new AbortController();
  const joining = world.join({ signal: caller.signal });
  joining.catch(() => undefined);
  const udp = await onVoiceSocket(world.guildId, () => caller.abort());
  await expect(joining).rejects.toMatchObject({ kind: 'aborted' });
  expect(() => Reflect.get(udp, 'keepAlive').call(udp)).not.toThrow();
});

test('moved in the turn in which its UDP socket is made, it goes on in the other channel', async ({ world }) => {
  const joining = world.join();
  const udp = await onVoiceSocket(world.guildId, () => world.gateway.move(OTHER_CHANNEL));
  expect((await joining).channelId).toBe(OTHER_CHANNEL);
  expect(() => Reflect.get(udp, 'keepAlive').call(udp)).not.toThrow();
});
