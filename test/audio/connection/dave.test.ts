import { EventEmitter } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { NetworkingStatusCode, type VoiceConnection, VoiceConnectionStatus } from '@discordjs/voice';
import { expect, test, vi } from 'vitest';
import { createDaveGate } from '../../../src/audio/connection/dave.ts';

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
  return { gate, hear, clock, onOverdue };
}

test('a group is spoken to when the others have switched to it', () => {
  const { gate, hear } = gateOfCall();
  expect(gate.state()).toBe('hold');
  hear(true);
  expect(gate.state()).toBe('hold');
  gate.transitioned();
  expect(gate.state()).toBe('encrypted');
});

test('one slow member keeps the others waiting for a second and a half', () => {
  const { gate, hear, clock } = gateOfCall();
  hear(true);
  expect(gate.state()).toBe('hold');
  clock.nowMs = 1_499;
  expect(gate.state()).toBe('hold');
  clock.nowMs = 1_500;
  expect(gate.state()).toBe('encrypted');
});

test('a group made anew while nothing is said has to be switched to anew', () => {
  const { gate, hear } = gateOfCall();
  hear(true);
  gate.transitioned();
  expect(gate.state()).toBe('encrypted');
  hear(false);
  hear(true);
  expect(gate.state()).toBe('hold');
  gate.transitioned();
  expect(gate.state()).toBe('encrypted');
});

test('a group that went while nothing was said is waited for from the first packet on, not from when it went', async () => {
  const { gate, hear, clock, onOverdue } = gateOfCall();
  hear(true);
  gate.transitioned();
  hear(false);
  clock.nowMs = 60_000;
  hear(false);
  expect(gate.state()).toBe('hold');
  clock.nowMs = 64_999;
  expect(gate.state()).toBe('hold');
  await nextTurn();
  expect(onOverdue).not.toHaveBeenCalled();
  clock.nowMs = 65_000;
  expect(gate.state()).toBe('hold');
  expect(gate.state()).toBe('hold');
  await nextTurn();
  expect(onOverdue).toHaveBeenCalledTimes(1);
  clock.nowMs = 600_000;
  expect(gate.state()).toBe('hold');
});

test('a group that forms while the limit passes is in time', async () => {
  const { gate, hear, clock, onOverdue } = gateOfCall();
  expect(gate.state()).toBe('hold');
  clock.nowMs = 5_000;
  expect(gate.state()).toBe('hold');
  hear(true);
  await nextTurn();
  expect(onOverdue).not.toHaveBeenCalled();
});

test('each clip has the whole time limit: what an earlier one waited for does not count', async () => {
  const { gate, clock, onOverdue } = gateOfCall();
  expect(gate.state()).toBe('hold');
  clock.nowMs = 3_000;
  gate.stopWaiting();
  clock.nowMs = 60_000;
  expect(gate.state()).toBe('hold');
  await nextTurn();
  expect(onOverdue).not.toHaveBeenCalled();
  clock.nowMs = 65_000;
  gate.state();
  await nextTurn();
  expect(onOverdue).toHaveBeenCalledTimes(1);
});
