import { describe, expect, test } from 'vitest';
import { refusal } from '../../../src/errors/user-errors.ts';
import {
  INITIAL_STATE,
  isPausedIn,
  itemsOf,
  reduce,
  type SpeakerEffect,
  type SpeakerEvent,
  type SpeakerFacts,
  type SpeakerState,
} from '../../../src/services/playback/speaker-state.ts';
import { DEFAULT_SPEAKER_LIMITS, type LeaveReason } from '../../../src/services/presence/channel-presence.ts';
import { type LiveItem, StoppedByMember } from '../../../src/services/queue/queue-item.ts';

const facts = (more: Partial<SpeakerFacts> = {}): SpeakerFacts => ({
  channelId: undefined,
  listeners: () => 1,
  obstacle: () => undefined,
  limits: DEFAULT_SPEAKER_LIMITS,
  ...more,
});

/** The bot is in channel A, where nobody listens any more; in the others somebody does. */
const DESERTED = facts({ channelId: 'A', listeners: (channelId) => (channelId === 'A' ? 0 : 1) });

function submit(id: string, { sameness = id, userId = 'ann', channelId = 'A', ...order } = {}): SpeakerEvent {
  const place = { channelId };
  const item = { id, sameness, place, order: { from: 'own', userId, ...order } } as unknown as LiveItem;
  return { type: 'submit', item };
}
const takeTurn: SpeakerEvent = { type: 'take-turn' };
const ended: SpeakerEvent = { type: 'turn-ended' };
const stop: SpeakerEvent = { type: 'stop', byUserId: undefined };
const join = (channelId: string, userId?: string): SpeakerEvent => ({
  type: 'join',
  place: { channelId } as never,
  userId,
  textChannelId: undefined,
});
const left = (reason: LeaveReason): SpeakerEvent => ({ type: 'left', channelId: 'A', reason, obstacle: undefined });
const busy = () => [submit('1'), takeTurn, submit('2'), submit('3', { userId: 'ben' })];

function follow(events: readonly SpeakerEvent[], given = facts(), from = INITIAL_STATE) {
  let state: SpeakerState = from;
  let effects: readonly SpeakerEffect[] = [];
  for (const event of events) {
    ({ state, effects } = reduce(state, event, given));
    for (const effect of effects) if (effect.type === 'relocate') effect.item.place = effect.place;
  }
  return { state, effects, ids: itemsOf(state).map(({ id }) => id), types: effects.map(({ type }) => type) };
}

const refusedBy = (key: string) => expect.objectContaining({ text: expect.objectContaining({ key }) });

/** The key of the reason that an effect carries. */
function keyOf([effect]: readonly SpeakerEffect[]): string | undefined {
  return effect && 'reason' in effect && typeof effect.reason !== 'string' ? effect.reason.text.key : undefined;
}

describe('a request', () => {
  test('is refused as a repetition while it waits or is spoken, and accepted after it', () => {
    const again = submit('2', { sameness: '1' });
    expect(() => follow([submit('1'), again])).toThrow(refusedBy('refused.duplicate'));
    const spoken = follow([submit('1'), takeTurn]);
    expect(() => follow([again], facts(), spoken.state)).toThrow(refusedBy('refused.duplicate'));
    expect(follow([ended, again], facts(), spoken.state).types).toEqual(['wake']);
  });

  test.each([
    ['refused.nobody-there', facts({ listeners: () => 0 })],
    ['refused.busy-elsewhere', facts({ channelId: 'B' })],
    ['refused.queue-full', facts({ limits: { ...DEFAULT_SPEAKER_LIMITS, queueLimit: 0 } })],
    ['refused.own-queue-full', facts({ limits: { ...DEFAULT_SPEAKER_LIMITS, memberQueueLimit: 0 } })],
  ])('is refused with %s', (key, given) => {
    expect(() => follow([submit('1')], given)).toThrow(refusedBy(key));
  });

  test('elsewhere takes the requester’s items along when the requester alone listens, the current one from its beginning', () => {
    const { state } = follow([submit('1'), takeTurn]);
    const moved = follow([submit('2', { channelId: 'B' })], DESERTED, state);
    expect(moved.types).toEqual(['relocate', 'start-over', 'wake']);
    expect(itemsOf(moved.state).map(({ place }) => place.channelId)).toEqual(['B', 'B']);
  });

  test('ends the pause of a text that is left behind, and not of one that comes along', () => {
    const { state } = follow([submit('1'), takeTurn, { type: 'pause' }]);
    const others = follow([submit('2', { channelId: 'B', userId: 'ben' })], DESERTED, state);
    expect(others.types).toEqual(['cancel-current', 'go-on', 'wake']);
    expect(isPausedIn(others.state)).toBe(false);
    expect(isPausedIn(follow([submit('2', { channelId: 'B' })], DESERTED, state).state)).toBe(true);
  });

  test.each([
    ['a text', submit('4', { channelId: 'B', userId: 'ben' }), ['1', '3', '4']],
    ['joining', join('B', 'ben'), ['1', '3']],
    ['joining for nobody', join('B'), ['1']],
  ])('elsewhere, by %s, ends what others asked for as if nobody had listened', (_, event, left) => {
    const told = submit('5', { userId: 'ben', ...{ lane: 'announcements', from: 'announcement' } });
    const { state } = follow([...busy(), told]);
    const moved = follow([event], DESERTED, state);
    expect(moved.ids).toEqual(left);
    expect(keyOf(moved.effects)).toBe('play.nobody-listening');
    expect(moved.types).toEqual(expect.arrayContaining(['fail-waiting', 'cancel-current']));
    expect(moved.types).not.toContain('start-over');
    expect(itemsOf(moved.state).map(({ place }) => place.channelId)).toEqual(['A', ...left.slice(1).map(() => 'B')]);
  });

  test('elsewhere is refused while others wait to hear the bot, also while it is in no channel', () => {
    const { state } = follow(busy());
    for (const event of [submit('4', { channelId: 'B', userId: 'cat' }), join('B', 'cat')]) {
      expect(() => follow([event], facts(), state)).toThrow(refusedBy('refused.busy-elsewhere'));
    }
  });

  test('by joining is refused where the bot could not be heard, and in an empty channel while texts wait', () => {
    const empty = facts({ listeners: () => 0 });
    const muted = facts({ obstacle: () => refusal('server-muted') });
    const { state } = follow(busy());
    expect(() => follow([join('A')], muted)).toThrow(refusedBy('refused.muted'));
    expect(() => follow([join('A')], empty, state)).toThrow(refusedBy('refused.nobody-there'));
    expect(follow([join('A')], empty).effects).toEqual([]);
  });

  test('elsewhere finds the room in the queue that others have left in it', () => {
    const full = { ...DESERTED, limits: { ...DEFAULT_SPEAKER_LIMITS, queueLimit: 2 } };
    const { ids } = follow([submit('4', { channelId: 'B', userId: 'cat' })], full, follow(busy()).state);
    expect(ids).toEqual(['1', '4']);
  });
});

