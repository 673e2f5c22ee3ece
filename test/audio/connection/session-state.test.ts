import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  createSessionTimers,
  type SessionEvent,
  stepTimeoutMs,
  transition,
} from '../../../src/audio/connection/session-state.ts';
import { SESSION_TIMES, type VoiceSessionState } from '../../../src/audio/connection/voice-session-types.ts';

const connecting = (attempt = 1): VoiceSessionState => ({ status: 'connecting', step: 'joining', attempt });
const ready: VoiceSessionState = { status: 'ready' };

const closed = (end: object) => ({ status: 'closed', end });

/** The state after all events, and the effects on the way. */
function follow(state: VoiceSessionState, ...events: SessionEvent[]) {
  const effects: string[] = [];
  let now = state;
  for (const event of events) {
    const next = transition(now, event, SESSION_TIMES.maxAttempts);
    now = next.state;
    effects.push(next.effect);
  }
  return { state: now, effects };
}

const lost = (closeCode: number): SessionEvent => ({ type: 'lost', closeCode });
const timeout: SessionEvent = { type: 'step-timeout' };
const deadline: SessionEvent = { type: 'deadline', heldUpBy: undefined };
const inChannel = (channelId: string | null, wasLetIn = false, mayBeEcho = true): SessionEvent => ({
  type: 'own-state',
  channelId,
  wasLetIn,
  mayBeEcho,
});

describe('an encryption group that does not admit the bot', () => {
  const noGroup: SessionEvent = { type: 'no-group' };

  test('is asked again by one rejoin, and the session fails when that did not help', () => {
    const { state, effects } = follow(ready, noGroup, { type: 'ready' }, noGroup);
    expect(effects).toEqual(['join', 'none', 'leave']);
    const error = { name: 'NoEncryptionGroupError' };
    expect(state).toMatchObject(closed({ reason: 'failed', error }));
  });

  test('is asked again once more when the last rejoin is long ago', () => {
    const { effects } = follow(ready, noGroup, { type: 'ready' }, timeout, noGroup);
    expect(effects).toEqual(['join', 'none', 'none', 'join']);
  });

  test('is not the matter where no datagram leaves the machine: it is joined anew, with pauses when that was just done', () => {
    const routeLost: SessionEvent = { type: 'route-lost' };
    expect(follow(ready, routeLost, routeLost).effects).toEqual(['join', 'none']);
    const { state, effects } = follow(ready, routeLost, { type: 'ready' }, routeLost);
    expect([state, effects]).toMatchObject([{ step: 'pausing' }, ['join', 'none', 'leave']]);
    // Told while the connection is resumed, it is told again afterwards.
    const resumed = follow(ready, { type: 'interrupted' }, routeLost, { type: 'ready' }, routeLost);
    expect(resumed.effects).toEqual(['none', 'none', 'none', 'join']);
  });

  const lostGroup: SessionEvent = { type: 'group-lost' };
  const twiceReady: SessionEvent[] = [lostGroup, { type: 'ready' }, lostGroup];

  test('that goes on without the bot is joined anew, and once more when that has lasted, unless it takes the bot along', () => {
    const { state, effects } = follow(ready, ...twiceReady, lostGroup);
    expect(effects).toEqual(['join', 'none', 'none', 'none']);
    expect(state).toMatchObject({ status: 'ready' });
    expect(follow(state, timeout)).toMatchObject({ state: { step: 'joining', attempt: 1 }, effects: ['join'] });
    const { state: followed } = follow(ready, ...twiceReady, { type: 'group-followed' });
    expect(follow(followed, timeout)).toEqual({ state: ready, effects: ['none'] });
    expect(follow(ready, { type: 'group-followed' })).toEqual({ state: ready, effects: ['none'] });
  });

  test('that goes on without the bot is joined anew also when the connection was resumed meanwhile', () => {
    const resumed: SessionEvent[] = [...twiceReady, { type: 'interrupted' }, { type: 'ready' }];
    const { state } = follow(ready, ...resumed);
    expect(follow(state, timeout)).toMatchObject({ state: { step: 'joining', attempt: 1 }, effects: ['join'] });
    const { state: moved } = follow(ready, ...resumed, { type: 'server-gone' }, { type: 'ready' });
    expect(follow(moved, timeout)).toEqual({ state: ready, effects: ['none'] });
  });
});

