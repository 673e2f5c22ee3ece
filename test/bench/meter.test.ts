import { describe, expect, it } from 'vitest';
import { startMeter } from '../../bench/sink/meter.ts';

/** A second of one speaker; `atMs` says when packet `i` comes, undefined that it does not. */
function hear(atMs: (i: number) => number | undefined, { speakers = 1, firstSequence = 0 } = {}) {
  const meter = startMeter(0);
  let sequence = firstSequence;
  for (let i = 0; i < 50; i++) {
    const at = atMs(i);
    if (at !== undefined) meter.packet('a', sequence & 0xffff, at);
    sequence += 1;
  }
  return meter.end(1_000, speakers);
}

describe('a packet that arrives', () => {
  it.each([
    ['every 20 ms is on time', 0],
    ['over the wrap of the sequence number is one stream', 0xfff0],
  ])('%s', (_, firstSequence) => {
    const onTime = { received: 50, late: 0, missed: 0, lost: 0, onTimeShare: 1 };
    expect(hear((i) => i * 20, { firstSequence })).toMatchObject(onTime);
  });

  it('later than 10 ms is late, however even the stream is afterwards', () => {
    const { late, onTimeShare, gapP99Ms } = hear((i) => i * 20 + (i === 25 ? 12 : 0));
    expect(late).toBe(1);
    expect(onTimeShare).toBeCloseTo(0.98);
    expect(gapP99Ms).toBeCloseTo(32, 1);
  });

  it('too slowly is late and then missed: an even 45 packets a second is no success', () => {
    const { late, missed, onTimeShare } = hear((i) => (i < 45 ? i * 22.2 : undefined));
    expect(late).toBeGreaterThan(10);
    expect(missed).toBeGreaterThan(0);
    expect(onTimeShare).toBeLessThan(0.7);
  });

  it('after a stall counts the turns that were skipped, and is on time again', () => {
    const { missed, late } = hear((i) => (i < 40 ? i * 20 + (i >= 20 ? 200 : 0) : undefined));
    expect(missed).toBe(10);
    expect(late).toBe(0);
  });

  it('is counted; one lost on the way is told apart from one never sent', () => {
    expect(hear((i) => (i === 10 ? undefined : i * 20))).toMatchObject({ received: 49, lost: 1, missed: 0, late: 0 });
  });
});

describe('a speaker that is not heard', () => {
  it('at all has missed every turn', () => {
    expect(hear((i) => i * 20, { speakers: 2 })).toMatchObject({ speakers: 1, missed: 50, onTimeShare: 0.5 });
  });

  it('any more has missed the rest', () => {
    expect(hear((i) => (i < 25 ? i * 20 : undefined)).missed).toBeGreaterThanOrEqual(24);
  });
});
