import type { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmbeddedEngine } from '../../../../src/speech-service/synthesis/embedded/embedded-engine.ts';
import { jobOf } from '../../running-service.ts';

const never = new AbortController().signal;
/** A thread that fails on command. */
const program = new URL('./bad-thread.ts', import.meta.url);

function engineWith(options: Parameters<typeof createEmbeddedEngine>[0] = {}) {
  const engine = createEmbeddedEngine(options);
  onTestFinished(() => engine.close());
  const speak = (text: string, signal = never) => engine.synthesize(jobOf(text), signal);
  return { engine, speak };
}

describe('the embedded engine', () => {
  test('refuses at once a request behind too many others', async () => {
    const { speak } = engineWith({ maxWaiting: 2 });
    const waiting = ['one', 'two'].map((text) => speak(text));
    await expect(speak('one more')).rejects.toMatchObject({ kind: 'busy' });
    await Promise.all(waiting);
    await speak('again');
  });

  test('gives up a request that waits longer than its deadline', async () => {
    await expect(engineWith({ deadlineMs: 1 }).speak('hello')).rejects.toMatchObject({ kind: 'busy' });
  });

  test('drops an abandoned request, and continues with the next', async () => {
    const { speak } = engineWith();
    const leaving = new AbortController();
    const left = speak('I am not wanted.', leaving.signal);
    const stays = speak('I am.');
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect((await stays).bytes.byteLength).toBeGreaterThan(10_000);
    await expect(speak('late', leaving.signal)).rejects.toThrow('gone');
  });

  test('answers with an error, not with silence, when the synthesizer fails, and lives on', async () => {
    const { engine, speak } = engineWith();
    const job = jobOf('hello');
    const failing = engine.synthesize({ ...job, timbre: { ...job.timbre, language: 'xx', flite: undefined } }, never);
    await expect(failing).rejects.toMatchObject({ kind: 'failed' });
    await speak('hello');
  });

  test('closes, rejects waiting requests, and may be closed twice', async () => {
    const { engine, speak } = engineWith();
    const outcomes = Promise.allSettled(['one', 'two', 'three'].map((text) => speak(text.repeat(50))));
    await engine.close();
    await engine.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(speak('late')).rejects.toMatchObject({ kind: 'unavailable' });
  });
});

describe('the synthesis thread', () => {
  test('is there from the first text on, or before it, once somebody may ask for speech', async () => {
    const started: unknown[] = [];
    const note = (thread: unknown) => void started.push(thread);
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const first = engineWith();
    expect(started).toEqual([]);
    await first.speak('hello');
    expect(started).toHaveLength(1);
    const second = engineWith();
    second.engine.wake?.();
    second.engine.wake?.();
    await expect.poll(() => started).toHaveLength(2);
    await second.speak('hello');
    expect(started).toHaveLength(2);
  });

  test('ends where nobody asked for speech after all, and is back for the next text', async () => {
    const ended = new Promise((resolve) => {
      process.once('worker', (thread: Worker) => thread.once('exit', resolve));
    });
    const { engine, speak } = engineWith({ restAfterMs: 1, program });
    engine.wake?.();
    await ended;
    const bytes = async () => (await speak('hello')).bytes;
    const first = await bytes();
    await expect.poll(bytes).not.toEqual(first);
  });

  test.each([
    ['hang', /took too long/],
    ['die', /thread ended/],
    ['throw', /out of order/],
  ])('that goes wrong (%s) is replaced, which costs one request and none of those that wait', async (text, reason) => {
    const { speak } = engineWith({ stuckAfterMs: 1_000, program });
    const { bytes: first } = await speak('hello');
    const failure = { kind: 'failed', message: expect.stringMatching(reason) };
    const failing = expect(speak(text)).rejects.toMatchObject(failure);
    const waiting = [speak('one'), speak('two')];
    await failing;
    const [one, two] = await Promise.all(waiting);
    expect(one?.bytes).toEqual(two?.bytes);
    expect(one?.bytes).not.toEqual(first);
  });

  test('is given up, and waiting requests are rejected, when three in a row do not even start', async () => {
    const { speak } = engineWith({ program: new URL('data:text/javascript,throw new Error("no start")') });
    await expect(speak('hello')).rejects.toMatchObject({ kind: 'unavailable' });
    const message = expect.stringContaining('no start');
    await expect(speak('late')).rejects.toMatchObject({ kind: 'down', message });
  });
});
