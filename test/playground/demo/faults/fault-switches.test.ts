import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createFaultBoard, faultsText } from '../../../../src/playground/demo/faults/fault-switches.ts';
import { startWorld, type World } from '../../../../src/playground/world/world.ts';
import { identity, logIn } from '../../raw-client.ts';

let world: World;
beforeEach(async () => {
  world = await startWorld();
});
afterEach(() => world.close());

const NO_MACHINE = { restartBot: () => Promise.reject(new Error('There is no bot')), localVoice: () => undefined };
const set = (words: string) => createFaultBoard(world, { machine: NO_MACHINE }).set(world, words);
const askWho = async () => {
  const { DISCORD_API_URL, DISCORD_TOKEN } = world.botEnv;
  const response = await fetch(`${DISCORD_API_URL}/v10/users/@me`, {
    headers: { authorization: `Bot ${DISCORD_TOKEN}` },
  });
  return response.status;
};

describe('the faults at the prompt', () => {
  it('are listed with their values', () => {
    expect(faultsText()).toMatch(
      /^ {2}gateway-session lost\|resumable +declare the gateway session invalid \(op 9\)$/m,
    );
    for (const name of createFaultBoard(world).names) expect(faultsText()).toContain(`  ${name}`);
  });

  it('happen once, with the first value when none is given', async () => {
    expect(await set('rest-error')).toBe("Done: rest-error 500 (answer the bot's next request with this status).");
    expect(await askWho()).toBe(500);
    expect(await askWho()).toBe(200);
  });

  it('last where they are switched on', async () => {
    await set('gateway-down on');
    const refused = new WebSocket(await gatewayUrl());
    await expect(opened(refused)).resolves.toBe(false);
    await set('gateway-down off');
    const taken = new WebSocket(await gatewayUrl());
    await expect(opened(taken)).resolves.toBe(true);
    taken.close();
  });

  it.each(['storm', 'rest-error soon', 'gateway-session perhaps', 'gateway-cut now', 'rest-error 500 2', '__proto__'])(
    'say what can be typed instead of "%s", and change nothing',
    async (words) => {
      await expect(set(words)).rejects.toThrow(/faults lists them|^Type fault /);
      expect(await askWho()).toBe(200);
    },
  );

  it('take a call to another version of the encryption protocol, where there is one', async () => {
    await expect(set('voice-version 0')).rejects.toThrow('There is no call in this channel');
    const alice = world.member('alice');
    alice.joins('General');
    expect(await set('voice-version')).toContain('Done: voice-version 0');
  });

  it('make no more servers than this process can hold', async () => {
    await expect(set('voice-crowd 201')).rejects.toThrow('201 are too many: at most 200.');
  });

  it('last where they can be switched off again; a version that is changed is changed once', async () => {
    world.member('olga').joins('General');
    const board = createFaultBoard(world);
    const setTo = (name: string) => board.list().find((fault) => fault.name === name)?.value;
    await board.set(world, 'voice-group-slow 70');
    expect(setTo('voice-group-slow')).toBe('70');
    await board.set(world, 'voice-group-slow 0');
    await board.set(world, 'voice-version 1');
    expect(['voice-group-slow', 'voice-version'].map(setTo)).toEqual([undefined, undefined]);
  });

  it('end the session and refuse the next identify as too soon', async () => {
    const gateway = await logIn(world);
    await set('gateway-identify-refused');
    await gateway.next(({ op }) => op === 9);
    gateway.received.length = 0;
    gateway.send(2, identity(world));
    expect((await gateway.next(({ op }) => op === 9)).d).toBe(false);
    gateway.send(2, identity(world));
    await gateway.event('READY');
    expect(world.bot.refusedIdentifies).toBe(1);
  });

  it('slow the speech service down, and let go of it', async () => {
    const asked: unknown[] = [];
    const board = createFaultBoard(world, { speech: async (faults) => void asked.push(faults) });
    await board.set(world, 'speech-slow');
    await board.set(world, 'speech-slow 0');
    expect(asked).toEqual([{ audioBytesPerSecond: 30_000 }, { audioBytesPerSecond: 0 }]);
  });
});

async function gatewayUrl(): Promise<string> {
  const response = await fetch(`${world.botEnv.DISCORD_API_URL}/v10/gateway`);
  const { url } = (await response.json()) as { url: string };
  return `${url}?v=10&encoding=json`;
}

const opened = (socket: WebSocket): Promise<boolean> =>
  new Promise((resolve) => {
    socket.onopen = () => resolve(true);
    socket.onerror = () => resolve(false);
  });