describe('joining', () => {
  test('that Discord ignores (full channel, no permission) leaves, pauses and tries again, three times in all', () => {
    const { state, effects } = follow(connecting(), timeout, inChannel(null), timeout, timeout, timeout, timeout);
    expect(effects).toEqual(['leave', 'none', 'join', 'leave', 'join', 'leave']);
    expect(state).toMatchObject({ status: 'closed', end: { reason: 'failed', error: { kind: 'timeout' } } });
  });

  test('that Discord cuts short tries again after a pause, not at once (the library loops)', () => {
    const { state, effects } = follow(connecting(), lost(4006), timeout, lost(1006), timeout, lost(4006));
    expect(effects).toEqual(['leave', 'join', 'leave', 'join', 'leave']);
    expect(state).toMatchObject({ status: 'closed', end: { reason: 'failed', closeCode: 4006 } });
  });

  test('is over when the bot is kicked on the way, also out of a session that joins again', () => {
    const kicked = { state: closed({ reason: 'kicked' }), effects: ['none', 'drop', 'none'] };
    for (const state of [connecting(), follow(ready, lost(4006)).state])
      expect(follow(state, inChannel('1'), inChannel(null, true), lost(4014))).toMatchObject(kicked);
  });

  test('waits for the main gateway without using up attempts', () => {
    const { state, effects } = follow(connecting(), { type: 'unavailable' }, timeout, { type: 'unavailable' }, timeout);
    expect(effects).toEqual(['drop', 'join', 'drop', 'join']);
    expect(state).toMatchObject({ status: 'connecting', attempt: 1 });
    const { state: given } = follow(connecting(), { type: 'unavailable' }, deadline);
    expect(given).toMatchObject({ end: { error: { kind: 'gateway-unavailable' } } });
  });

  test.each([
    [undefined, 'timeout'],
    // The request waited in our own line: Discord has not refused it.
    ['line', 'busy'],
  ] as const)('ends at its deadline: held up by %s, that is %s', (heldUpBy, kind) => {
    const given = { state: closed({ error: { kind } }), effects: ['leave'] };
    for (const state of [connecting(2), follow(ready, lost(4006)).state])
      expect(follow(state, { type: 'deadline', heldUpBy })).toMatchObject(given);
  });
});

