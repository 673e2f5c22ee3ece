import { expect, it, onTestFinished } from 'vitest';
import type { BotLogLine } from '../../../../src/playground/demo/bot/bot-process.ts';
import { type Demo, startDemo } from '../../../../src/playground/demo/demo.ts';
import { createFaultBoard } from '../../../../src/playground/demo/faults/fault-switches.ts';

const SOON = { timeoutMs: 30_000 };

async function demoWith() {
  const lines: BotLogLine[] = [];
  const onLogLine = (line: BotLogLine) => void lines.push(line);
  const demo = await startDemo({ configuredVoice: false, settings: {}, onLogLine });
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

const set = (demo: Demo, words: string) => demo.faults.set(demo.world, words);

it('the bot speaks by the public methods of a library whose insides have other names; its local voice on another port where its own is taken', async () => {
  const { demo, lines, says } = await demoWith();
  expect(await set(demo, 'bot-library nonce')).toMatch(/^Done: bot-library nonce /);
  expect(await says('Hello')).toMatch(/Spoken/);
  expect(lines).toContainEqual(expect.objectContaining({ misfits: expect.arrayContaining(['nonce']) }));
  expect(demo.world.voiceServer.faults).toEqual([]);
  const before = demo.localVoice();
  await set(demo, 'machine-port');
  await expect.poll(() => demo.localVoice()?.port, { timeout: 30_000 }).not.toBe(before?.port);
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'The local voice does not start: trying again' }));
  expect(await says('Hello again')).toMatch(/Spoken/);
});

it('an address is taken from the machine only where the playground has a network of its own', async () => {
  const none = { restartBot: () => Promise.resolve(), localVoice: () => undefined };
  await expect(createFaultBoard({} as never, { machine: none }).set({} as never, 'machine-address')).rejects.toThrow(
    'no network of its own',
  );
});
