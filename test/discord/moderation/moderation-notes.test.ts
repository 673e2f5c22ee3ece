import { expect, it } from 'vitest';
import { VoiceJoinError } from '../../../src/audio/connection/voice-session-types.ts';
import {
  type NoteStart,
  noteOfDelivery,
  notesOfReading,
  noteWhenOver,
  type SpokenNote,
} from '../../../src/discord/moderation/moderation-log.ts';
import { refusal } from '../../../src/errors/refusals.ts';
import { DeliveryError, PartError, UserError } from '../../../src/errors/user-errors.ts';
import { StoppedByMember } from '../../../src/services/queue/queue-item.ts';
import { BlockedWordError } from '../../../src/services/text/blocked-words.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { text } from '../../../src/texts/catalog.ts';

function log() {
  const notes: SpokenNote[] = [];
  const moderation = {
    note: (note: SpokenNote) => void notes.push(note),
    problem: () => undefined,
    close: async () => undefined,
  };
  return { notes, moderation };
}

/** No list of voices. */
const NO_VOICES = { known: () => undefined } as never;

const delivery = {
  outcome: 'finished',
  channelId: '30',
  firstAudioMs: 20,
  encrypted: true,
  speech: { creditsUsed: 5, cached: false, warnings: [] },
} as const;

it('a message that was read is noted with its length, its voice and where it was heard', async () => {
  const { notes, moderation } = log();
  const voice = { id: 'v1', name: 'aria', model: 'gpro' };
  const voices = { known: () => ({ voices: [voice], models: [], fetchedAtMs: 0 }) } as never;
  const heard = Promise.resolve(delivery);
  const message = { guildId: '1', channelId: '20', author: { id: '7' }, content: '**secret**' };
  const request = { input: 'secret', voice: { kind: 'id', voiceId: 'v1' } };
  const reading = notesOfReading({ moderation, voices });
  reading.onRead({ message, request, delivery: heard, isBleeped: true } as never);
  await expect.poll(() => notes).toHaveLength(1);
  const { voices: noted, ...note } = notes[0] ?? {};
  expect(noted).toMatchObject([{ name: 'aria', model: 'gpro' }]);
  expect(note).toEqual({
    guildId: '1',
    userId: '7',
    kind: 'auto-read',
    characters: 6,
    channelId: '30',
    outcome: 'spoken',
    credits: 5,
    isBleeped: true,
  });
  reading.onBlocked(message as never);
  expect(notes[1]).toMatchObject({ userId: '7', kind: 'auto-read', characters: 10, outcome: 'blocked', credits: 0 });
  expect(JSON.stringify(notes)).not.toContain('secret');
});

it('a message in several languages is noted with each of its voices once', async () => {
  const { notes, moderation } = log();
  const list = ['aria', 'basil'].map((id) => ({ id, name: id, model: 'gpro' }));
  const voices = { known: () => ({ voices: list, models: [], fetchedAtMs: 0 }) } as never;
  const by = (voiceId: string) => ({ input: 'x', voice: { kind: 'id', voiceId } });
  const request = { input: 'xxx', voice: by('aria').voice, passages: [by('aria'), by('basil'), by('aria')] };
  const message = { guildId: '1', channelId: '20', author: { id: '7' }, content: 'xxx' };
  notesOfReading({ moderation, voices }).onRead({ message, request, delivery: Promise.resolve(delivery) } as never);
  await expect.poll(() => notes).toHaveLength(1);
  expect(notes[0]?.voices?.map(({ name }) => name)).toEqual(['aria', 'basil']);
});

it('an utterance names the voice that spoke in the place of another, where that is known', async () => {
  const { notes, moderation } = log();
  const list = ['local', 'basil'].map((id) => ({ id, name: id, model: 'local' }));
  const voices = { known: () => ({ voices: list, models: [], fetchedAtMs: 0 }) } as never;
  const start = {
    guildId: '1',
    userId: '7',
    kind: 'command',
    characters: 3,
    voices: [{ name: 'af', model: 'kokoro' }],
  };
  const by = (heard: string) =>
    noteOfDelivery({ ...delivery, speech: { ...delivery.speech, speakers: [{ asked: 'af', heard }] } });
  for (const heard of ['local', 'unknown'])
    noteWhenOver({ moderation, voices }, start as NoteStart, Promise.resolve(by(heard)));
  await expect.poll(() => notes).toHaveLength(2);
  expect(notes.map((note) => note.voices?.map(({ name }) => name))).toEqual([['local'], ['af']]);
  expect(notes[0]).not.toHaveProperty('speakers');
});

