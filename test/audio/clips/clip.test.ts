import { describe, expect, test, vi } from 'vitest';
import { ClipCanceledError, createClip, viewOf } from '../../../src/audio/clips/clip.ts';

const packet = () => new Uint8Array(3);

describe('a clip', () => {
  test('stops waiting when the signal aborts, and leaves other waiters alone', async () => {
    const { clip, push } = createClip();
    const controller = new AbortController();
    const impatient = clip.waitFor(0, controller.signal);
    const patient = clip.waitFor(0);
    controller.abort(new Error('enough'));
    await expect(impatient).rejects.toThrow('enough');
    await expect(clip.waitFor(0, controller.signal)).rejects.toThrow('enough');
    push(packet());
    await patient;
  });

  test('tells its maker when it is canceled, once, and takes nothing after that', async () => {
    const { clip, push, complete, canceled } = createClip();
    clip.cancel('nobody listens');
    clip.cancel('again');
    push(packet());
    complete();
    expect(canceled.aborted).toBe(true);
    expect(clip.error).toBeInstanceOf(ClipCanceledError);
    expect(clip.error?.message).toBe('nobody listens');
    expect(clip.packets).toHaveLength(0);
  });
});

describe('a clip that several share while it grows', () => {
  test('given up by one goes on for the other; the one keeps what it had, and its waiting ends', async () => {
    const writer = createClip();
    const onCanceled = vi.fn();
    const [mine, other] = [viewOf(writer.clip, undefined, onCanceled), viewOf(writer.clip)];
    writer.push(packet());
    const waiting = mine.waitFor(1);
    mine.cancel();
    await waiting;
    writer.push(packet());
    expect(onCanceled).toHaveBeenCalledOnce();
    expect(mine).toMatchObject({ state: 'failed', durationMs: 20 });
    expect(mine.error).toBeInstanceOf(ClipCanceledError);
    await expect(mine.done).rejects.toBeInstanceOf(ClipCanceledError);
    expect(other).toMatchObject({ state: 'growing', durationMs: 40 });
    expect(writer.canceled.aborted).toBe(false);
  });
});
