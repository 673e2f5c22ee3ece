import { readFileSync } from 'node:fs';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { KNOWN_RELEASE } from '../../../../src/audio/connection/dave.ts';
import { writtenLog } from '../../../silent-log.ts';

afterEach(() => {
  vi.doUnmock('@discordjs/voice');
  vi.resetModules();
});

test.each([
  ['in an encrypted call', false],
  ['on a stage', true],
])(
  'another release of the voice library speaks by its public method, and the start says so: %s',
  async (_, isStage) => {
    vi.resetModules();
    vi.doMock('@discordjs/voice', async (original) => ({ ...(await original<object>()), version: '0.20.0' }));
    const { clip, speech, startVoiceWorld } = await import('../voice-world.ts');
    const world = await startVoiceWorld();
    onTestFinished(() => world.close());
    const { log, lines } = writtenLog('warn');
    // In an encrypted call the group's privacy code is waited for, and not the time limit.
    world.configure({ encryptionTimeoutMs: isStage ? 500 : 60_000 }, { log });
    if (isStage) world.makeStage();
    const listener = world.listens();
    const session = await world.join();
    expect(await session.play(clip())).toMatchObject({ outcome: 'finished' });
    await expect.poll(() => listener.heard().packets.length, { timeout: 5_000 }).toBeGreaterThanOrEqual(speech.length);
    expect(listener.heard()).toMatchObject({
      unencryptedFrames: 0,
      undecryptableFrames: 0,
      lostPackets: 0,
      endToEndEncrypted: !isStage,
    });
    expect(world.server.faults).toEqual([]);
    expect(lines).toEqual([expect.objectContaining({ version: '0.20.0', expected: KNOWN_RELEASE })]);
  },
);

test('the release whose internals are used is asked for exactly, in package.json and in the lock file', () => {
  const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../../${name}`, import.meta.url), 'utf8'));
  const name = '@discordjs/voice';
  const { packages } = read('package-lock.json');
  expect([
    read('package.json').dependencies[name],
    packages[''].dependencies[name],
    packages[`node_modules/${name}`].version,
  ]).toEqual([KNOWN_RELEASE, KNOWN_RELEASE, KNOWN_RELEASE]);
});
