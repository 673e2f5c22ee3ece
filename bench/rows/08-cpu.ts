import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource } from '@discordjs/voice';
import { loadNativeOpus, type OpusLibrary, wasmOpus } from '../../src/audio/making/opus-encoder.ts';
import { type AudioPipeline, createAudioPipeline } from '../../src/audio/making/pipeline.ts';
import { cpuWithChildrenMs } from '../machine.ts';
import type { Measured, Row, RowContext, RowResult } from '../row.ts';
import { voice, wav } from '../sound.ts';
import { median } from '../stats.ts';
import { idle, silentLog, WHOLE, withRooms } from '../testbed.ts';

const CLIP_SECONDS = 10;
/** Clips play in parallel, so that a run takes ten seconds. The guide's pattern can play up to 25 on time. */
const CLIPS_AT_ONCE = 8;

const GUIDE = 'guide pattern';

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const count = Math.max(2, Math.round(CLIPS_AT_ONCE * scale));
  const seconds = Math.max(2, CLIP_SECONDS * scale);
  const native = loadNativeOpus();
  const encoders: readonly (readonly [string, OpusLibrary])[] = [
    ['ours, WASM encoder', wasmOpus],
    ...('library' in native ? [['ours, native encoder', native.library] as const] : []),
  ];
  const cpuMs = new Map<string, number[]>([GUIDE, ...encoders.map(([name]) => name)].map((name) => [name, []]));
  await withRooms({ ours: count, library: count, dave: true }, async ({ sink, ours, library }) => {
    const url = await sink.serveWav(wav(voice(seconds)).toString('base64'));

    /** Plays everywhere, from the clip's address to its last packet. */
    async function playOurs(pipeline: AudioPipeline): Promise<void> {
      // As in the bot, loudness is measured, adjusted and limited.
      const made = () => pipeline.fetchClip(new URL(url), { ...WHOLE, voiceKey: 'bench' });
      const played = ours.map(async ({ session }) => session.play(await made()));
      for (const { outcome, packetsSent } of await Promise.all(played)) {
        if (outcome !== 'finished' || packetsSent < Math.ceil(seconds * 50))
          throw new Error(`Only ${packetsSent} packets were played`);
      }
    }
    async function playGuide(): Promise<void> {
      for (const { player } of library) player.play(createAudioResource(url));
      await sleep(500);
      await Promise.all(library.map((room) => idle(room, seconds * 1000 + 20_000)));
      // CPU time of the last child processes counts only after the kernel has reaped them.
      await sleep(300);
    }

    const pipelines = encoders.map(([, opus]) => createAudioPipeline({ log: silentLog, allowLoopback: true, opus }));
    for (const pipeline of pipelines) await pipeline.warmUp();
    const ways = [playGuide, ...pipelines.map((pipeline) => () => playOurs(pipeline))];
    for (let round = 0; round < runs; round++) {
      for (const [i, values] of [...cpuMs.values()].entries()) {
        const before = cpuWithChildrenMs();
        await ways[i]?.();
        values.push((cpuWithChildrenMs() - before) / count);
      }
    }
    for (const pipeline of pipelines) await pipeline.close();
  });

  const measured = (name: string): Measured => {
    const values = cpuMs.get(name) ?? [];
    return { way: name, text: `${median(values).toFixed(0)} ms`, runs: values.map((value) => ({ cpuMs: value })) };
  };
  const ratio = (name: string) => median(cpuMs.get(GUIDE) ?? []) / median(cpuMs.get(name) ?? []);
  // The native encoder first, if it is there.
  const [headline = '', ...others] = encoders.map(([name]) => name).reverse();
  return {
    verdict: 'library' in native ? (ratio(headline) >= 3 ? 'met' : 'missed') : 'not measured',
    ratios: [headline, ...others].map((name) => `${ratio(name).toFixed(1)} × less CPU (${name})`),
    ours: measured(headline),
    peers: [GUIDE, ...others].map(measured),
    notes: [
      `CPU time of the speaking process and its ended children for one ${seconds} s WAV (24 kHz mono), from its address to its last packet sent (loudness, transport encryption and DAVE included), ${count} clips at once.`,
      ...('library' in native
        ? []
        : [
            `The native encoder is not there (${native.reason}): \`npm run build:opus\` builds it; the target is set for it.`,
          ]),
    ],
  };
}

export const row: Row = {
  number: 8,
  name: 'cpu',
  figure: 'CPU for a 10 s WAV at 24 kHz, all in',
  target: '≤ ⅓ of the guide pattern with the native encoder',
  run,
};
