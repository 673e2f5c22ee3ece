/** Voice encryption modes this server knows. Discord guarantees only the XChaCha20 one. */
export type EncryptionMode = 'aead_aes256_gcm_rtpsize' | 'aead_xchacha20_poly1305_rtpsize';

/** The version of DAVE; 0 is no end-to-end encryption. */
export type ProtocolVersion = 0 | 1;

export interface VoiceServerOptions {
  host?: '127.0.0.1';
  /** Offered in op 2, in this order. Default: AES first, then XChaCha20. */
  modes?: readonly EncryptionMode[];
  /** End-to-end encryption in channels that do not say otherwise. Default true. */
  dave?: boolean;
  /** Holds op 25 back by this long after op 4, as a slow handshake does. Default 0. */
  daveHandshakeDelayMs?: number;
  /** Sent in op 8. Default 13_750, as Discord sends. */
  heartbeatIntervalMs?: number;
}

/** Switches that can be changed at any time; they take effect with the next event. */
export interface VoiceServerSettings {
  modes: readonly EncryptionMode[];
  /** Milliseconds between op 4 and op 25. */
  daveHandshakeDelayMs: number;
  /** Milliseconds a commit (op 28) waits before it is judged and announced (op 29, op 30). */
  daveCommitDelayMs: number;
  heartbeatIntervalMs: number;
  /** Channels, by id, in which clients that connect get no op 25, so that no end-to-end encryption group admits them. */
  readonly channelsWithoutGroup: Set<string>;
  /** How much audio may precede the first op 5, since one goes over UDP and the other over TCP. Default 1_000. */
  speakingGraceMs: number;
  /** Milliseconds by which op 11 (clients connect) to clients is late. */
  clientsConnectDelayMs: number;
  resumeDelayMs: number;
  /** True: missed messages are sent before op 9 (Resumed) instead of after it. Discord does not document the order. */
  replayBeforeResumed: boolean;
  /** How long a client may resume after its connection broke. Default 5_000. */
  resumeWindowMs: number;
  /** False: the datagram of IP discovery gets no answer. */
  answerIpDiscovery: boolean;
  /** True: no datagram comes through, in neither direction. */
  isUdpSilent: boolean;
  /** The number of IP discovery datagrams that will still be lost. Default 0. */
  discoveriesToLose: number;
  /** The number of coming WebSockets that are refused with 521 before they are open. Default 0. */
  upgradesToRefuse: number;
  /** False: keep-alive datagrams are not sent back, as by some of Discord's servers. */
  echoKeepAlives: boolean;
  /** Answers that clients do not get, by opcode: 2 (Ready), 4 (Session Description) and so on. */
  readonly withheldOps: Set<number>;
  answerHeartbeats: boolean;
  /** Set: every identify is answered by closing with this code. */
  closeOnIdentify: number | undefined;
  /** How many identifies more that concerns. Default: all. */
  closeOnIdentifyTimes: number;
  /**
   * Changes a binary DAVE message (op 25, 27, 29, 30) on its way to one client, or with undefined loses it: how a tampering
   * or a faulty server looks.
   */
  alterDaveMessage: ((message: { userId: string; op: number; payload: Buffer }) => Buffer | undefined) | undefined;
  /** Called with each datagram; true swallows it, as a bad network does. */
  losePacket: ((packet: { sequence: number; userId: string }) => boolean) | undefined;
}

/** A client that the main gateway has put in a voice channel and that may now identify here. */
export interface ExpectedClient {
  guildId: string;
  channelId: string;
  userId: string;
  /** The main gateway's session id of the client's voice state. */
  sessionId: string;
  /** False on stages, which Discord does not encrypt end to end. Default: the server's option. */
  dave?: boolean;
  /** The client is inaudible until `setMuted` says otherwise: suppressed on a stage, or muted by a moderator. */
  muted?: boolean;
}

export interface ListenerOptions {
  guildId: string;
  channelId: string;
  userId: string;
  dave?: boolean;
  /** False: packets are timed and counted, but neither DAVE-decrypted nor decoded (for load measurements). Default true. */
  decode?: boolean;
}

export interface HeardPacket {
  atMs: number;
  userId: string;
  sequence: number;
  /** RTP timestamp, 48 kHz clock, 32 bit. */
  timestamp: number;
  ssrc: number;
  bytes: number;
  /** One of Opus' three-byte silence frames. */
  silence: boolean;
  /** The frame was a DAVE frame. */
  encrypted: boolean;
  /** A person would hear it: decrypted where that was needed, decoded, not a silence frame. */
  audible: boolean;
}

/** A span of `performance.now()`, both ends included. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The audio that a listener received since it joined or was cleared. */
export interface Heard {
  packets: readonly HeardPacket[];
  /** 48 kHz mono, from the first heard frame on, placed by RTP timestamp; gaps are silence. */
  pcm: Float32Array;
  /** Seconds of `pcm`, silence frames at either end left out. */
  seconds: number;
  /** At least one audible frame, and every frame but silence was a DAVE frame that decrypted. */
  endToEndEncrypted: boolean;
  /** A frame, or something audible, was not encrypted end to end: more than one that could not be decrypted. */
  isInTheClear: boolean;
  /** Frames in the clear where DAVE was due: inaudible. */
  unencryptedFrames: number;
  /** DAVE frames that this listener's group key did not open. */
  undecryptableFrames: number;
  /** Sequence numbers missing between the first and the last packet. */
  lostPackets: number;
  firstAudibleAtMs: number | undefined;
  lastAudibleAtMs: number | undefined;
}

export interface Listener {
  readonly userId: string;
  /** All audio since the last `clear()`; with a span, the part that arrived within it. */
  heard(within?: TimeSpan): Heard;
  onPacket(callback: (packet: HeardPacket) => void): () => void;
  /** The same, with the Opus frame as it was decrypted; undefined where this listener could not open it. */
  onFrame(callback: (packet: HeardPacket, opus: Uint8Array | undefined) => void): () => void;
  clear(): void;
  /** While deaf (by a moderator or by choice) the member hears nothing. */
  setDeaf(deaf: boolean): void;
  /** Leaves the channel; the others' group removes this member. */
  leave(): void;
  /**
   * Resolves with the heard audio after something audible and then `quietMs` without (default: 300, or 1,000 without
   * frames of silence).
   * Rejects after `timeoutMs` or when aborted. Does not clear.
   */
  utterance(options: { quietMs?: number; timeoutMs: number; signal?: AbortSignal }): Promise<Heard>;
  /** Resolves once `packets` audible ones were heard since the last `clear()`: a test can then disturb the speech. */
  audible(packets: number, options: { timeoutMs: number; signal?: AbortSignal }): Promise<void>;
  /** Resolves when this member shares a group with all connected clients of the channel (at once without DAVE). */
  ready(options: { timeoutMs: number; signal?: AbortSignal }): Promise<void>;
}

export interface VoiceClientView {
  guildId: string;
  channelId: string;
  userId: string;
  ssrc: number;
  mode: EncryptionMode | undefined;
  speaking: number;
  /** In the channel's established DAVE group. */
  inGroup: boolean;
  /** Datagrams of IP discovery received, answered or not. */
  discoveries: number;
  /** Audio packets received over UDP. */
  packets: number;
  resumes: number;
}

/** A member of a channel, over a socket or in this process: the channel treats both alike. */
export interface Participant {
  readonly userId: string;
  send(op: number, data: unknown): void;
  sendBinary(op: number, payload: Uint8Array): void;
}
