import { EventEmitter } from 'node:events';
import { readFileSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NetworkingStatusCode, type VoiceConnection, VoiceConnectionStatus } from '@discordjs/voice';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createDaveGate, KNOWN_RELEASE } from '../../../src/audio/connection/dave.ts';
import { writtenLog } from '../../silent-log.ts';

/** A channel with somebody in it; `group` is what the library's DAVE session says. */
function gateOfCall() {
  const group = { ready: false };
  const state = {
    code: NetworkingStatusCode.Ready,
    connectionOptions: { userId: 'bot' },
    connectionData: { connectedClients: new Set(['alice', 'bot']) },
    dave: { protocolVersion: 1, session: group },
  };
  const networking = Object.assign(new EventEmitter(), { state });
  const connection = Object.assign(new EventEmitter(), {
    state: { status: VoiceConnectionStatus.Ready, networking },
  });
  const clock = { nowMs: 0 };
  const onOverdue = vi.fn();
  const gate = createDaveGate(connection as unknown as VoiceConnection, 5_000, onOverdue, () => clock.nowMs);
  /** The voice gateway says something that makes or ends the group. */
  const hear = (isReady: boolean) => {
    group.ready = isReady;
    gate.look();
  };
  /** What the gate says at a time. */
  const at = (nowMs: number) => {
    clock.nowMs = nowMs;
    return gate.state();
  };
  const timesOverdue = async () => {
    await nextTurn();
    return onOverdue.mock.calls.length;
  };
  return { gate, hear, clock, at, timesOverdue };
}

test('a group is spoken to when the others have switched to it, also to one made anew while nothing is said', () => {
  const { gate, hear } = gateOfCall();
  expect(gate.state()).toBe('hold');
  hear(true);
  expect(gate.state()).toBe('hold');
  gate.transitioned();
  expect(gate.state()).toBe('encrypted');
  hear(false);
  hear(true);
  expect(gate.state()).toBe('hold');
  gate.transitioned();
  expect(gate.state()).toBe('encrypted');
});

test('one slow member keeps the others waiting for a second and a half', () => {
  const { gate, hear, at } = gateOfCall();
  hear(true);
  expect(gate.state()).toBe('hold');
  expect(at(1_499)).toBe('hold');
  expect(at(1_500)).toBe('encrypted');
});

test('a group that went while nothing was said is waited for from the first packet on, not from when it went', async () => {
  const { gate, hear, clock, at, timesOverdue } = gateOfCall();
  hear(true);
  gate.transitioned();
  hear(false);
  clock.nowMs = 60_000;
  hear(false);
  expect(gate.state()).toBe('hold');
  expect(at(64_999)).toBe('hold');
  expect(await timesOverdue()).toBe(0);
  expect(at(65_000)).toBe('hold');
  expect(gate.state()).toBe('hold');
  expect(await timesOverdue()).toBe(1);
  expect(at(600_000)).toBe('hold');
});

test('a group that forms while the limit passes is in time', async () => {
  const { gate, hear, at, timesOverdue } = gateOfCall();
  expect(gate.state()).toBe('hold');
  expect(at(5_000)).toBe('hold');
  hear(true);
  expect(await timesOverdue()).toBe(0);
});

test('each clip has the whole time limit: what an earlier one waited for does not count', async () => {
  const { gate, clock, at, timesOverdue } = gateOfCall();
  expect(gate.state()).toBe('hold');
  clock.nowMs = 3_000;
  gate.stopWaiting();
  expect(at(60_000)).toBe('hold');
  expect(await timesOverdue()).toBe(0);
  expect(at(65_000)).toBe('hold');
  expect(await timesOverdue()).toBe(1);
});

describe('another release of the voice library', () => {
  afterEach(() => {
    vi.doUnmock('@discordjs/voice');
    vi.resetModules();
  });

  test.each([
    ['in an encrypted call', false],
    ['on a stage', true],
  ])('speaks by its public method, and the start says so: %s', async (_, isStage) => {
    vi.resetModules();
    vi.doMock('@discordjs/voice', async (original) => ({ ...(await original<object>()), version: '0.20.0' }));
    const { clip, speech, startVoiceWorld } = await import('./voice-world.ts');
    const world = await startVoiceWorld();
    onTestFinished(() => world.close());
    const { log, lines } = writtenLog('warn');
    // In an encrypted call the group's privacy code is waited for, and not the time limit.
    world.configure({ encryptionTimeoutMs: isStage ? 500 : 60_000 }, { log });
    if (isStage) world.makeStage();
    const listener = world.listens();
    const session = await world.join();
    expect(await session.play(clip())).toMatchObject({ outcome: 'finished' });
    await expect.poll(() => listener.heard().packets.length).toBeGreaterThanOrEqual(speech.length);
    const intact = { unencryptedFrames: 0, undecryptableFrames: 0, lostPackets: 0 };
    expect(listener.heard()).toMatchObject({ ...intact, endToEndEncrypted: !isStage });
    expect(world.server.faults).toEqual([]);
    expect(lines).toEqual([expect.objectContaining({ version: '0.20.0', expected: KNOWN_RELEASE })]);
  });
});

test('the release whose internals are used is asked for exactly, in package.json and in the lock file', () => {
  const read = (name: string) => JSON.parse(readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8'));
  const name = '@discordjs/voice';
  const { packages } = read('package-lock.json');
  const asked = [read('package.json'), packages['']].map(({ dependencies }) => dependencies[name]);
  expect(new Set([...asked, packages[`node_modules/${name}`].version])).toEqual(new Set([KNOWN_RELEASE]));
});
