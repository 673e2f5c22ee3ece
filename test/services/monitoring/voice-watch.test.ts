import { beforeEach, describe, expect, it, vi } from 'vitest';
import { createVoiceWatch } from '../../../src/services/monitoring/voice-watch.ts';

describe('whether voice channels can be joined', () => {
  let nowMs = 0;
  const metrics = { joinEnded: vi.fn() };
  let watch: ReturnType<typeof createVoiceWatch>;
  const joins = (outcome: string, ...guildIds: string[]) => {
    for (const guildId of guildIds) watch.joinEnded({ guildId, outcome });
  };
  beforeEach(() => {
    watch = createVoiceWatch({ metrics, now: () => nowMs });
  });

  it('is doubted when joins fail in three servers, and none succeeds', () => {
    joins('timeout', '1', '2');
    expect(watch.problem()).toBeUndefined();
    joins('failed', '3');
    expect(watch.problem()).toBe('no voice channel could be joined lately, in 3 servers');
    joins('joined', '4');
    expect(watch.problem()).toBeUndefined();
  });

  it.each(['timeout', 'no-route'])('has the next text wait for its join after one that failed: %s', (outcome) => {
    expect(watch.isInDoubt()).toBe(false);
    joins(outcome, '1');
    expect(watch.isInDoubt()).toBe(true);
    joins('joined', '2');
    expect(watch.isInDoubt()).toBe(false);
  });

  it('is not doubted for one server alone, nor for members who change their mind', () => {
    joins('timeout', '1', '1', '1', '1');
    joins('aborted', '2', '3', '4');
    joins('disconnected', '5', '6', '7');
    expect(watch.problem()).toBeUndefined();
  });

  it('is no longer doubted when nobody has tried for ten minutes', () => {
    joins('timeout', '1', '2', '3');
    nowMs += 11 * 60_000;
    expect(watch.problem()).toBeUndefined();
    joins('timeout', '4');
    expect(watch.problem()).toBeUndefined();
  });

  it('is counted, however a join ends', () => {
    joins('busy', '1');
    expect(metrics.joinEnded).toHaveBeenLastCalledWith('busy');
  });
});
