import type { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  createEmbeddedEngine,
  createFairQueue,
  type EmbeddedEngineLimits,
} from '../../../../src/speech-service/synthesis/embedded/embedded-engine.ts';
import { jobOf } from '../../running-service.ts';

const never = new AbortController().signal;

function engineWith(limits: Partial<EmbeddedEngineLimits> = {}) {
  const engine = createEmbeddedEngine(limits);
  onTestFinished(() => engine.close());
  return engine;
}

describe('the embedded engine', () => {
  test('speaks the owners in turn, however many one of them has waiting', async () => {
    const engine = engineWith();
    const order: string[] = [];
    const ask = (owner: string, name: string) =>
      engine.synthesize(jobOf(name), { owner, signal: never }).then(() => order.push(name));
    await Promise.all([ask('busy', 'b1'), ask('busy', 'b2'), ask('busy', 'b3'), ask('busy', 'b4'), ask('rare', 'r1')]);
    expect(order.indexOf('r1')).toBeLessThanOrEqual(2);
    expect(order.filter((name) => name.startsWith('b'))).toEqual(['b1', 'b2', 'b3', 'b4']);
  });

  test('refuses at once a request behind too many others', async () => {
    const engine = engineWith({ maxWaiting: 2 });
    const waiting = [1, 2].map((i) => engine.synthesize(jobOf(`text ${i}`), { owner: 'a', signal: never }));
    await expect(engine.synthesize(jobOf('one more'), { owner: 'a', signal: never })).rejects.toMatchObject({
      kind: 'busy',
    });
    await Promise.all(waiting);
    await engine.synthesize(jobOf('again'), { owner: 'a', signal: never });
  });

  test('gives up a request that waits longer than its deadline', async () => {
    const engine = engineWith({ deadlineMs: 1 });
    await expect(engine.synthesize(jobOf('hello'), { owner: 'a', signal: never })).rejects.toMatchObject({
      kind: 'busy',
    });
  });

  test('drops an abandoned request, and continues with the next', async () => {
    const engine = engineWith();
    const leaving = new AbortController();
    const left = engine.synthesize(jobOf('I am not wanted.'), { owner: 'a', signal: leaving.signal });
    const stays = engine.synthesize(jobOf('I am.'), { owner: 'a', signal: never });
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect((await stays).bytes.byteLength).toBeGreaterThan(10_000);
    await expect(engine.synthesize(jobOf('late'), { owner: 'a', signal: leaving.signal })).rejects.toThrow('gone');
  });

  test('answers with an error, not with silence, when the synthesizer fails, and lives on', async () => {
    const engine = engineWith();
    const broken = jobOf('hello');
    const failing = { ...broken, timbre: { ...broken.timbre, language: 'xx' } };
    await expect(engine.synthesize(failing, { owner: 'a', signal: never })).rejects.toMatchObject({ kind: 'failed' });
    await engine.synthesize(broken, { owner: 'a', signal: never });
  });

  test('closes, rejects waiting requests, and may be closed twice', async () => {
    const engine = engineWith();
    const waiting = [1, 2, 3].map((i) =>
      engine.synthesize(jobOf(`text ${i} `.repeat(50)), { owner: 'a', signal: never }),
    );
    const outcomes = Promise.allSettled(waiting);
    await engine.close();
    await engine.close();
    expect((await outcomes).map((outcome) => outcome.status)).toEqual(['rejected', 'rejected', 'rejected']);
    await expect(engine.synthesize(jobOf('late'), { owner: 'a', signal: never })).rejects.toMatchObject({
      kind: 'unavailable',
    });
  });
});

describe('the synthesis thread', () => {
  const program = new URL('./bad-thread.ts', import.meta.url);

  test('is there from the first text on', async () => {
    const started: unknown[] = [];
    const note = (thread: unknown) => void started.push(thread);
    process.on('worker', note);
    onTestFinished(() => void process.off('worker', note));
    const engine = engineWith();
    expect(engine.problem).toBeUndefined();
    expect(started).toEqual([]);
    await engine.synthesize(jobOf('hello'), { owner: 'a', signal: never });
    expect(started).toHaveLength(1);
  });

  test('is there before it, once somebody may ask for speech', async () => {
    const { promise: started, resolve } = Promise.withResolvers<unknown>();
    process.once('worker', resolve);
    const engine = engineWith();
    engine.wake?.();
    engine.wake?.();
    await started;
    await engine.synthesize(jobOf('hello'), { owner: 'a', signal: never });
  });

  test('ends where nobody asked for speech after all', async () => {
    const ended = new Promise((resolve) => {
      process.once('worker', (thread: Worker) => thread.once('exit', resolve));
    });
    const engine = createEmbeddedEngine({ restAfterMs: 1 }, { program });
    onTestFinished(() => engine.close());
    engine.wake?.();
    await ended;
  });

  test('ends where nothing is spoken for a while, and is back for the next text', async () => {
    const engine = createEmbeddedEngine({ restAfterMs: 1 }, { program });
    onTestFinished(() => engine.close());
    const speak = async () => (await engine.synthesize(jobOf('hello'), { owner: 'a', signal: never })).bytes;
    const first = await speak();
    await expect.poll(speak, { timeout: 10_000 }).not.toEqual(first);
  });
});

describe('a synthesis thread that goes wrong', () => {
  const program = new URL('./bad-thread.ts', import.meta.url);
  const badEngine = (limits: Partial<EmbeddedEngineLimits> = {}) => {
    const engine = createEmbeddedEngine(limits, { program });
    onTestFinished(() => engine.close());
    return (text: string) => engine.synthesize(jobOf(text), { owner: 'a', signal: never });
  };

  test.each([
    ['hang', /took too long/],
    ['die', /thread ended/],
    ['throw', /out of order/],
  ])('%s: is replaced, which costs one request and none of those that wait', async (text, reason) => {
    const speak = badEngine({ stuckAfterMs: 1_000 });
    const { bytes: first } = await speak('hello');
    const failing = expect(speak(text)).rejects.toMatchObject({
      kind: 'failed',
      message: expect.stringMatching(reason),
    });
    const waiting = [speak('one'), speak('two')];
    await failing;
    const [one, two] = await Promise.all(waiting);
    expect(one?.bytes).toEqual(two?.bytes);
    expect(one?.bytes).not.toEqual(first);
  });

  test('is replaced every time, as long as each new one starts', async () => {
    const speak = badEngine();
    for (let i = 0; i < 4; i += 1) await expect(speak('die')).rejects.toMatchObject({ kind: 'failed' });
    await speak('hello');
  });

  test('is given up, and waiting requests are rejected, when three in a row do not even start', async () => {
    const engine = createEmbeddedEngine({}, { program: new URL('data:text/javascript,throw new Error("no start")') });
    onTestFinished(() => engine.close());
    const waiting = engine.synthesize(jobOf('hello'), { owner: 'a', signal: never });
    await expect(waiting).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(engine.synthesize(jobOf('late'), { owner: 'a', signal: never })).rejects.toMatchObject({
      kind: 'down',
      message: expect.stringContaining('no start'),
    });
  });
});

describe('a fair queue', () => {
  test('goes round the owners and keeps the order of each', () => {
    const queue = createFairQueue<string>();
    for (const item of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.push(item.charAt(0), item);
    expect(queue.remove('a', 'a2')).toBe(true);
    expect(queue.remove('a', 'a2')).toBe(false);
    expect(queue.size).toBe(5);
    expect(Array.from({ length: 6 }, () => queue.next())).toEqual(['a1', 'b1', 'c1', 'a3', 'b2', undefined]);
    expect(queue.size).toBe(0);
  });
});