describe('the close code', () => {
  test.each([4004, 4011, 4012, 4016, 4017, 4020])('%i is answered by one fresh connection, then final', (closeCode) => {
    const running = follow(ready, lost(closeCode));
    expect(running).toMatchObject({ state: { step: 'joining' }, effects: ['join'] });
    const joining = follow(connecting(), lost(closeCode), timeout);
    expect(joining).toMatchObject({ effects: ['leave', 'join'] });
    const final = { state: closed({ reason: 'failed', closeCode }), effects: ['leave'] };
    for (const { state } of [running, joining]) expect(follow(state, lost(closeCode))).toMatchObject(final);
  });

  test('4021 (rate limited) is the same, after a pause also in a running session', () => {
    for (const state of [connecting(), ready]) {
      const again = follow(state, lost(4021), timeout);
      expect(again).toMatchObject({ state: { step: 'joining' }, effects: ['leave', 'join'] });
      expect(follow(again.state, lost(4021)).state).toMatchObject({ end: { reason: 'failed', closeCode: 4021 } });
    }
  });

  test.each([1006, 4001, 4003, 4005, 4006, 4009])('%i joins again at once, without leaving', (closeCode) => {
    const state = { status: 'reconnecting', step: 'joining', attempt: 1, closeCode };
    expect(follow(ready, lost(closeCode))).toEqual({ state, effects: ['join'] });
  });

  test.each([4014, 4022])('%i with our own state gone is a kick, whichever comes first', (closeCode) => {
    const kicked = { state: closed({ reason: 'kicked', closeCode }), effects: ['none', 'drop'] };
    expect(follow(ready, lost(closeCode), inChannel(null))).toMatchObject(kicked);
    const { state, effects } = follow(ready, inChannel(null), lost(closeCode));
    expect([state, effects]).toMatchObject([{ end: { reason: 'kicked' } }, ['drop', 'none']]);
  });

  test('4014 with our own state in another channel is a move, which the library follows; without any word a dropped main session', () => {
    const { state, effects } = follow(ready, lost(4014), inChannel('2'), { type: 'interrupted' }, { type: 'ready' });
    expect([state, effects]).toEqual([ready, ['none', 'none', 'none', 'none']]);
    expect(follow(ready, lost(4014), timeout)).toMatchObject({ state: { step: 'joining' }, effects: ['none', 'join'] });
  });

  test('4022 with our own state in a channel is a changed voice server: it is waited for', () => {
    for (const events of [
      [lost(4022), inChannel('1')],
      [{ type: 'server-gone' }, lost(4022)],
      [lost(4022), { type: 'server-gone' }],
      [{ type: 'server-gone' }, lost(4006), inChannel('1')],
    ] satisfies SessionEvent[][]) {
      const { state, effects } = follow(ready, ...events);
      expect(state).toMatchObject({ status: 'reconnecting', step: 'awaiting-server' });
      expect(stepTimeoutMs(state, SESSION_TIMES)).toBe(9_000);
      expect(effects.every((effect) => effect === 'none')).toBe(true);
      expect(follow(state, { type: 'interrupted' }, { type: 'ready' }).state).toEqual(ready);
      expect(follow(state, timeout)).toMatchObject({ state: { step: 'joining', attempt: 1 }, effects: ['join'] });
      expect(follow(state, inChannel(null))).toMatchObject({ state: { end: { reason: 'kicked' } }, effects: ['drop'] });
    }
  });

  test.each([4014, 4022])('%i that comes with a new main session joins again at once', (closeCode) => {
    const again = { state: { step: 'joining', attempt: 1 }, effects: ['none', 'join'] };
    expect(follow(ready, lost(closeCode), { type: 'forgotten' })).toMatchObject(again);
    expect(follow(ready, { type: 'forgotten' })).toEqual({ state: ready, effects: ['none'] });
  });

  test('a kick that is told only while the bot joins again takes that request back', () => {
    const events = [lost(4014), timeout, inChannel(null, false, false)];
    const kicked = closed({ reason: 'kicked', closeCode: 4014 });
    expect(follow(ready, ...events)).toMatchObject({ state: kicked, effects: ['none', 'join', 'leave'] });
  });

  test('4022 without any word is the end of the call: Discord asks not to come back', () => {
    const over = closed({ reason: 'call-ended', closeCode: 4022 });
    expect(follow(ready, lost(4022), timeout)).toMatchObject({ state: over, effects: ['none', 'leave'] });
  });
});

describe('a running session', () => {
  test('whose resume hangs joins again, and is given up after three attempts', () => {
    const { state, effects } = follow(ready, { type: 'interrupted' }, ...Array<SessionEvent>(6).fill(timeout));
    expect(effects).toEqual(['none', 'join', 'leave', 'join', 'leave', 'join', 'leave']);
    expect(state).toMatchObject({ status: 'closed', end: { reason: 'failed' } });
  });

  test('that is lost again and again right after it was ready pauses in between, and is given up', () => {
    const again: SessionEvent[] = [{ type: 'ready' }, lost(4006), timeout];
    const { state, effects } = follow(ready, lost(4006), ...again, ...again, { type: 'ready' }, lost(4006));
    expect(effects).toEqual(['join', 'none', 'leave', 'join', 'none', 'leave', 'join', 'none', 'leave']);
    expect(state).toMatchObject({ status: 'closed', end: { reason: 'failed', closeCode: 4006 } });
  });

  test('made anew has to last for ten seconds', () => {
    const { state } = follow(ready, lost(4006), { type: 'ready' });
    expect(stepTimeoutMs(state, SESSION_TIMES)).toBe(10_000);
    // Resumed in between, it still has to show that it lasts.
    expect(follow(state, { type: 'interrupted' }, { type: 'ready' }).state).toEqual(state);
    expect(follow(state, { type: 'interrupted' }, lost(4006)).effects).toEqual(['none', 'leave']);
  });
});

