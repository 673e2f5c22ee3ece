import { describe, expect, test, vi } from 'vitest';
import { ClipCancelledError, createClip } from '../../../src/audio/clips/clip.ts';
import { viewOf } from '../../../src/audio/clips/shared-clip.ts';

const packet = () => new Uint8Array(3);

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
    const onCancelled = vi.fn();
    const [mine, other] = [viewOf(writer.clip, { onCancelled }), viewOf(writer.clip)];
    writer.push(packet());
    const waiting = mine.waitFor(1);
    mine.cancel();
    await waiting;
    writer.push(packet());
    expect(onCancelled).toHaveBeenCalledOnce();
    expect(mine).toMatchObject({ state: 'failed', durationMs: 20 });
    expect(mine.error).toBeInstanceOf(ClipCancelledError);
    await expect(mine.done).rejects.toBeInstanceOf(ClipCancelledError);
    expect(other).toMatchObject({ state: 'growing', durationMs: 40 });
    expect(writer.cancelled.aborted).toBe(false);
  });

  test('fails for all who share it with the same error', async () => {
    const writer = createClip();
    const view = viewOf(writer.clip);
    const failure = new Error('cut off');
    writer.fail(failure);
    await expect(view.done).rejects.toBe(failure);
    expect(view).toMatchObject({ state: 'failed', error: failure });
  });

  test('is not given up any more once it is complete', () => {
    const writer = createClip();
    const onCancelled = vi.fn();
    const view = viewOf(writer.clip, { onCancelled });
    writer.complete();
    view.cancel();
    expect(view.state).toBe('complete');
    expect(onCancelled).not.toHaveBeenCalled();
  });

  test('lets each who waits give up waiting with a reason of its own', async () => {
    const view = viewOf(createClip().clip);
    const tired = new AbortController();
    const waiting = view.waitFor(0, tired.signal);
    tired.abort(new Error('tired'));
    await expect(waiting).rejects.toThrow('tired');
    expect(view.state).toBe('growing');
  });
});