describe('a pause', () => {
  const paused: SpeakerEvent[] = [...busy(), { type: 'pause' }];

  test('needs a current item, is made once, and outlasts a skipped item', () => {
    expect(follow([submit('1'), { type: 'pause' }]).types).toEqual([]);
    expect(follow(paused).types).toEqual(['hold']);
    expect(follow([...paused, { type: 'pause' }]).types).toEqual([]);
    const next = follow([...paused, ended, takeTurn]);
    expect(isPausedIn(next.state)).toBe(true);
  });

  test('ends with the last item, by a stop and by resuming', () => {
    const alone: SpeakerEvent[] = [submit('1'), takeTurn, { type: 'pause' }, ended];
    expect(follow([...alone, takeTurn]).types).toEqual(['go-on']);
    expect(follow([...paused, stop]).types).toEqual(['fail-waiting', 'cancel-current', 'go-on']);
    expect(follow([...paused, { type: 'resume' }]).types).toEqual(['go-on']);
  });

  test('that lasts too long ends everything and leaves', () => {
    const { effects, types } = follow([...paused, { type: 'paused-too-long' }]);
    expect(types).toEqual(['fail-waiting', 'cancel-current', 'leave']);
    expect(keyOf(effects)).toBe('play.paused-too-long');
  });
});

describe('the end of items', () => {
  test('a canceled current item stays current until its playback has ended', () => {
    const { state } = follow(busy());
    const cancel: SpeakerEvent = { type: 'cancel', items: itemsOf(state).slice(0, 1), reason: new StoppedByMember() };
    const canceled = follow([cancel], facts(), state);
    expect(canceled).toMatchObject({ ids: ['1', '3', '2'], types: ['cancel-current'] });
    expect(follow([ended], facts(), canceled.state).ids).toEqual(['3', '2']);
  });

  test.each([
    ['play.nobody-listening', { type: 'alone', channelId: 'A' }],
    ['play.kicked', left('kicked')],
    ['play.channel-gone', left('channel-gone')],
    ['play.put-into-audience', { type: 'put-into-audience' }],
    ['play.held-back', { type: 'sent-away', reason: refusal('held-back', { channel: '<#A>' }) }],
  ] as const)('%s is the reason after the event', (key, event) => {
    const { state } = follow(busy());
    const { effects, ids } = follow([event], facts({ channelId: 'A' }), state);
    expect(keyOf(effects)).toBe(key);
    expect(ids).toEqual(['1']);
  });

  test('a group that does not admit the bot ends what waits, unbought, and leaves the current item its own outcome', () => {
    const { effects, ids, types } = follow([...busy(), left('unheard')]);
    expect(types).toEqual(['fail-waiting', 'report-left']);
    expect(keyOf(effects)).toBe('play.unheard');
    expect(ids).toEqual(['1']);
  });

  test('a move by a moderator takes the items along, unless the new channel is inaudible', () => {
    const moved: SpeakerEvent = { type: 'moved', from: 'A', channelId: 'B' };
    const { state, types } = follow([...busy(), moved]);
    expect(types).toEqual(['relocate', 'relocate', 'relocate']);
    expect(itemsOf(state).every(({ place }) => place.channelId === 'B')).toBe(true);
    const deaf = facts({ obstacle: () => refusal('stopped') });
    const { types: there } = follow([moved], deaf, follow(busy()).state);
    expect(there.slice(3)).toEqual(['fail-waiting', 'cancel-current', 'leave']);
  });
});

describe('stopping the bot', () => {
  const reason = refusal('stopped');

  test('draining lets the current item finish, unless it is paused; closing ends it', () => {
    expect(follow([...busy(), { type: 'drain', reason }]).types).toEqual(['abort-joins', 'fail-waiting']);
    const all = ['abort-joins', 'fail-waiting', 'cancel-current'];
    expect(follow([...busy(), { type: 'pause' }, { type: 'drain', reason }]).types).toEqual(all);
    expect(follow([...busy(), { type: 'close', reason }]).types).toEqual(all);
  });

  test('refuses new requests, joins and pauses with its first reason', () => {
    const { state } = follow([{ type: 'drain', reason }]);
    for (const event of [submit('9'), join('A'), { type: 'pause' } as const]) {
      expect(() => follow([event], facts(), state)).toThrow(refusedBy('play.stopped'));
    }
  });
});
