import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import type { BotLogLine } from '../../../src/playground/demo/bot/bot-process.ts';
import type { Demo } from '../../../src/playground/demo/demo.ts';
import { describeHeard, describeMessage, follow, reportHeard } from '../../../src/playground/demo/follow.ts';
import type { Person } from '../../../src/playground/people/person.ts';
import type { SentInteraction } from '../../../src/playground/people/sent-interaction.ts';
import type { VisibleMessage } from '../../../src/playground/people/views.ts';
import { type Heard, Hearing, waitForUtterance } from '../../../src/playground/voice/listening/hearing.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let folder: string;
let recordings = 0;
beforeEach(() => {
  hearing.clear();
  folder = temporaryFolder();
});

const recordTo = () => join(folder, `heard-${++recordings}.wav`);
const hearing = new Hearing(false);
const utterance = (wait: { timeoutMs: number }) => waitForUtterance(hearing, wait);
const listener = Object.assign(hearing, { utterance });
const person = { name: 'alice', voiceChannel: 'General', listener } as unknown as Person;

/** Packets with sound, one every 20 ms. */
function sound(fromMs: number, packets: number) {
  for (let index = 0; index < packets; index++) {
    const [sequence, timestamp] = [index, index * 960];
    const packet = { atMs: fromMs + index * 20, userId: 'bot', sequence, timestamp, ssrc: 1, bytes: 60 };
    const frame = { ...packet, silence: false, encrypted: true, audible: false };
    hearing.frame({ packet: frame, opus: Buffer.of(1), refused: undefined });
  }
}

const message = (text: string, atMs: number, more: Partial<VisibleMessage> = {}) =>
  ({ author: 'Crier', text, lines: [text], files: [], history: [{ atMs }], ...more }) as unknown as VisibleMessage;

/** An interaction sent `atMs`, answered with these messages. */
const sent = (id: string, sentAtMs: number, replies: readonly VisibleMessage[]) =>
  ({ id, sentAtMs, replies, answer: async () => ({ reply: replies[0] }) }) as unknown as SentInteraction;

/** Its bot logs the end of every interaction's speech as soon as a test waits for it. */
function demoOf(log: readonly BotLogLine[], sayLastWords = () => {}) {
  const answered = log.map((line) => ({ ...line, msg: 'Finished answering an interaction' }));
  async function logged(matches: (line: BotLogLine) => boolean) {
    const ended = log.find(matches);
    if (!ended) sayLastWords();
    return ended ?? answered.find(matches);
  }
  return { bot: { logged } } as unknown as Demo;
}

test('every text has a recording of its own, and an act without speech has none', async () => {
  const startMs = Math.floor(performance.now()) - 10_000;
  const spoken = { outcome: 'done', spoken: 'finished' };
  const demo = demoOf([
    { interactionId: 'first', ...spoken, firstAudioMs: 100, takenAtMs: startMs + 1_250 },
    { interactionId: 'second', ...spoken, firstAudioMs: 1_290, takenAtMs: startMs + 2_000 },
    { interactionId: 'queue', outcome: 'done', takenAtMs: startMs + 20 },
    { interactionId: 'pause', outcome: 'refused', takenAtMs: startMs + 30 },
  ]);
  const followed = (id: string, isSpeech: boolean, hear = () => {}) => {
    const send = async () => {
      hear();
      return sent(id, startMs, [message(id, startMs + 3_000)]);
    };
    return follow(demo, recordTo, { person, isSpeech, send });
  };
  const [first, second, queue, pause] = await Promise.all([
    followed('first', true),
    followed('second', true),
    followed('queue', false, () => sound(startMs + 110, 50)),
    followed('pause', false, () => sound(startMs + 1_300, 30)),
  ]);
  expect(first.report?.heard).toMatchObject({ packets: 50, firstAudioMs: 110 });
  expect(second.report?.heard).toMatchObject({ packets: 30, firstAudioMs: 1_300 });
  expect(first.report?.heard?.file).not.toBe(second.report?.heard?.file);
  expect(queue.shown.join()).not.toContain('♪');
  expect(pause.shown.join()).not.toContain('♪');
  expect(readdirSync(folder)).toHaveLength(2);
});

test('the words that only one person sees after a voice message are shown', async () => {
  const nowMs = Math.floor(performance.now());
  const replies = [message('', nowMs + 5, { files: [{ name: 'voice-message.ogg', size: 9 }] as never })];
  const demo = demoOf([{ interactionId: 'say', outcome: 'done', takenAtMs: nowMs }], () => {
    replies.push(message('Sent with aria', nowMs + 9, { ephemeral: true }));
  });
  const send = async () => sent('say', nowMs - 50, replies);
  const { ok, shown } = await follow(demo, recordTo, { person, isSpeech: true, send });
  expect(ok).toBe(true);
  expect(shown.join()).toContain('(only you can see this)\n    Sent with aria');
});

test('of a control that changes nothing is said so as soon as the bot is done with it', async () => {
  const demo = demoOf([{ interactionId: 'press', outcome: 'done', takenAtMs: performance.now() }]);
  const pressed = {
    ...sent('press', performance.now(), []),
    answer: ({ timeoutMs }: { timeoutMs: number }) =>
      timeoutMs > 2_000 ? new Promise<never>(() => undefined) : Promise.reject(new Error('There is none')),
  } as unknown as SentInteraction;
  const outcome = await follow(demo, recordTo, { person, isSpeech: false, send: async () => pressed });
  expect(outcome).toMatchObject({ ok: true, shown: ['  (nothing changed)'] });
});

test('signs that are escaped stand without their backslash, and code as it is', () => {
  const say = (...lines: string[]) =>
    describeMessage({ author: 'Crier', lines, files: [] } as unknown as VisibleMessage, 'en-US', '#general');
  expect(say('**Said:** \\*hi\\* \\_you\\_ C:\\dir', '`a\\*b` ``c\\` `` \\# 1')).toBe(
    '  Crier in #general\n    Said: *hi* _you_ C:\\dir\n    `a\\*b` ``c\\` `` # 1',
  );
});

test('a frame that could not be decrypted is no frame in the clear', () => {
  const said = (change: Partial<Heard>) => {
    const packets = [{ atMs: 120, audible: true, encrypted: true }] as unknown as Heard['packets'];
    const heard = { packets, seconds: 1, firstAudibleAtMs: 120, isInTheClear: false, undecryptableFrames: 0 };
    const report = reportHeard({ ...heard, ...change } as Heard, 100, 'heard.wav');
    return describeHeard(report, { name: 'frank', voiceChannel: 'General' } as Person)[0];
  };
  expect(said({})).toContain('1 packets, end-to-end encrypted, the first 20 ms');
  expect(said({ undecryptableFrames: 1 })).toContain(
    'end-to-end encrypted (1 frame could not be decrypted), the first',
  );
  expect(said({ isInTheClear: true })).toContain('NOT end-to-end encrypted');
});
