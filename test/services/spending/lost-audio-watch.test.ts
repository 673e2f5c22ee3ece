import { pino } from 'pino';
import { expect, it } from 'vitest';
import { AudioError } from '../../../src/audio/audio-error.ts';
import { createLostAudioWatch } from '../../../src/services/spending/lost-audio-watch.ts';
import { render } from '../../../src/texts/catalogue.ts';

const refused = new AudioError('refused-address', 'not in AUDIO_HOSTS');

function scene(isReachable = true) {
  const told: string[] = [];
  const lines: string[] = [];
  const watch = createLostAudioWatch({
    notify: async (message) => {
      if (!isReachable) throw new Error('closed to messages');
      told.push(render(message));
    },
    localVoice: false,
    log: pino({ level: 'info' }, { write: (line) => void lines.push(line) }),
  });
  const lose = (count: number) => {
    for (let i = 0; i < count; i++) watch.lost(refused);
  };
  return { told, lines, watch, lose, settled: () => new Promise((resolve) => setImmediate(resolve)) };
}

it('tells the owner once when several paid sounds in a row were lost, and why', async () => {
  const { told, lose, settled } = scene();
  lose(2);
  expect(told).toEqual([]);
  lose(10);
  await settled();
  expect(told).toHaveLength(1);
  expect(told[0]).toMatch(/last 3 .*paid for.*AUDIO_HOSTS/);
});

it('tells it again only after something has arrived', async () => {
  const { told, watch, lose, settled } = scene();
  lose(3);
  watch.arrived();
  lose(2);
  watch.arrived();
  lose(3);
  await settled();
  expect(told).toHaveLength(2);
});

it('writes it into the log at least', async () => {
  const { lines, lose, settled } = scene(false);
  lose(3);
  await settled();
  expect(lines).toHaveLength(2);
  expect(lines[0]).toContain('paid for');
});
