import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createSessionTimers, type SessionEvent } from '../../../src/audio/connection/session-state.ts';
import { SESSION_TIMES, type VoiceSessionState } from '../../../src/audio/connection/voice-session-types.ts';

const joiningAgain: VoiceSessionState = { status: 'reconnecting', step: 'joining', attempt: 1 };
const askingWhy: VoiceSessionState = { status: 'reconnecting', step: 'asking-why', attempt: 0, closeCode: 4014 };

let events: string[];
let dispatched: SessionEvent[];
let state: VoiceSessionState;
let isInLine: boolean;
let isGatewayConnected: boolean;
let known: string | null | undefined;
let timers: ReturnType<typeof createSessionTimers>;

beforeEach(() => {
  vi.useFakeTimers();
  events = [];
  dispatched = [];
  state = { status: 'ready' };
  isInLine = false;
  isGatewayConnected = true;
  known = '1';
  timers = createSessionTimers({
    times: SESSION_TIMES,
    deadlineMs: 20_000,
    state: () => state,
    isInLine: () => isInLine,
    target: { isGatewayConnected: () => isGatewayConnected, knownChannel: () => known },
    dispatch(event) {
      events.push(event.type);
      dispatched.push(event);
    },
  });
});
afterEach(() => {
  vi.useRealTimers();
});

function change(next: VoiceSessionState): void {
  const before = state;
  state = next;
  timers.stateChanged(before);
}

it('of a request in line neither attempt nor deadline runs until it is sent', () => {
  isInLine = true;
  change(joiningAgain);
  vi.advanceTimersByTime(59_000);
  expect(events).toEqual([]);
  isInLine = false;
  timers.requestSent();
  vi.advanceTimersByTime(5_999);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(events).toEqual(['step-timeout']);
  vi.advanceTimersByTime(14_000);
  expect(events).toEqual(['step-timeout', 'deadline']);
});

it('a request waits in line for longer than the minute after which the budget is whole again, and then it is said so', () => {
  isInLine = true;
  change(joiningAgain);
  vi.advanceTimersByTime(65_000);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(events).toEqual(['deadline']);
  expect(dispatched).toEqual([{ type: 'deadline', heldUpBy: 'line' }]);
});

it.each([
  [undefined, 'forgotten'],
  [null, 'own-state'],
] as const)(
  'while the reason of a closed connection is awaited, a cached channel of %s is told as %s',
  (next, event) => {
    change(askingWhy);
    vi.advanceTimersByTime(2_000);
    expect(events).toEqual([]);
    known = next;
    vi.advanceTimersByTime(250);
    expect(events).toEqual([event]);
  },
);

it('the nine seconds for an explanation count from when the main gateway is connected', () => {
  isGatewayConnected = false;
  change({ status: 'reconnecting', step: 'asking-why', attempt: 0, closeCode: 4022 });
  vi.advanceTimersByTime(60_000);
  expect(events).toEqual([]);
  isGatewayConnected = true;
  vi.advanceTimersByTime(9_000);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(250);
  expect(events).toEqual(['step-timeout']);
});

it('a main gateway that goes away meanwhile starts them anew, and one that stays away ends the session', () => {
  change(askingWhy);
  vi.advanceTimersByTime(8_000);
  isGatewayConnected = false;
  vi.advanceTimersByTime(75_000);
  expect(events).toEqual([]);
  vi.advanceTimersByTime(250);
  expect(dispatched).toEqual([{ type: 'deadline', heldUpBy: 'gateway' }]);
});

it('once closed, none runs', () => {
  change(askingWhy);
  change({ status: 'closed', end: { reason: 'left' } });
  timers.requestSent();
  vi.advanceTimersByTime(120_000);
  expect(events).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
