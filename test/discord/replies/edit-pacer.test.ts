import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEditPacer } from '../../../src/discord/replies/edit-pacer.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function pacer(answer: () => Promise<void> = async () => undefined) {
  const sent: string[] = [];
  const failures: unknown[] = [];
  const send = async (message: string) => {
    sent.push(message);
    await answer();
  };
  return { sent, failures, ...createEditPacer({ send, failed: (error) => failures.push(error), paceMs: 1000 }) };
}

describe('the pace of edits', () => {
  it('sends the first at once, and of the following only the newest when its time has come', async () => {
    const { sent, show } = pacer();
    show('joining');
    show('part 1');
    show('part 2');
    expect(sent).toEqual(['joining']);
    await vi.advanceTimersByTimeAsync(999);
    expect(sent).toEqual(['joining']);
    await vi.advanceTimersByTimeAsync(1);
    expect(sent).toEqual(['joining', 'part 2']);
    await vi.advanceTimersByTimeAsync(10_000);
    show('done');
    expect(sent).toEqual(['joining', 'part 2', 'done']);
  });

  it('never has two under way, however slow Discord is', async () => {
    const slow = Promise.withResolvers<void>();
    const { sent, show } = pacer(() => slow.promise);
    show('one');
    show('two');
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent).toEqual(['one']);
    slow.resolve();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual(['one', 'two']);
  });

  it('goes on after one that failed, and says so', async () => {
    let fails = true;
    const { sent, failures, show } = pacer(async () => {
      if (fails) throw new Error('500');
    });
    show('one');
    await vi.advanceTimersByTimeAsync(1000);
    fails = false;
    show('two');
    await vi.advanceTimersByTimeAsync(1000);
    expect(sent).toEqual(['one', 'two']);
    expect(failures).toHaveLength(1);
  });

  it('closed, it drops the waiting message and waits for the edit in flight', async () => {
    const slow = Promise.withResolvers<void>();
    const { sent, show, close } = pacer(() => slow.promise);
    show('one');
    show('two');
    let closed = false;
    const closing = close().then(() => {
      closed = true;
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect(closed).toBe(false);
    slow.resolve();
    await closing;
    show('three');
    await vi.advanceTimersByTimeAsync(5000);
    expect(sent).toEqual(['one']);
  });
});
