import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/services/monitoring/metrics.ts';
import { silentLog } from '../../silent-log.ts';

function measured() {
  const metrics = createMetrics({ version: '1.2.3', ofProcess: false, log: silentLog });
  /** The value of one series, written as Prometheus shows it. */
  const value = async (series: string) => {
    const line = (await metrics.text()).split('\n').find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  };
  return { metrics, value };
}

describe('the metrics', () => {
  it('count the time to the first packet by what had to be waited for', async () => {
    const { metrics, value } = measured();
    metrics.firstAudio({ kind: 'cached', ms: 8 });
    metrics.firstAudio({ kind: 'cold', ms: 340 });
    expect(await value('crier_first_audio_seconds_bucket{le="0.005",kind="cached"}')).toBe(0);
    expect(await value('crier_first_audio_seconds_bucket{le="0.01",kind="cached"}')).toBe(1);
    expect(await value('crier_first_audio_seconds_count{kind="cold"}')).toBe(1);
    expect(await value('crier_first_audio_seconds_sum{kind="cold"}')).toBeCloseTo(0.34);
    // There before they happen, so that the first one is seen as an increase.
    expect(await value('crier_first_audio_seconds_count{kind="part"}')).toBe(0);
    for (const outcome of ['ok', 'insufficient-credits', 'invalid-api-key'])
      expect(await value(`crier_speech_requests_total{endpoint="speech",outcome="${outcome}"}`)).toBe(0);
    expect(await value('crier_store_failures_total{table="health"}')).toBe(0);
  });

  it('read what others count only when somebody looks, and show nothing where there is no source', async () => {
    const { metrics, value } = measured();
    expect(await value('crier_speakers_joined')).toBeUndefined();
    let looks = 0;
    const open = Object.entries({ gpro: true, ext: false });
    metrics.watch({
      speakers: () => ({ joined: 3, speaking: ++looks }),
      cache: () => ({ memoryHits: 5, diskHits: 1, misses: 2, bytes: 4096 }),
      circuits: () => open,
    });
    expect(looks).toBe(0);
    expect(await value('crier_speakers_joined')).toBe(3);
    expect(await value('crier_cache_bytes')).toBe(4096);
    // Read again and again, a counter that is kept elsewhere stays what it is there.
    expect(await value('crier_cache_requests_total{outcome="memory"}')).toBe(5);
    expect(await value('crier_cache_requests_total{outcome="miss"}')).toBe(2);
    expect(await value('crier_speech_quota_circuit_open{model="gpro"}')).toBe(1);
    expect(await value('crier_speech_quota_circuit_open{model="ext"}')).toBe(0);
  });

  it('do not know how many credits are left before the service has said so', async () => {
    const { metrics, value } = measured();
    expect(await value('crier_credits_remaining')).toBeUndefined();
    metrics.creditsUsed(12);
    metrics.creditsRemaining(988);
    metrics.creditsRemaining(1500);
    expect(await value('crier_credits_remaining')).toBe(1500);
    metrics.creditsLost(5);
    expect(await value('crier_credits_remaining')).toBe(1495);
    expect(await value('crier_credits_used_total')).toBe(12);
    expect(await value('crier_credits_lost_total')).toBe(5);
    metrics.creditsLost(2_000);
    expect(await value('crier_credits_remaining')).toBe(0);
  });
});
