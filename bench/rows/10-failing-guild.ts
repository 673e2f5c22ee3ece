import { setTimeout as sleep } from 'node:timers/promises';
import type { VoiceConnection } from '@discordjs/voice';
import { alternate, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import { longClip, packets, repeated } from '../sound.ts';
import { median } from '../stats.ts';
import { networkingOf, startPlayer, startSession, withRooms } from '../testbed.ts';

const GUILDS = 20;
const WINDOW_MS = 3_000;

/** Makes a guild's encryption throw on each packet. Returns the function that ends the fault. */
function breakEncryption(connection: VoiceConnection): () => void {
  const { dave } = networkingOf(connection);
  if (!dave) throw new Error('No DAVE session to break');
  dave.encrypt = () => {
    throw new Error('Encryption fails, as this bench wants it');
  };
  return () => void Reflect.deleteProperty(dave, 'encrypt');
}

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const count = Math.max(4, Math.round(GUILDS * scale));
  const frames = await packets(2);
  const clip = longClip(frames, 60);
  const longFrames = repeated(frames, 60);
  // The library's timer throws uncaught errors. A bot that survives them has a handler like this.
  let uncaught = 0;
  const onUncaught = () => {
    uncaught += 1;
  };
  process.on('uncaughtException', onUncaught);
  // Each round breaks another room of ours, because Crier gives up a failing room.
  const rooms = { ours: count - 1 + runs, library: count, dave: true };
  const { library, ours } = await withRooms(rooms, async ({ sink, ours, library }) => {
    /** Packets a second of each other guild while the first guild fails. */
    async function once<Room extends { connection: VoiceConnection }>(all: Room[], start: (room: Room) => () => void) {
      const stops = all.map(start);
      await sleep(1_000);
      const heal = breakEncryption((all[0] as Room).connection);
      await sleep(200);
      await sink.begin();
      await sleep(WINDOW_MS);
      const { received } = await sink.end({ speakers: count - 1 });
      for (const stop of stops) stop();
      heal();
      await sleep(400);
      return { packetsPerSecond: received / (count - 1) / (WINDOW_MS / 1000) };
    }

    return alternate(runs, {
      library: (round) =>
        once([...library.slice(round % count), ...library.slice(0, round % count)], (room) =>
          startPlayer(room, longFrames),
        ),
      ours: (round) => once(ours.slice(round, round + count), (room) => startSession(room, clip)),
    });
  });
  process.off('uncaughtException', onUncaught);

  const rate = (results: typeof ours) => median(results.map(({ packetsPerSecond }) => packetsPerSecond));
  const measured = (way: string, results: typeof ours): Measured => ({
    way,
    text: `${rate(results).toFixed(1)} packets/s`,
    runs: results,
  });
  return {
    verdict: rate(ours) >= 49 ? 'met' : 'missed',
    ratios: [`${rate(ours).toFixed(0)} against ${rate(library).toFixed(0)} packets/s`],
    ours: measured('ours', ours),
    peers: [measured('library player fed with frames', library)],
    notes: [
      `${count} guilds play; one's DAVE encryption throws on every packet. Packets a second of each of the other ${count - 1}, counted at the sink over ${WINDOW_MS / 1000} s. The peer is given a handler for the exceptions its timer throws (${uncaught} of them), without which its process ends.`,
    ],
  };
}

export const row: Row = {
  number: 10,
  name: 'failing-guild',
  figure: 'one guild failing on every packet',
  target: 'all others ≥ 49 packets/s',
  run,
};
