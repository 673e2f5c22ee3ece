import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { BotLogLine } from '../../../src/playground/demo/bot/bot-process.ts';
import { Demo } from '../../../src/playground/demo/demo.ts';
import { FaultBoard, faultsText, type Machine } from '../../../src/playground/demo/faults.ts';
import { startWorld, type World } from '../../../src/playground/world/world.ts';
import { identity, logIn } from '../raw-client.ts';

let world: World;

/** Keeps what it was asked to set. */
function machine() {
  const asked: unknown[] = [];
  const fake: Machine = {
    restartBot: () => Promise.reject(new Error('There is no bot')),
    localVoice: undefined,
    setSpeechFaults: async (faults) => void asked.push(faults),
  };
  return { fake, asked };
}
const boardOf = () => new FaultBoard(world, machine().fake);
const set = (words: string) => boardOf().set(world, words);
const askWho = async () => {
  const { DISCORD_API_URL, DISCORD_TOKEN } = world.botEnv;
  const response = await fetch(`${DISCORD_API_URL}/v10/users/@me`, {
    headers: { authorization: `Bot ${DISCORD_TOKEN}` },
  });
  return response.status;
};

describe('the faults at the prompt', () => {
  beforeEach(async () => {
    world = await startWorld();
  });
  afterEach(() => world.close());

  it('are listed with their values', () => {
    expect(faultsText()).toMatch(
      /^ {2}gateway-session lost\|resumable +declare the gateway session invalid \(op 9\)$/m,
    );
    for (const name of boardOf().names) expect(faultsText()).toContain(`  ${name}`);
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
    const board = boardOf();
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
    const { fake, asked } = machine();
    const board = new FaultBoard(world, fake);
    await board.set(world, 'speech-slow');
    await board.set(world, 'speech-slow 0');
    expect(asked).toEqual([{ audioBytesPerSecond: 30_000 }, { audioBytesPerSecond: 0 }]);
  });

  it('give the machine another address only where the playground has a network of its own', async () => {
    await expect(set('machine-address')).rejects.toThrow('no network of its own');
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

const SOON = { timeoutMs: 30_000 };

async function demoWith() {
  const lines: BotLogLine[] = [];
  const onLogLine = (line: BotLogLine) => void lines.push(line);
  const demo = await Demo.start({ configuredVoice: false, settings: {}, onLogLine });
  onTestFinished(() => demo.close());
  const alice = demo.world.member('alice');
  const listener = alice.joins('General');
  return {
    demo,
    lines,
    async says(words: string): Promise<string> {
      listener.clear();
      const sent = await alice.types(`/say text:${words}`);
      const { text } = await sent.reply({ ...SOON, until: /Spoken|wasn’t|can’t/ });
      expect(await listener.utterance(SOON)).toMatchObject({ endToEndEncrypted: true });
      return text;
    },
  };
}

it('the bot speaks by the public methods of a library whose insides have other names; its local voice on another port where its own is taken', async () => {
  const { demo, lines, says } = await demoWith();
  expect(await demo.faults.set(demo.world, 'bot-library nonce')).toMatch(/^Done: bot-library nonce /);
  expect(await says('Hello')).toMatch(/Spoken/);
  expect(lines).toContainEqual(expect.objectContaining({ misfits: expect.arrayContaining(['nonce']) }));
  expect(demo.world.voiceServer.faults).toEqual([]);
  const before = demo.localVoice;
  await demo.faults.set(demo.world, 'machine-port');
  await expect.poll(() => demo.localVoice?.port, { timeout: 30_000 }).not.toBe(before?.port);
  expect(lines).toContainEqual(
    expect.objectContaining({ msg: 'The built-in speech service does not start: retrying' }),
  );
  expect(await says('Hello again')).toMatch(/Spoken/);
});
