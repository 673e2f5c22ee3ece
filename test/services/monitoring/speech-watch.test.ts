import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Metrics } from '../../../src/services/monitoring/metrics.ts';
import { createVoiceWatch, watchSpeech } from '../../../src/services/monitoring/speech-watch.ts';
import type { SpeechClient } from '../../../src/speech/client/client.ts';
import { SpeechError, type SpeechErrorKind } from '../../../src/speech/errors.ts';
import { speechResult } from '../../speech/speech-result.ts';

type SpeechCall = Parameters<Metrics['speechCall']>[0];

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

const REQUEST = { input: 'Secret words', voice: { kind: 'id', voiceId: 'v' } } as const;

function watched() {
  const calls: SpeechCall[] = [];
  const balances: number[] = [];
  const service = { asked: 0, failing: undefined as SpeechErrorKind | undefined };
  const answer = <Result>(result: Result) => {
    service.asked++;
    vi.advanceTimersByTime(40);
    if (service.failing) return Promise.reject(new SpeechError({ kind: service.failing, message: 'no' }));
    return Promise.resolve(result);
  };
  const speech = {
    speak: () => answer(speechResult({ creditsUsed: 7, creditsRemaining: 93 })),
    voices: () => answer({ voices: [] }),
    billing: () => answer({ creditsLeft: 500 }),
  } as unknown as SpeechClient;
  const metrics = {
    speechCall: (call: SpeechCall) => void calls.push(call),
    creditsRemaining: (credits: number) => void balances.push(credits),
  } as Metrics;
  const watch = watchSpeech({ speech, metrics });
  return { watch, calls, balances, service };
}

describe('the watched speech client', () => {
  it('counts calls by endpoint, outcome and time, and takes the balance along', async () => {
    const { watch, calls, balances, service } = watched();
    await watch.speech.speak(REQUEST);
    await watch.speech.billing();
    service.failing = 'content-policy';
    await expect(watch.speech.speak(REQUEST)).rejects.toThrow(SpeechError);
    expect(calls).toEqual([
      { endpoint: 'speech', outcome: 'ok', ms: 40 },
      { endpoint: 'billing', outcome: 'ok', ms: 40 },
      { endpoint: 'speech', outcome: 'content-policy', ms: 40 },
    ]);
    expect(balances).toEqual([93, 500]);
    expect(JSON.stringify(calls)).not.toContain('Secret');
  });

  it('has no problem with a refusal of one text, and none with a call that was stopped', async () => {
    const { watch, service } = watched();
    await watch.speech.voices();
    for (const kind of ['invalid-request', 'insufficient-credits', 'rate-limited', 'aborted'] as const) {
      service.failing = kind;
      await expect(watch.speech.speak(REQUEST)).rejects.toThrow();
      expect(await watch.problem()).toBeUndefined();
    }
    expect(service.asked).toBe(5);
  });

  it.each([
    ['network', 'it cannot be reached'],
    ['invalid-api-key', 'it does not accept the key'],
    ['unavailable', 'it is out of order'],
  ] as const)('has a problem after %s, until it looks again ten seconds later', async (kind, problem) => {
    const { watch, service } = watched();
    service.failing = kind;
    await expect(watch.speech.speak(REQUEST)).rejects.toThrow();
    expect(await watch.problem()).toBe(problem);
    service.failing = undefined;
    expect(await watch.problem()).toBe(problem);
    expect(service.asked).toBe(1);
    vi.advanceTimersByTime(11_000);
    expect(await watch.problem()).toBeUndefined();
    expect(service.asked).toBe(2);
  });

  it('asks of its own accord when nothing was asked for long, and once for all who want to know', async () => {
    const { watch, service } = watched();
    await Promise.all([watch.problem(), watch.problem(), watch.problem()]);
    expect(service.asked).toBe(1);
    vi.advanceTimersByTime(4 * 60_000);
    await watch.problem();
    expect(service.asked).toBe(1);
    vi.advanceTimersByTime(2 * 60_000);
    await watch.problem();
    expect(service.asked).toBe(2);
  });
});

describe('whether voice channels can be joined', () => {
  const metrics = { joinEnded: vi.fn() };
  let watch: ReturnType<typeof createVoiceWatch>;
  const joins = (outcome: string, ...guildIds: string[]) => {
    for (const guildId of guildIds) watch.joinEnded({ guildId, outcome });
  };
  beforeEach(() => {
    watch = createVoiceWatch({ metrics: metrics as Partial<Metrics> as Metrics });
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
});
