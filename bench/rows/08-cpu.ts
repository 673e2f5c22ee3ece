import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource } from '@discordjs/voice';
import { loadNativeOpus, wasmOpus } from '../../src/audio/making/opus-encoder.ts';
import { type AudioPipeline, createAudioPipeline } from '../../src/audio/making/pipeline.ts';
import { cpuWithChildrenMs } from '../machine.ts';
import { alternate, GUIDE, type Measured, type Row } from '../row.ts';
import { median } from '../stats.ts';
import { idle, silentLog, WHOLE, withRooms } from '../testbed.ts';

const CLIP_SECONDS = 10;
/** Clips play in parallel, so that a run takes ten seconds. The guide's pattern can play up to 25 on time. */
const CLIPS_AT_ONCE = 8;

export const row: Row = {
  number: 8,
  name: 'cpu',
  figure: 'CPU for a 10 s WAV at 24 kHz, all in',
  target: '≤ ⅓ of the guide pattern with the native encoder',
  async run({ runs, scale }) {
    const count = Math.max(2, Math.round(CLIPS_AT_ONCE * scale));
    const seconds = Math.max(2, CLIP_SECONDS * scale);
    const native = loadNativeOpus();
    const isNative = 'library' in native;
    // The native encoder comes first, if it is there.
    const encoders = {
      ...(isNative && { 'ours, native encoder': native.library }),
      'ours, WASM encoder': wasmOpus,
    };
    const cpuMs = await withRooms({ ours: count, library: count, dave: true }, async ({ sink, ours, library }) => {
      const url = await sink.serveSpeech(seconds);

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
      const timed = (play: () => Promise<void>) => async () => {
        const before = cpuWithChildrenMs();
        await play();
        return (cpuWithChildrenMs() - before) / count;
      };

      const ways = new Map([[GUIDE, timed(playGuide)]]);
      const pipelines: AudioPipeline[] = [];
      for (const [way, opus] of Object.entries(encoders)) {
        const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true, opus });
        await pipeline.warmUp();
        pipelines.push(pipeline);
        const play = timed(() => playOurs(pipeline));
        ways.set(way, play);
      }
      const results = await alternate(runs, Object.fromEntries(ways));
      for (const pipeline of pipelines) await pipeline.close();
      return results;
    });

    const middle = (way: string) => median(cpuMs[way] ?? []);
    const measured = (way: string): Measured => ({
      way,
      text: `${middle(way).toFixed(0)} ms`,
      runs: (cpuMs[way] ?? []).map((value) => ({ cpuMs: value })),
    });
    const [headline = '', ...others] = Object.keys(encoders);
    const ratio = (way: string) => middle(GUIDE) / middle(way);
    const notes = [
      `CPU time of the speaking process and its ended children for one ${seconds} s WAV (24 kHz mono), from its address to its last packet sent (loudness, transport encryption and DAVE included), ${count} clips at once.`,
    ];
    if (!isNative) {
      const why = native.reason;
      notes.push(
        `The native encoder is not there (${why}): \`npm run build:opus\` builds it; the target is set for it.`,
      );
    }
    return {
      verdict: isNative ? (ratio(headline) >= 3 ? 'met' : 'missed') : 'not measured',
      ratios: [headline, ...others].map((way) => `${ratio(way).toFixed(1)} × less CPU (${way})`),
      ours: measured(headline),
      peers: [GUIDE, ...others].map(measured),
      notes,
    };
  },
};