test('nothing changes a closed session', () => {
  const state: VoiceSessionState = { status: 'closed', end: { reason: 'left' } };
  const plain = (['ready', 'interrupted', 'unavailable', 'step-timeout'] as const).map((type) => ({ type }));
  for (const event of [...plain, lost(4006), inChannel(null), deadline, { type: 'end', end: state.end } as const])
    expect(transition(state, event, SESSION_TIMES.maxAttempts)).toEqual({ state, effect: 'none' });
});

test('every step but being ready for good or closed has a limit', () => {
  for (const step of ['joining', 'pausing', 'no-gateway', 'resuming', 'asking-why', 'awaiting-server'] as const) {
    expect(stepTimeoutMs({ status: 'connecting', step, attempt: 1 }, SESSION_TIMES)).toBeGreaterThan(0);
  }
  expect(stepTimeoutMs(ready, SESSION_TIMES)).toBeUndefined();
});

const joiningAgain: VoiceSessionState = { status: 'reconnecting', step: 'joining', attempt: 1 };
const askingWhy: VoiceSessionState = { status: 'reconnecting', step: 'asking-why', attempt: 0, closeCode: 4014 };

let dispatched: SessionEvent[];
let current: VoiceSessionState;
let isInLine: boolean;
let isGatewayConnected: boolean;
let known: string | null | undefined;
let timers: ReturnType<typeof createSessionTimers>;

beforeEach(() => {
  vi.useFakeTimers();
  dispatched = [];
  current = ready;
  isInLine = false;
  isGatewayConnected = true;
  known = '1';
  timers = createSessionTimers({
    times: SESSION_TIMES,
    state: () => current,
    isInLine: () => isInLine,
    target: { isGatewayConnected: () => isGatewayConnected, knownChannel: () => known },
    dispatch: (event) => void dispatched.push(event),
  });
});

function change(next: VoiceSessionState): void {
  const before = current;
  current = next;
  timers.stateChanged(before);
}

/** All that was told so far, when so much time has passed. */
function toldAfter(ms: number) {
  vi.advanceTimersByTime(ms);
  return dispatched.map(({ type }) => type);
}

test('of a request in line neither attempt nor deadline runs until it is sent', () => {
  isInLine = true;
  change(joiningAgain);
  expect(toldAfter(59_000)).toEqual([]);
  isInLine = false;
  timers.requestSent();
  expect(toldAfter(5_999)).toEqual([]);
  expect(toldAfter(1)).toEqual(['step-timeout']);
  expect(toldAfter(14_000)).toEqual(['step-timeout', 'deadline']);
});

test('a request waits in line for longer than the minute after which the budget is whole again, and then it is said so', () => {
  isInLine = true;
  change(joiningAgain);
  expect(toldAfter(65_000)).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect(dispatched).toEqual([{ type: 'deadline', heldUpBy: 'line' }]);
});

test.each([
  [undefined, 'forgotten'],
  [null, 'own-state'],
] as const)('while a reason is awaited, a cached channel of %s is told as %s', (next, event) => {
  change(askingWhy);
  expect(toldAfter(2_000)).toEqual([]);
  known = next;
  expect(toldAfter(250)).toEqual([event]);
});

test('the nine seconds for an explanation count from when the main gateway is connected', () => {
  isGatewayConnected = false;
  change({ status: 'reconnecting', step: 'asking-why', attempt: 0, closeCode: 4022 });
  expect(toldAfter(60_000)).toEqual([]);
  isGatewayConnected = true;
  expect(toldAfter(9_000)).toEqual([]);
  expect(toldAfter(250)).toEqual(['step-timeout']);
});

test('a main gateway that goes away meanwhile starts them anew, and one that stays away ends the session', () => {
  change(askingWhy);
  vi.advanceTimersByTime(8_000);
  isGatewayConnected = false;
  expect(toldAfter(75_000)).toEqual([]);
  vi.advanceTimersByTime(250);
  expect(dispatched).toEqual([{ type: 'deadline', heldUpBy: 'gateway' }]);
});

test('once closed, none runs', () => {
  change(askingWhy);
  change({ status: 'closed', end: { reason: 'left' } });
  timers.requestSent();
  expect(toldAfter(120_000)).toEqual([]);
  expect(vi.getTimerCount()).toBe(0);
});
