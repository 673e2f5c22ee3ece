import { expect, it } from 'vitest';
import { refusal } from '../../../src/errors/user-errors.ts';
import { caughtUp, createGuildSpeakers } from '../../../src/services/playback/guild-speakers.ts';
import { DEFAULT_SPEAKER_LIMITS } from '../../../src/services/presence/channel-presence.ts';
import { rulesOf } from '../../../src/services/servers/admission.ts';
import { silentLog } from '../../silent-log.ts';
import { GENERAL, stage, utterance } from './speaker-stage.ts';

const REASON = refusal('stopping');

/** Speakers for whom nobody ever answers. */
function speakers() {
  const never = () => new Promise<never>(() => undefined);
  return createGuildSpeakers({
    unspoken: {} as never,
    log: silentLog,
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
  const draining = all.drain(REASON, limit.signal);
  expect(all.refusal).toEqual(REASON);
  const refused = expect.objectContaining({ text: REASON });
  expect(() => all.of('1').submit(utterance('two'))).toThrow(refused);
  expect(() => all.of('new').submit(utterance('three'))).toThrow(refused);
  limit.abort(new Error('took too long'));
  await expect(draining).rejects.toThrow('took too long');
  const ended = refusal('session-ended');
  await all.close(ended);
  await expect(delivery).rejects.toMatchObject({ cause: { text: REASON } });
  // The first reason to close is told.
  await all.close(REASON);
  await all.drain(REASON, new AbortController().signal);
  expect(all.refusal).toEqual(ended);
  expect(() => all.of('newest').submit(utterance('four'))).toThrow(expect.objectContaining({ text: ended }));
});

it('a member is forgotten in all servers, and nobody else', async () => {
  const all = speakers();
  const of = (guildId: string, words: string, userId: string) =>
    all.of(guildId).submit(utterance(words, GENERAL, userId));
  const [mine, other, elsewhere] = [of('1', 'one', '7'), of('1', 'two', '8'), of('2', 'three', '7')];
  const ends = [mine, elsewhere].map(({ delivery }) => expect(delivery).rejects.toThrow());
  expect(all.ofMember('7')).toEqual({ waiting: 2, spoken: 0 });
  await new Promise((resolve) => setImmediate(resolve));
  // The first text of each server is being made, and waits no more.
  expect(all.census()).toEqual({ waiting: 1, longest: 1 });
  all.forgetMember('7');
  await Promise.all(ends);
  expect(all.ofMember('7')).toEqual({ waiting: 0, spoken: 0 });
  expect(all.ofMember('8')).toEqual({ waiting: 1, spoken: 0 });
  expect(other.item().state).not.toBe('skipped');
  other.delivery.catch(() => undefined);
  await all.close(REASON);
});

it.each([
  ['as usual behind four texts', 4, {}, undefined],
  ['faster behind five', 5, {}, 1.25],
  ['faster than it was asked for', 5, { speed: 0.8 }, 1],
  ['no faster than a voice can speak', 5, { speed: 1.4 }, 1.5],
  ['as usual where admins want that', 9, { catchUp: false }, undefined],
  ['as usual by a voice that takes no speed', 5, { model: 'orpheus' }, undefined],
] as const)('a text is spoken %s', (_, waiting, asked, expected) => {
  const { speed, model, catchUp } = { speed: undefined, model: 'ext', catchUp: true, ...asked };
  const { speaker } = stage({ queueLimit: 20 });
  for (let count = 0; count <= waiting; count++) speaker.submit(utterance(`text ${count}`, GENERAL, `member ${count}`));
  const { request } = utterance('Hello').requested;
  const caught = caughtUp({ ...request, voice: { ...request.voice, model }, speed }, rulesOf({ catchUp }), speaker);
  expect(caught.speed).toBe(expected);
});
