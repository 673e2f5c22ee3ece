import { setTimeout as sleep } from 'node:timers/promises';
import {
  getVoiceConnection,
  NetworkingStatusCode,
  type VoiceConnection,
  VoiceConnectionStatus,
} from '@discordjs/voice';
import { playerFor, startPlayer, startSession } from '../peers.ts';
import { alternate, type Measured, type Row, type RowContext, type RowResult } from '../row.ts';
import { longClip, packets, repeated } from '../sound.ts';
import { median } from '../stats.ts';
import { many, startTestbed } from '../testbed.ts';

const GUILDS = 20;
const WINDOW_MS = 3_000;

/** Makes a guild's encryption throw on each packet. Returns the function that ends the fault. */
function breakEncryption(connection: VoiceConnection): () => void {
  if (connection.state.status !== VoiceConnectionStatus.Ready) throw new Error('Not connected');
  const { state } = connection.state.networking;
  if (state.code !== NetworkingStatusCode.Ready || !state.dave) throw new Error('No DAVE session to break');
  const { dave } = state;
  dave.encrypt = () => {
    throw new Error('Encryption fails, as this bench wants it');
  };
  return () => void Reflect.deleteProperty(dave, 'encrypt');
}

async function run({ runs, scale }: RowContext): Promise<RowResult> {
  const count = Math.max(4, Math.round(GUILDS * scale));
  const testbed = await startTestbed();
  const frames = await packets(2);
  const clip = longClip(frames, 60);
  const longFrames = repeated(frames, 60);
  const rooms = await many(count, () => testbed.joinOurs({ dave: true }));
  const peers = await many(count, () => testbed.joinLibrary({ dave: true }));
  const players = peers.map(({ connection }) => playerFor(connection));
  // The library's timer throws uncaught errors. A bot that survives them has a handler like this.
  let uncaught = 0;
  const onUncaught = () => {
    uncaught += 1;
  };

  /** Packets a second of each other guild while one guild fails. */
  async function once(broken: VoiceConnection, start: () => (() => void)[]) {
    const stops = start();
    await sleep(1_000);
    const heal = breakEncryption(broken);
    await sleep(200);
    await testbed.sink.begin();
    await sleep(WINDOW_MS);
    const arrivals = await testbed.sink.end({ speakers: count - 1 });
    for (const stop of stops) stop();
    heal();
    await sleep(400);
    return { packetsPerSecond: arrivals.received / (count - 1) / (WINDOW_MS / 1000), gapP99Ms: arrivals.gapP99Ms };
  }

  process.on('uncaughtException', onUncaught);
  const { library, ours } = await alternate(runs, {
    library: (round) => {
      const peer = peers[round % count] as (typeof peers)[number];
      return once(peer.connection, () => players.map((player) => startPlayer(player, longFrames)));
    },
    async ours() {
      // Each round uses another room, because Crier gives up a failing room.
      const failing = rooms.splice(0, 1)[0] as (typeof rooms)[number];
      const connection = getVoiceConnection(failing.guildId);
      if (!connection) throw new Error('The library does not know our connection');
      const playing = [failing, ...rooms];
      const result = await once(connection, () => playing.map(({ session }) => startSession(session, clip)));
      await failing.session.leave();
      rooms.push(await testbed.joinOurs({ dave: true }));
      return result;
    },
  });
  process.off('uncaughtException', onUncaught);
  await testbed.close();

  const rate = (results: typeof ours) => median(results.map(({ packetsPerSecond }) => packetsPerSecond));
  const measured = (way: string, results: typeof ours): Measured => ({
    way,
    text: `${rate(results).toFixed(1)} packets/s`,
    runs: results.map(({ packetsPerSecond }) => ({ packetsPerSecond })),
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