it('an utterance that was not played to its end, or not at all, is noted with its known cost', async () => {
  const { notes, moderation } = log();
  const start = { guildId: '1', userId: '7', kind: 'command', characters: 3 } as const;
  const cause = new UserError(refusal('connection-lost', { heard: 'nothing' }));
  noteWhenOver(
    { moderation, voices: NO_VOICES },
    start,
    Promise.reject(new DeliveryError('30', { kind: 'none' }, cause, true)),
  );
  noteWhenOver(
    { moderation, voices: NO_VOICES },
    start,
    Promise.reject(new DeliveryError('30', { kind: 'unknown' }, cause, true)),
  );
  noteWhenOver(
    { moderation, voices: NO_VOICES },
    start,
    Promise.reject(new DeliveryError('30', { kind: 'none' }, cause)),
  );
  await expect
    .poll(() => notes)
    .toEqual([
      { ...start, outcome: 'failed', cause: 'connection', credits: 0 },
      { ...start, outcome: 'failed', cause: 'connection', credits: undefined },
      { ...start, outcome: 'unspoken', cause: 'connection', credits: 0 },
    ]);
});

it.each([
  [new UserError(refusal('member-muted')), 'muted'],
  [new UserError(refusal('blocked-role', { role: '<@&5>' })), 'role'],
  [new BlockedWordError(text('blocked.refused', { rule: 'darn' })), 'blocked'],
  [new UserError(refusal('kicked', { channel: '<#30>', heard: 'nothing' })), 'kicked'],
  [new VoiceJoinError('disconnected', 'No'), 'kicked'],
  [new VoiceJoinError('timeout', 'No'), 'connection'],
  [new PartError(2, 3, new SpeechError({ kind: 'server-error', message: 'No' })), 'speech'],
  [new SpeechError({ kind: 'content-policy', message: 'No' }), 'content'],
  [new UserError(refusal('lost-audio', { when: 'soon' })), 'speech'],
  [new UserError(refusal('unacknowledged')), undefined],
])('an utterance that was not spoken is noted with its cause: %s', async (reason, cause) => {
  const { notes, moderation } = log();
  const start = { guildId: '1', userId: '7', kind: 'command', characters: 3 } as const;
  noteWhenOver(
    { moderation, voices: NO_VOICES },
    start,
    Promise.reject(new DeliveryError('30', { kind: 'none' }, reason)),
  );
  await expect.poll(() => notes).toEqual([{ ...start, outcome: 'unspoken', cause, credits: 0 }]);
});

it('an utterance that another member stopped is noted with who did', async () => {
  const { notes, moderation } = log();
  expect(noteOfDelivery({ ...delivery, outcome: 'stopped', stoppedBy: '9' })).toMatchObject({ by: '9' });
  const start = { guildId: '1', userId: '7', kind: 'command', characters: 3 } as const;
  const removed = new DeliveryError('30', { kind: 'none' }, new StoppedByMember('9'));
  noteWhenOver({ moderation, voices: NO_VOICES }, start, Promise.reject(removed));
  await expect.poll(() => notes).toEqual([{ ...start, outcome: 'removed', by: '9', credits: 0 }]);
});

it('an utterance that comes back after the next start is not noted before', async () => {
  const { notes, moderation } = log();
  const start = { guildId: '1', userId: '7', kind: 'command', characters: 3 } as const;
  const stopping = () => Promise.reject(new DeliveryError('30', { kind: 'none' }, new UserError(refusal('stopping'))));
  noteWhenOver({ moderation, voices: NO_VOICES }, start, stopping(), { comesBack: true } as never);
  noteWhenOver({ moderation, voices: NO_VOICES }, start, stopping(), { comesBack: false } as never);
  await expect.poll(() => notes).toEqual([{ ...start, outcome: 'unspoken', cause: 'stopping', credits: 0 }]);
});

it('an utterance that was taken out of the queue is no failure', async () => {
  const { notes, moderation } = log();
  const start = { guildId: '1', userId: '7', kind: 'command', characters: 3 } as const;
  const removed = new DeliveryError('30', { kind: 'none' }, new StoppedByMember());
  noteWhenOver({ moderation, voices: NO_VOICES }, start, Promise.reject(removed));
  await expect.poll(() => notes).toEqual([{ ...start, outcome: 'removed', credits: 0 }]);
});

it('an utterance stopped during its request is not noted as free', () => {
  const stopped = (creditsUsed: number) =>
    noteOfDelivery({ ...delivery, outcome: 'stopped', speech: { ...delivery.speech, creditsUsed, mayBeMore: true } });
  expect(stopped(0)).toEqual({ outcome: 'stopped', channelId: '30', credits: undefined });
  expect(stopped(5)).toMatchObject({ credits: 5 });
});
