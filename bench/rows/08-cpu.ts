import { setTimeout as sleep } from 'node:timers/promises';
import { createAudioResource } from '@discordjs/voice';
import { loadNativeOpus, type OpusLibrary, wasmOpus } from '../../src/audio/making/opus-encoder.ts';
import { createAudioPipeline } from '../../src/audio/making/pipeline.ts';
import { cpuWithChildrenMs } from '../machine.ts';
import { idle, playerFor } from '../peers.ts';
import type { Measured, Row, RowContext, RowResult } from '../row.ts';
import { voice, wav } from '../sound.ts';
import { median } from '../stats.ts';
import { many, silentLog, startTestbed } from '../testbed.ts';

const CLIP_SECONDS = 10;
/** Clips play in parallel, so that a run takes ten seconds. The guide's pattern can play up to 25 on time. */
const CLIPS_AT_ONCE = 8;

interface Way {
  name: string;
  /** Does everything from the clip's address to its last packet. */
  playAll(): Promise<void>;
}

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const count = Math.max(2, Math.round(CLIPS_AT_ONCE * scale));
  const seconds = Math.max(2, CLIP_SECONDS * scale);
  const testbed = await startTestbed();
  const audio = wav(voice(seconds));
  const { url } = await testbed.sink.serveAudio({ base64: audio.toString('base64'), contentType: 'audio/wav' });
  const rooms = await many(count, () => testbed.joinOurs({ dave: true }));
  const connections = await many(count, () => testbed.joinLibrary({ dave: true }));
  const players = connections.map(({ connection }) => playerFor(connection));
  const timeoutMs = seconds * 1000 + 20_000;

  const ours = async (name: string, opus: OpusLibrary): Promise<Way & { close(): Promise<void> }> => {
    const pipeline = createAudioPipeline({ log: silentLog, allowLoopback: true, opus });
    await pipeline.warmUp();
    return {
      name,
      async playAll() {
        // As in the bot, loudness is measured, adjusted and limited.
        const made = () => pipeline.fetchClip(new URL(url), { voiceKey: 'bench' });
        const played = rooms.map(async ({ session }) => session.play(await made()));
        const wanted = Math.ceil(seconds * 50);
        for (const { outcome, packetsSent } of await Promise.all(played)) {
          if (outcome !== 'finished' || packetsSent < wanted)
            throw new Error(`Only ${packetsSent} packets were played`);
        }
      },
      close: () => pipeline.close(),
    };
  };
  const guide: Way = {
    name: 'guide pattern',
    async playAll() {
      for (const player of players) player.play(createAudioResource(url));
      await sleep(500);
      await Promise.all(players.map((player) => idle(player, timeoutMs)));
      // CPU time of the last child processes counts only after the kernel has reaped them.
      await sleep(300);
    },
  };
  const native = loadNativeOpus();
  const nativeWay = 'library' in native ? await ours('ours, native encoder', native.library) : undefined;
  const wasmWay = await ours('ours, WASM encoder', wasmOpus);
  const ways = [guide, wasmWay, ...(nativeWay ? [nativeWay] : [])];
  const cpuMs = new Map<string, number[]>(ways.map((way) => [way.name, []]));
  for (let round = 0; round < runs; round++) {
    for (const way of ways) {
      const before = cpuWithChildrenMs();
      await way.playAll();
      cpuMs.get(way.name)?.push((cpuWithChildrenMs() - before) / count);
    }
  }
  await wasmWay.close();
  await nativeWay?.close();
  await testbed.close();

  const measured = (name: string): Measured => {
    const values = cpuMs.get(name) ?? [];
    return { way: name, text: `${median(values).toFixed(0)} ms`, runs: values.map((value) => ({ cpuMs: value })) };
  };
  const ratio = (name: string) => median(cpuMs.get(guide.name) ?? []) / median(cpuMs.get(name) ?? []);
  const headline = nativeWay ?? wasmWay;
  const wasm = measured(wasmWay.name);
  return {
    verdict: nativeWay ? (ratio(nativeWay.name) >= 3 ? 'met' : 'missed') : 'not measured',
    ratios: ways
      .slice(1)
      .reverse()
      .map(({ name }) => `${ratio(name).toFixed(1)} × less CPU (${name})`),
    ours: measured(headline.name),
    peers: [measured(guide.name), ...(nativeWay ? [wasm] : [])],
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
