import { beforeEach, describe, expect, it, vi } from 'vitest';
import { REQUEST_BUDGET } from '../../../src/audio/connection/voice-session-types.ts';
import { createRequestLine, type RequestLine } from '../../../src/audio/connection/voice-signaling.ts';

let line: RequestLine;
let sent: string[];
beforeEach(() => {
  vi.useFakeTimers();
  line = createRequestLine({ limit: 2, perMs: 60_000 });
  sent = [];
});

const enter = (guildId: string, what = guildId) => line.enter(guildId, () => sent.push(what) > 0);
function sentAfter(ms: number) {
  vi.advanceTimersByTime(ms);
  return sent;
}

describe('the line of requests of a shard', () => {
  it('sends at once what the budget allows, and the rest in order as it allows again', () => {
    for (const guildId of ['a', 'b', 'c', 'd', 'e']) enter(guildId);
    expect(sent).toEqual(['a', 'b']);
    expect(sentAfter(59_999)).toHaveLength(2);
    expect(sentAfter(1)).toEqual(['a', 'b', 'c', 'd']);
    expect(sentAfter(60_000)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('never sends more than that within any window', () => {
    enter('a');
    vi.advanceTimersByTime(50_000);
    enter('b');
    enter('c');
    expect(sentAfter(10_000)).toEqual(['a', 'b', 'c']);
    enter('d');
    expect(sentAfter(49_999)).toHaveLength(3);
    expect(sentAfter(1)).toHaveLength(4);
  });

  it('sends nothing that was withdrawn or superseded: of a server, the latest, in the place of the first', () => {
    enter('a');
    enter('b');
    const stale = enter('c', 'c joins');
    const gone = enter('d');
    enter('e');
    expect(stale.isWaiting).toBe(true);
    enter('c', 'c leaves');
    expect(stale.isWaiting).toBe(false);
    gone.withdraw();
    gone.withdraw();
    stale.withdraw();
    expect(sentAfter(60_000)).toEqual(['a', 'b', 'c leaves', 'e']);
  });

  it('stays below the limit of Discord where the first requests arrive seconds late', () => {
    const arrivedAtMs: number[] = [];
    line = createRequestLine(REQUEST_BUDGET);
    const late = (n: number) => (n < REQUEST_BUDGET.limit ? 4_000 : 0);
    for (let n = 0; n < 3 * REQUEST_BUDGET.limit; n += 1) {
      line.enter(`${n}`, () => arrivedAtMs.push(performance.now() + late(n)) > 0);
    }
    vi.advanceTimersByTime(3 * 60_000);
    expect(arrivedAtMs).toHaveLength(3 * REQUEST_BUDGET.limit);
    const within = (fromMs: number) => arrivedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000).length;
    expect(Math.max(...arrivedAtMs.map(within))).toBeLessThan(120);
  });

  it('takes a request made while another one is being sent', () => {
    line.enter('a', () => {
      enter('b');
      return sent.push('a') > 0;
    });
    expect(sent).toEqual(['a', 'b']);
    expect(enter('c').isWaiting).toBe(true);
  });
});
