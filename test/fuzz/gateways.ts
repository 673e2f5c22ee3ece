import { setImmediate as turn } from 'node:timers/promises';
import { startWorld } from '../../src/playground/world/world.ts';
import { startVoiceWorld } from '../audio/connection/voice-world.ts';
import { connect } from '../playground/raw-client.ts';
import { connectRaw } from '../playground/voice/raw-client.ts';
import type { Subject } from './subject.ts';

const linesOf = (input: Buffer) => input.toString().split('\n');

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#gateway-gateway-opcodes */
const HELLO = 10;
const gateway: Subject = {
  name: 'gateway payloads',
  kind: 'text',
  mostCpuMs: 100,
  runs: 30,
  async open() {
    const world = await startWorld();
    return {
      async check(input) {
        const hostile = await connect(world);
        for (const line of linesOf(input)) hostile.sendText(line);
        hostile.close(1000);
        await hostile.closed();
        // Nothing of that is felt by the next one.
        const next = await connect(world);
        await next.next(({ op }) => op === HELLO);
        next.cut();
      },
      close: () => world.close(),
    };
  },
};

/** Each line goes to the voice server as a client's, and to the bot as a voice server's; what is no text, as a binary message. */
const voiceGateway: Subject = {
  name: 'voice gateway payloads',
  kind: 'bytes',
  mostCpuMs: 500,
  runs: 6,
  async open() {
    const world = await startVoiceWorld();
    return {
      async check(input) {
        const session = await world.join();
        const { ws } = world.transport().ready;
        const raw = connectRaw(world.server);
        await raw.next(8);
        for (const line of input.toString('latin1').split('\n')) {
          const isText = line.startsWith('{') || line.startsWith('[');
          const data = isText ? line : Buffer.from(line, 'latin1');
          if (raw.socket.readyState === raw.socket.OPEN) raw.socket.send(data);
          // As the socket would: an exception would end the process.
          ws.onMessage({ data } as Parameters<typeof ws.onMessage>[0]);
        }
        await turn();
        raw.socket.close();
        await session.leave();
      },
      close: () => world.close(),
    };
  },
};

export const GATEWAYS: readonly Subject[] = [gateway, voiceGateway];
