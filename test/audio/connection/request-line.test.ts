import { beforeEach, describe, expect, it } from 'vitest';
import { createRequestLine, REQUEST_BUDGET, type RequestLine } from '../../../src/audio/connection/request-line.ts';
import { createManualClock } from '../../../src/playground/world/world.ts';

let clock: ReturnType<typeof createManualClock>;
let line: RequestLine;
let sent: string[];
beforeEach(() => {
  clock = createManualClock();
  line = createRequestLine({ limit: 2, perMs: 60_000 }, clock);
  sent = [];
});

const enter = (guildId: string, what = guildId) => line.enter(guildId, () => sent.push(what) > 0);

describe('the line of requests of a shard', () => {
  it('sends at once what the budget allows, and the rest in order as it allows again', () => {
    for (const guildId of ['a', 'b', 'c', 'd', 'e']) enter(guildId);
    expect(sent).toEqual(['a', 'b']);
    clock.advance(59_999);
    expect(sent).toHaveLength(2);
    clock.advance(1);
    expect(sent).toEqual(['a', 'b', 'c', 'd']);
    clock.advance(60_000);
    expect(sent).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(line.length).toBe(0);
  });

  it('never sends more than that within any window', () => {
    enter('a');
    clock.advance(50_000);
    enter('b');
    enter('c');
    clock.advance(10_000);
    expect(sent).toEqual(['a', 'b', 'c']);
    enter('d');
    clock.advance(49_999);
    expect(sent).toHaveLength(3);
    clock.advance(1);
    expect(sent).toHaveLength(4);
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
    clock.advance(60_000);
    expect(sent).toEqual(['a', 'b', 'c leaves', 'e']);
  });

  it('stays below the limit of Discord where the first requests arrive seconds late', () => {
    const arrivedAtMs: number[] = [];
    line = createRequestLine(REQUEST_BUDGET, clock);
    const late = (n: number) => (n < REQUEST_BUDGET.limit ? 4_000 : 0);
    for (let n = 0; n < 3 * REQUEST_BUDGET.limit; n += 1) {
      line.enter(`${n}`, () => arrivedAtMs.push(clock.now() + late(n)) > 0);
    }
    clock.advance(3 * 60_000);
    expect(arrivedAtMs).toHaveLength(3 * REQUEST_BUDGET.limit);
    const within = (fromMs: number) => arrivedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + 60_000).length;
    expect(Math.max(...arrivedAtMs.map(within))).toBeLessThan(120);
  });

  it('counts nothing that was not taken', () => {
    for (let n = 0; n < 9; n += 1) line.enter(`${n}`, () => false);
    expect(line.length).toBe(0);
    enter('a');
    enter('b');
    expect(sent).toEqual(['a', 'b']);
  });

  it('takes a request made while another one is being sent', () => {
    line.enter('a', () => {
      enter('b');
      return sent.push('a') > 0;
    });
    expect(sent).toEqual(['a', 'b']);
    enter('c');
    expect(line.length).toBe(1);
  });
});
