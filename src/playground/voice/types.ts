/** The supported encryption modes of voice packets. Discord guarantees only the XChaCha20 mode. */
export type EncryptionMode = 'aead_aes256_gcm_rtpsize' | 'aead_xchacha20_poly1305_rtpsize';

/** The version of DAVE, Discord's end-to-end encryption of voice; 0 means no encryption. */
export type ProtocolVersion = 0 | 1;

/** Settings that tests may change at any time. A change takes effect with the next event. */
export interface VoiceServerSettings {
  /** Encryption modes offered in op 2 (ready), in order. */
  modes: readonly EncryptionMode[];
  /** If false, no call that begins is encrypted end to end, as on Discord's stages. */
  dave: boolean;
  /** Milliseconds between op 4 (session description) and op 25 (external sender). */
  daveHandshakeDelayMs: number;
  /** Milliseconds a DAVE commit (op 28) waits before the server checks and announces the commit (op 29, op 30). */
  daveCommitDelayMs: number;
  /** The heartbeat interval in op 8 (hello). Default 13_750, which Discord sends. */
  heartbeatIntervalMs: number;
  /** Ids of channels in which connecting clients get no op 25 (external sender), so they join no encryption group. */
  readonly channelsWithoutGroup: Set<string>;
  /** How many ms of audio may precede the first op 5 (speaking). Audio comes over UDP, op 5 over TCP. Default 1_000. */
  speakingGraceMs: number;
  /** The delay of op 11 (clients connect) to voice clients, in ms. */
  clientsConnectDelayMs: number;
  resumeDelayMs: number;
  /**
   * If true, a resuming voice client gets missed messages before op 9 (Resumed) instead of after. Discord does not
   * document the order.
   */
  replayBeforeResumed: boolean;
  /** How long a voice client may resume after a broken connection, in ms. Default 5_000. */
  resumeWindowMs: number;
  /** If false, the voice server does not answer IP discovery. */
  answerIpDiscovery: boolean;
  /** If true, the voice server receives and sends no UDP datagrams. */
  isUdpSilent: boolean;
  /** The number of coming IP discovery datagrams to lose. Default 0. */
  discoveriesToLose: number;
  /** The number of coming WebSocket connections to reject with 521 before they open. Default 0. */
  upgradesToRefuse: number;
  /** If false, keep-alive datagrams are not echoed; some of Discord's servers behave like that. */
  echoKeepAlives: boolean;
  /** Opcodes of voice gateway answers that the server withholds: 2 (Ready), 4 (Session Description) and so on. */
  readonly withheldOps: Set<number>;
  answerHeartbeats: boolean;
  /** If set, the server closes the socket with this code on each identify. */
  closeOnIdentify: number | undefined;
  /** The number of coming identifies to which `closeOnIdentify` applies. Default: all. */
  closeOnIdentifyTimes: number;
  /**
   * Changes a binary DAVE message (op 25, 27, 29 or 30) to a client, like a tampering or faulty server. Undefined loses
   * the message.
   */
  alterDaveMessage: ((message: { userId: string; op: number; payload: Buffer }) => Buffer | undefined) | undefined;
  /** Called for each audio datagram; true drops the datagram, like a bad network. */
  losePacket: ((packet: { sequence: number; userId: string }) => boolean) | undefined;
}

/** A client that the main gateway put in a voice channel, so that it may identify. */
export interface ExpectedClient {
  guildId: string;
  channelId: string;
  userId: string;
  sessionId: string;
  /** False if the channel's calls are not encrypted end to end, as on Discord's stages. */
  dave: boolean;
}

export interface ListenerOptions {
  guildId: string;
  channelId: string;
  userId: string;
  dave: boolean;
  /**
   * If false, packets are timed and counted but neither DAVE-decrypted nor decoded, for load measurements. Default
   * true.
   */
  decode?: boolean;
}

export interface HeardPacket {
  atMs: number;
  userId: string;
  sequence: number;
  /** The RTP timestamp of a voice packet: 48 kHz, 32 bits. */
  timestamp: number;
  ssrc: number;
  bytes: number;
  /** True if the packet is Opus' three-byte silence frame, which ends speech. */
  silence: boolean;
  /** True if the voice packet contains a DAVE frame, which is encrypted end to end. */
  encrypted: boolean;
  /** True if a person would hear the frame: decrypted if needed, decoded, and no silence frame. */
  audible: boolean;
}

/** A span of time by `performance.now()`, including both ends. */
export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The audio that a listener received since joining or since the last `clear()`. */
export interface Heard {
  packets: readonly HeardPacket[];
  /** 48 kHz mono from the first heard frame on. RTP timestamps place the frames, and gaps are silence. */
  pcm: Float32Array;
  /** The length of the heard audio in seconds, without silence frames at either end. */
  seconds: number;
  /** True if the listener heard something, and every frame except silence was a DAVE frame that decrypted. */
  endToEndEncrypted: boolean;
  /**
   * True if the listener got audio without end-to-end encryption: an audible frame, or any frame in a call that
   * requires DAVE. Undecryptable frames do not count.
   */
  isInTheClear: boolean;
  /** The number of frames without DAVE in calls that require DAVE, which makes them inaudible. */
  unencryptedFrames: number;
  undecryptableFrames: number;
  /** The number of voice packets missing between the first and the last, by their sequence numbers. */
  lostPackets: number;
  firstAudibleAtMs: number | undefined;
  lastAudibleAtMs: number | undefined;
}

export const WAIT_MS = 30_000;

export interface Deadline {
  /** How many milliseconds a wait may take before it rejects; `WAIT_MS` (30 seconds) by default. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

export interface Listener {
  readonly userId: string;
  /** The audio heard since the last `clear()`; with a span, only the part that arrived in the span. */
  heard(within?: TimeSpan): Heard;
  onPacket(callback: (packet: HeardPacket) => void): () => void;
  /**
   * Calls back for each received voice packet, with its decrypted Opus frame; undefined if the listener could not
   * decrypt the frame. Returns the unsubscriber.
   */
  onFrame(callback: (packet: HeardPacket, opus: Uint8Array | undefined) => void): () => void;
  clear(): void;
  /** Deafens the member, by a moderator or by choice: a deaf member hears nothing. */
  setDeaf(deaf: boolean): void;
  leave(): void;
  /**
   * Resolves with the heard audio once something audible was followed by `quietMs` of quiet (default: 300, or 1,000
   * without silence frames). Rejects after `timeoutMs` or on abort. Keeps the audio.
   */
  utterance(options?: Deadline & { quietMs?: number }): Promise<Heard>;
  /** Resolves after `packets` audible packets since the last `clear()`, so that a test can interrupt the speech. */
  audible(packets: number, options?: Deadline): Promise<void>;
  /** Resolves when the listener shares an encryption group with all clients in the channel; at once without DAVE. */
  ready(options?: Deadline): Promise<void>;
}

export interface VoiceClientView {
  guildId: string;
  channelId: string;
  userId: string;
  ssrc: number;
  mode: EncryptionMode | undefined;
  speaking: number;
  /** True if the client is in the channel's established DAVE group. */
  inGroup: boolean;
  discoveries: number;
  packets: number;
  resumes: number;
}

/**
 * A member of a voice channel, connected by a socket or simulated in the playground's process. The channel treats both
 * alike.
 */
export interface Participant {
  readonly userId: string;
  send(op: number, data: unknown): void;
  sendBinary(op: number, payload: Uint8Array): void;
}
