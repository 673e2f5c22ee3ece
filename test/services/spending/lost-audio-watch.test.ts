import { beforeEach, expect, it, vi } from 'vitest';
import { AudioError } from '../../../src/audio/clips/clip.ts';
import { UserError } from '../../../src/errors/user-errors.ts';
import { createLostAudioWatch } from '../../../src/services/spending/lost-audio-watch.ts';
import { SpeechError } from '../../../src/speech/errors.ts';
import { render } from '../../../src/texts/catalog.ts';
import { silentLog } from '../../silent-log.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));

const refused = new AudioError('refused-address', 'not in AUDIO_HOSTS');
const lostAnswer = new SpeechError({ kind: 'network', message: 'gone', creditsMayBeSpent: true });

function scene({ isFree = false } = {}) {
  const told: string[] = [];
  const watch = createLostAudioWatch({
    notify: async (message) => void told.push(render(message)),
    log: silentLog,
    isFree,
  });
  const lose = (count: number, model = 'gpro') => {
    for (let i = 0; i < count; i++) watch.lost(model, refused, {});
  };
  return { told, watch, lose, settled: () => new Promise((resolve) => setImmediate(resolve)) };
}

it('tells the owner once when several paid sounds in a row were lost, by which the last one was, and not what to try', async () => {
  const { told, watch, lose, settled } = scene();
  watch.lost('gpro', new AudioError('damaged', 'of another cause'), {});
  watch.lost('gpro', new AudioError('http-status', 'gone', { status: 404 }), {});
  await settled();
  expect(told).toEqual([]);
  watch.lost('gpro', new AudioError('timeout', 'hangs'), {});
  lose(10);
  await settled();
  expect(told).toEqual([
    expect.stringContaining(
      'The last 3 texts were paid for but couldn’t be played (model gpro). Their audio couldn’t be',
    ),
  ]);
  expect(told[0]).not.toContain('Try again');
});

it('lets trials through at intervals that double up to half an hour, and moves none for what was under way', () => {
  const { watch, lose } = scene();
  lose(3);
  const intervalsS: number[] = [];
  for (let waitedS = 1; intervalsS.length < 9; waitedS++) {
    vi.advanceTimersByTime(1_000);
    lose(1);
    try {
      watch.admit('gpro', {});
    } catch {
      continue;
    }
    intervalsS.push(waitedS);
    waitedS = 0;
  }
  expect(intervalsS).toEqual([30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800]);
});

it('takes answers that are lost for paid ones, unless the voice is free', async () => {
  for (const isFree of [false, true]) {
    const { told, watch, settled } = scene({ isFree });
    for (let i = 0; i < 3; i++) watch.lost('gpro', lostAnswer, {});
    await settled();
    expect(told).toEqual(
      isFree ? [] : [expect.stringMatching(/^The last 3 texts got no audio and may have been billed/)],
    );
    if (isFree) watch.admit('gpro', {});
    else expect(() => watch.admit('gpro', {})).toThrow(UserError);
  }
});

it('counts the parts of one text that are lost at the same time once', () => {
  const { watch } = scene();
  const [long, script] = [{}, {}];
  for (const utterance of [long, script, long, script, long]) watch.lost('gpro', lostAnswer, utterance);
  watch.admit('gpro', {});
  watch.lost('ext', lostAnswer, script);
  watch.lost('gpro', lostAnswer, {});
  expect(() => watch.admit('gpro', {})).toThrow(UserError);
});

it('admits no text of that model but one trial at a time, and any once audio has arrived', () => {
  const { watch, lose } = scene();
  lose(2);
  watch.admit('gpro', {});
  lose(1);
  expect([...watch.models()]).toEqual([['gpro', true]]);
  expect(() => watch.admit('gpro', {})).toThrow(UserError);
  watch.admit('orpheus', {});
  vi.advanceTimersByTime(30_000);
  const trial = {};
  watch.admit('gpro', trial);
  // The other parts of the text that is the trial.
  watch.admit('gpro', trial);
  vi.advanceTimersByTime(59_999);
  expect(() => watch.admit('gpro', {})).toThrow(UserError);
  vi.advanceTimersByTime(1);
  watch.admit('gpro', {});
  expect(() => watch.admit('gpro', {})).toThrow(UserError);
  watch.arrived('gpro');
  watch.admit('gpro', {});
  watch.admit('gpro', {});
  expect([...watch.models()]).toEqual([['gpro', false]]);
});
