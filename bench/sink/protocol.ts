import type { EncryptionMode } from '../../src/playground/voice/server.ts';
import type { Arrivals } from './meter.ts';

/** A channel in which one bot speaks and one member listens. */
interface Room {
  guildId: string;
  channelId: string;
  userId: string;
  dave: boolean;
}

/** One packet of a watched user. Times are the sink's performance.now(). */
export interface Arrival {
  atMs: number;
  sequence: number;
  timestamp: number;
  silence: boolean;
  encrypted: boolean;
}

/** How far the sink itself was behind while it measured, in ms. */
export interface Lag {
  p50Ms: number;
  p999Ms: number;
  maxMs: number;
}

/** The calls of the sink process. All data crosses an IPC channel. */
export interface SinkCalls {
  /** Starts voice servers; speakers are spread over them, as one socket buffer does not hold thousands. */
  start(options: { servers: number; modes: readonly EncryptionMode[] }): { caCertificatesPem: string[] };
  /** The port of a UDP socket on loopback without a reader, for packets that are sent but not timed. */
  unreadPort(): number;
  /** The main gateway's part: a bot comes into a room. The member that listens comes with `listens`. */
  expect(room: Room & { sessionId: string; listens: boolean }): { token: string; endpoint: string };
  drop(room: { guildId: string; userId: string }): void;
  /** From now on this room's packets go the whole way: opened, and (with `decode`) decrypted by the listener's own key. */
  watch(options: { guildId: string; decode: boolean }): void;
  /** Back to timing alone. */
  unwatch(guildId: string): void;
  /** The frames of the watched room's listener since the last call; `heard` counts the audible ones. */
  watched(guildId: string): { arrivals: Arrival[]; unheard: number; heard: number };
  begin(): void;
  end(options: { speakers: number }): Arrivals & { lag: Lag; cpuShare: number };
  /** Serves these bytes as audio; each answer's headers are stamped. */
  serveAudio(options: { base64: string; contentType: string }): { url: string };
  /** When the headers of the answers since the last call went out. */
  headersSentAtMs(): number[];
}
