import { describe, expect, test, vi } from 'vitest';
import { ClipCanceledError, clipFromPackets, createClip, viewOf } from '../../../src/audio/clips/clip.ts';

const packet = () => new Uint8Array(3);

describe('a clip', () => {
  test('grows by 20 ms a packet and wakes who waits for the next one', async () => {
    const { clip, push, complete } = createClip();
    const first = clip.waitFor(0);
    const third = clip.waitFor(2);
    push(packet());
    await first;
    expect(clip.durationMs).toBe(20);
    expect(clip.state).toBe('growing');
    push(packet());
    push(packet());
    await third;
    complete();
    await clip.done;
    expect(clip).toMatchObject({ state: 'complete', durationMs: 60 });
    expect(clip.error).toBeUndefined();
  });

  test('keeps its good packets when it fails, and says why', async () => {
    const { clip, push, fail } = createClip();
    push(packet());
    const waiting = clip.waitFor(1);
    fail(new Error('cut off'));
    await waiting;
    expect(clip.state).toBe('failed');
    expect(clip.error?.message).toBe('cut off');
    expect(clip.packets).toHaveLength(1);
    await expect(clip.done).rejects.toThrow('cut off');
  });

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

  test('that is complete is not harmed by being canceled', () => {
    const clip = clipFromPackets([packet(), packet()]);
    clip.cancel();
    expect(clip).toMatchObject({ state: 'complete', durationMs: 40 });
  });
});

describe('a clip that several share while it grows', () => {
  test('grows and ends in each view', async () => {
    const writer = createClip();
    const views = [viewOf(writer.clip), viewOf(writer.clip)];
    const waiting = views.map((view) => view.waitFor(0));
    writer.push(packet());
    await Promise.all(waiting);
    writer.push(packet());
    writer.complete();
    await Promise.all(views.map((view) => view.done));
    for (const view of views) expect(view).toMatchObject({ state: 'complete', durationMs: 40, error: undefined });
  });

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
