import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { BotLogLine } from '../../../src/playground/demo/bot/bot-process.ts';
import { Demo } from '../../../src/playground/demo/demo.ts';
import { FaultBoard, type Machine } from '../../../src/playground/demo/faults.ts';
import { startWorld, type World } from '../../../src/playground/world/world.ts';
import { connect, identity, logIn } from '../raw-client.ts';

let world: World;

let asked: unknown[];
const NO_MACHINE: Machine = {
  restartBot: () => Promise.reject(new Error('There is no bot')),
  localVoice: undefined,
  setSpeechFaults: async (faults) => void asked.push(faults),
};
const board = () => new FaultBoard(world, NO_MACHINE);
const set = (words: string) => board().set(world, words);
const ask = async (path: string) => {
  const { DISCORD_API_URL, DISCORD_TOKEN } = world.botEnv;
  return fetch(`${DISCORD_API_URL}/v10${path}`, { headers: { authorization: `Bot ${DISCORD_TOKEN}` } });
};

describe('the faults at the prompt', () => {
  beforeEach(async () => {
    asked = [];
    world = await startWorld();
  });
  afterEach(() => world.close());

  it('are listed with their values, if they can work here', () => {
    const builtIn = new FaultBoard(world, { ...NO_MACHINE, localVoice: { pid: 1, port: 1 } });
    const line = /^ {2}gateway-session lost\|resumable +declare the gateway session invalid \(op 9\)$/m;
    expect(builtIn.text()).toMatch(line);
    const names = (of: FaultBoard) => of.list().map(({ name }) => name);
    for (const name of names(builtIn)) expect(builtIn.text()).toContain(`  ${name}`);
    // Another speech service has no switches, and this machine has one address.
    const missing = names(builtIn).filter((name) => !names(board()).includes(name));
    expect(missing).toEqual(['speech-unavailable', 'speech-used-up', 'speech-slow', 'machine-port']);
    expect(names(builtIn)).not.toContain('machine-address');
  });

  it('happen once, with the first value when none is given', async () => {
    expect(await set('rest-error')).toBe("Done: rest-error 500 (answer the bot's next request with this status).");
    expect((await ask('/users/@me')).status).toBe(500);
    expect((await ask('/users/@me')).status).toBe(200);
  });

  it.each([
    ['storm', 'faults lists them'],
    ['rest-error soon', 'Type fault '],
    ['gateway-session perhaps', 'Type fault '],
    ['gateway-cut now', 'Type fault '],
    ['rest-error 500 2', 'Type fault '],
    ['__proto__', 'faults lists them'],
    ['voice-crowd 201', '201 are too many: at most 200.'],
    ['voice-version 0', 'There is no call in this channel'],
    ['machine-address', 'no network of its own'],
  ])('say what is wrong with "%s", and change nothing', async (words, problem) => {
    await expect(set(words)).rejects.toThrow(problem);
    expect((await ask('/users/@me')).status).toBe(200);
  });

  it('last where they can be switched off again; a version that is changed is changed once', async () => {
    world.member('olga').joins('General');
    const own = board();
    const setTo = (name: string) => own.list().find((fault) => fault.name === name)?.value;
    await own.set(world, 'voice-group-slow 70');
    expect(setTo('voice-group-slow')).toBe('70');
    await own.set(world, 'voice-group-slow 0');
    await own.set(world, 'voice-version 1');
    expect(['voice-group-slow', 'voice-version'].map(setTo)).toEqual([undefined, undefined]);
  });

  it('refuse connections, and the next identify as too soon', async () => {
    const gateway = await logIn(world);
    await set('gateway-identify-refused');
    await gateway.next(({ op }) => op === 9);
    gateway.received.length = 0;
    gateway.send(2, identity(world));
    expect((await gateway.next(({ op }) => op === 9)).d).toBe(false);
    gateway.send(2, identity(world));
    await gateway.event('READY');
    await set('gateway-down on');
    await expect(connect(world)).rejects.toThrow('503');
    await set('gateway-down off');
    (await connect(world)).cut();
  });

  it('slow the speech service down, and let go of it', async () => {
    await set('speech-slow');
    await set('speech-slow 0');
    expect(asked).toEqual([{ audioBytesPerSecond: 30_000 }, { audioBytesPerSecond: 0 }]);
  });
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

it('the built-in voice speaks on another port where its own is taken', async () => {
  const { demo, lines, says } = await demoWith();
  const before = demo.localVoice;
  await demo.faults.set(demo.world, 'machine-port');
  await expect.poll(() => demo.localVoice?.port, { timeout: 30_000 }).not.toBe(before?.port);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'The built-in speech service did not start: retrying' }));
  expect(await says('Hello again')).toMatch(/Spoken/);
});
