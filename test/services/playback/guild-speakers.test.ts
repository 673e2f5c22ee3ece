import { pino } from 'pino';
import { expect, it, test } from 'vitest';
import { refusal } from '../../../src/errors/refusals.ts';
import { caughtUp, createGuildSpeakers } from '../../../src/services/playback/guild-speakers.ts';
import { DEFAULT_SPEAKER_LIMITS } from '../../../src/services/presence/channel-presence.ts';
import { rulesOf } from '../../../src/services/servers/server-rules.ts';
import { GENERAL, stage, utterance } from './speaker-stage.ts';

const REASON = refusal('stopping');

/** Speakers for whom nobody ever answers. */
function speakers() {
  const never = () => new Promise<never>(() => undefined);
  return createGuildSpeakers({
    unspoken: {} as never,
    log: pino({ level: 'silent' }),
    limitsOf: () => DEFAULT_SPEAKER_LIMITS,
    metrics: {} as never,
    channels: { listeners: () => 1, exists: () => true, obstacle: () => undefined, joinsFirst: () => false },
    sessions: { join: never },
    synthesizer: { render: () => ({ clip: never(), end: async () => ({ kind: 'none' }) }), spokenMs: () => 1 } as never,
  });
}

it('draining waits for all servers, within its limit, and refuses in those that were silent until then', async () => {
  const all = speakers();
  const { delivery } = all.of('1').submit(utterance('one'));
  const limit = new AbortController();
  const draining = all.drain({ reason: REASON, signal: limit.signal });
  expect(all.refusal).toEqual(REASON);
  const refused = expect.objectContaining({ text: REASON });
  expect(() => all.of('1').submit(utterance('two'))).toThrow(refused);
  expect(() => all.of('new').submit(utterance('three'))).toThrow(refused);
  limit.abort(new Error('took too long'));
  await expect(draining).rejects.toThrow('took too long');
  await all.close(REASON);
  await expect(delivery).rejects.toMatchObject({ cause: { text: REASON } });
  await all.drain({ reason: REASON, signal: new AbortController().signal });
});

it('a server that was left is forgotten, and what waited there is told why', async () => {
  const all = speakers();
  const { delivery } = all.of('1').submit(utterance('one'));
  await all.forget('1');
  await expect(delivery).rejects.toMatchObject({ cause: { text: refusal('server-left') } });
  expect(all.find('1')).toBeUndefined();
});

it('a member is forgotten in all servers, and nobody else', async () => {
  const all = speakers();
  const of = (guildId: string, words: string, userId: string) =>
    all.of(guildId).submit(utterance(words, GENERAL, userId));
  const [mine, other, elsewhere] = [of('1', 'one', '7'), of('1', 'two', '8'), of('2', 'three', '7')];
  const ends = [mine, elsewhere].map(({ delivery }) => expect(delivery).rejects.toThrow());
  expect(all.ofMember('7')).toEqual({ waiting: 2, spoken: 0 });
  expect(all.forgetMember('7')).toEqual({ waiting: 2, spoken: 0 });
  await Promise.all(ends);
  expect(all.ofMember('7')).toEqual({ waiting: 0, spoken: 0 });
  expect(all.ofMember('8')).toEqual({ waiting: 1, spoken: 0 });
  expect(other.item().state).not.toBe('skipped');
  other.delivery.catch(() => undefined);
  await all.close(REASON);
});

it('counts what waits in all servers, and in the one with most of it', async () => {
  const all = speakers();
  expect(all.census()).toEqual({ waiting: 0, longest: 0 });
  const ends = Promise.allSettled(
    ['1', '1', '1', '2', '2'].map((guildId, index) => all.of(guildId).submit(utterance(`text ${index}`)).delivery),
  );
  await new Promise((resolve) => setImmediate(resolve));
  // The first of each is not waiting: it is being made.
  expect(all.census()).toEqual({ waiting: 3, longest: 2 });
  await all.close(REASON);
  await ends;
});

interface Asked {
  readonly speed: number | undefined;
  readonly model: string;
  readonly catchUp: boolean;
}

function behind(waiting: number, { speed, model = 'ext', catchUp = true }: Partial<Asked> = {}) {
  const { speaker } = stage({ queueLimit: 20 });
  for (let count = 0; count <= waiting; count++) speaker.submit(utterance(`text ${count}`, GENERAL, `member ${count}`));
  const { request } = utterance('Hello').requested;
  const asked = { ...request, voice: { ...request.voice, model }, speed };
  return caughtUp(asked, rulesOf({ catchUp }), speaker).speed;
}

test('a text behind five others is spoken faster, where admins want that', () => {
  expect(behind(4)).toBeUndefined();
  expect(behind(5)).toBe(1.25);
  expect(behind(9, { catchUp: false })).toBeUndefined();
});

test('together with the speed that was asked for, never faster than a voice can speak', () => {
  expect(behind(5, { speed: 0.8 })).toBe(1);
  expect(behind(5, { speed: 1.4 })).toBe(1.5);
  expect(behind(5, { speed: 1.5 })).toBe(1.5);
});

test('a voice that takes no speed, or of which that is not known, speaks as always', () => {
  expect(behind(5, { model: 'orpheus' })).toBeUndefined();
  expect(behind(5, { model: 'brand-new' })).toBeUndefined();
});
