import { setTimeout as sleep } from 'node:timers/promises';
import type { VoiceConnection } from '@discordjs/voice';
import { alternate, besideLibrary, type Row } from '../row.ts';
import { longSpeech } from '../sound.ts';
import { medianOf } from '../stats.ts';
import { networkingOf, startPlayer, startSession, withRooms } from '../testbed.ts';

const GUILDS = 20;
const WINDOW_MS = 3_000;
const SECONDS = 60;

type Connected = { readonly connection: VoiceConnection };

/** Makes a guild's encryption throw on each packet. Returns the function that ends the fault. */
function breakEncryption({ connection }: Connected): () => void {
  const { dave } = networkingOf(connection);
  if (!dave) throw new Error('No DAVE session to break');
  dave.encrypt = () => {
    throw new Error('Encryption fails, as this bench wants it');
  };
  return () => void Reflect.deleteProperty(dave, 'encrypt');
}

export const row: Row = {
  number: 10,
  name: 'failing-guild',
  figure: 'one guild failing on every packet',
  target: 'all others ≥ 49 packets/s',
  async run({ runs, scale }) {
    const count = Math.max(4, Math.round(GUILDS * scale));
    const { frames, clip } = await longSpeech(SECONDS);
    // The library's timer throws uncaught errors. A bot that survives them has a handler like this.
    let uncaught = 0;
    const onUncaught = () => {
      uncaught += 1;
    };
    process.on('uncaughtException', onUncaught);
    // Each round breaks another room of each way, because Crier gives up a failing room.
    const most = count - 1 + runs;
    const rooms = { ours: most, library: most, dave: true };
    const { library, ours } = await withRooms(rooms, async ({ sink, ours, library }) => {
      /** Packets a second of each other guild while the first guild fails. */
      async function once<Room extends Connected>(guilds: readonly Room[], start: (room: Room) => () => void) {
        const stops = guilds.map(start);
        await sleep(1_000);
        const heal = breakEncryption(guilds[0] as Room);
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
        library: (round) => once(library.slice(round, round + count), (room) => startPlayer(room, frames)),
        ours: (round) => once(ours.slice(round, round + count), (room) => startSession(room, clip)),
      });
    });
    process.off('uncaughtException', onUncaught);

    const rate = (results: typeof ours) => medianOf(results, 'packetsPerSecond');
    return {
      verdict: rate(ours) >= 49 ? 'met' : 'missed',
      ratios: [`${rate(ours).toFixed(0)} against ${rate(library).toFixed(0)} packets/s`],
      ...besideLibrary({ ours, library }, (results) => `${rate(results).toFixed(1)} packets/s`),
      notes: [
        `${count} guilds play; one's DAVE encryption throws on every packet. Packets a second of each of the other ${count - 1}, counted at the sink over ${WINDOW_MS / 1000} s. The peer is given a handler for the exceptions its timer throws (${uncaught} of them), without which its process ends.`,
      ],
    };
  },
};
