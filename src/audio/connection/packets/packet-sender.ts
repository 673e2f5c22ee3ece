import { Buffer } from 'node:buffer';
import type { ConnectionData, NetworkingReadyState, VoiceConnection } from '@discordjs/voice';
import { asBuffer, type Gate, type PacketSink } from '../../playing/clip-player.ts';
import type { DaveGate } from '../dave.ts';
import { IS_KNOWN_RELEASE, type ReadyTransport, readyTransport } from '../library/borrowed.ts';
import { type DatagramRoute, datagramRoute, sendDatagram, sendKept } from './datagram-route.ts';
import { createSpeechProbe, KEEP_ALIVE_BYTES, onEcho, type SpeechProbe } from './keep-alive-echoes.ts';
import { createSeal, type Seal, SealedAhead, TAG_BYTES, TICKS } from './sealing.ts';

const HEADER_BYTES = 12;
const NONCE_BYTES = 4;
/** Opus frames have up to 1,275 bytes (RFC 6716, 3.4), and end-to-end encryption adds a few bytes. */
const MAX_PACKET_BYTES = 2_048;

/** The buffer of the current voice packet, shared by all sessions: a packet has left when send() returns. */
const packet = Buffer.alloc(MAX_PACKET_BYTES);
// RTP version 2 without optional parts. Payload type 120: Opus.
packet.writeUInt16BE(0x8078, 0);
const header = packet.subarray(0, HEADER_BYTES);
/** The bytes of a keep-alive mean nothing to the voice server, so all sessions share them. */
const keepAlive = Buffer.alloc(KEEP_ALIVE_BYTES);
/**
 * Views of the frame and tag in `packet`, by the frame's length. Cached: creating a view costs more than the rest of
 * building a packet.
 */
const sealedParts: Buffer[] = [];

function sealedPart(frameBytes: number): Buffer {
  sealedParts[frameBytes] ??= packet.subarray(HEADER_BYTES, HEADER_BYTES + frameBytes + TAG_BYTES);
  return sealedParts[frameBytes];
}

function write16(value: number, at: number): void {
  packet[at] = value >>> 8;
  packet[at + 1] = value;
}

function write32(value: number, at: number): void {
  packet[at] = value >>> 24;
  packet[at + 1] = value >>> 16;
  packet[at + 2] = value >>> 8;
  packet[at + 3] = value;
}

/**
 * Voice sessions without encrypted packets in reserve: more are encrypted once all packets that are due now have left.
 */
const emptied: PacketSender[] = [];

function sealMore(): void {
  for (const sender of emptied) sender.sealAhead();
  emptied.length = 0;
}

/**
 * The packet output of one voice session. Does the work of VoiceConnection.playOpusPacket() in @discordjs/voice, on the
 * library's own counters, socket and DAVE session, for a quarter of its CPU. Nothing is allocated, keys are prepared
 * once, and the library's state is read only when it changes. The library sends packets that cannot be encrypted here.
 * A class, because with thousands of players most time goes into cache misses. A packet needs one object here instead
 * of six closures.
 */
export class PacketSender implements PacketSink {
  #connection: VoiceConnection | undefined;
  #daveGate: Pick<DaveGate, 'state'> | undefined;
  #transport: ReadyTransport | undefined;
  /** Whether voice packets may be sent, as last checked; undefined if the encryption group must be checked again. */
  #settledGate: Gate | undefined;
  #data: ConnectionData | undefined;
  #dave: NetworkingReadyState['dave'];
  #route: DatagramRoute | undefined;
  #seal: Seal | undefined;
  #sealedFor: Uint8Array | undefined;
  #probe: SpeechProbe | undefined;
  /** Voice packets that were encrypted before they are due. Undefined until a clip plays. */
  #ahead: SealedAhead | undefined;
  /** The playing clip's packets. Those from index `#next` on are not sent yet. */
  #following: readonly Uint8Array[] | undefined;
  #next = 0;
  #isEmptied = false;
  readonly #onChange = () => this.#follow();
  readonly #onUnheard: (packets: number) => void;
  readonly #onSilent: () => void;

  /**
   * `onUnheard`: the last packets did not reach the voice server, and the session takes no packets until datagrams
   * arrive again. `onSilent`: datagrams have been missing for so long that the session takes packets again.
   */
  constructor(onUnheard: (packets: number) => void, onSilent: () => void) {
    this.#onUnheard = onUnheard;
    this.#onSilent = onSilent;
  }

  open(connection: VoiceConnection, daveGate: Pick<DaveGate, 'state'>): void {
    this.close();
    this.#connection = connection;
    this.#daveGate = daveGate;
    this.#transport = readyTransport(connection);
    this.#transport.listeners.add(this.#onChange);
    this.#follow();
  }

  close(): void {
    this.#transport?.listeners.delete(this.#onChange);
    this.#transport = undefined;
    this.#connection = undefined;
    this.#daveGate = undefined;
    this.#follow();
  }

  /**
   * Must be called after each voice gateway message: only messages change the encryption group or the members of the
   * channel.
   */
  heard(): void {
    this.#settledGate = undefined;
    this.#ahead?.clear();
  }

  #follow(): void {
    this.heard();
    const state = IS_KNOWN_RELEASE ? this.#transport?.ready : undefined;
    this.#data = state?.connectionData;
    this.#dave = state?.dave;
    if (!state) return;
    const route = datagramRoute(state.udp);
    if (this.#route !== route) this.#probe = this.#probeFor(route);
    this.#route = route;
    const { encryptionMode, secretKey } = state.connectionData;
    if (this.#sealedFor === secretKey) return;
    this.#sealedFor = secretKey;
    this.#seal = createSeal(encryptionMode, secretKey);
  }

  #probeFor(route: DatagramRoute): SpeechProbe {
    const probe = createSpeechProbe(() => sendDatagram(route, keepAlive, KEEP_ALIVE_BYTES), this.#onSilent);
    onEcho(route.udp, probe.echoed);
    return probe;
  }

  warm(): number {
    if (!this.#data || !this.#route || !this.#sealedFor) return 0;
    return this.#data.sequence + this.#data.packetsPlayed + this.#route.descriptor + (this.#sealedFor[0] ?? 0);
  }

  gate(): Gate {
    return this.#settledGate ?? this.#checkGate();
  }

  #checkGate(): Gate {
    if (this.#probe?.isHeld()) return 'hold';
    const gate = this.#daveGate?.state() ?? 'hold';
    // The decision whether voice packets may be sent is kept until the next voice gateway message. The decision to hold
    // packets is not kept, because a time limit ends the hold. With another release of @discordjs/voice no decision is
    // kept, because the bot may miss its messages.
    if (gate !== 'hold' && IS_KNOWN_RELEASE) this.#settledGate = gate;
    return gate;
  }

  setSpeaking(isSpeaking: boolean): void {
    this.#connection?.setSpeaking(isSpeaking);
    if (isSpeaking) return;
    this.#probe?.spurtEnded();
    this.#ahead = undefined;
    this.#following = undefined;
  }

  isInDoubt(): boolean {
    return this.#probe?.isInDoubt() === true;
  }

  ask(): void {
    this.#unheard(this.#probe?.ask() ?? 0);
  }

  #unheard(packets: number): void {
    if (packets === 0) return;
    this.#settledGate = undefined;
    this.#onUnheard(packets);
  }

  /**
   * Sends a voice packet; returns false if the connection takes none now. Throws if encrypting fails. `opus` is
   * `following[next - 1]`, a packet of the playing clip. The clip's packets from index `next` on will probably be sent
   * next, and are encrypted in advance.
   */
  send(opus: Buffer, following?: readonly Uint8Array[], next = 0): boolean {
    if (!IS_KNOWN_RELEASE) return this.#connection?.playOpusPacket(opus) === true;
    const data = this.#data;
    const route = this.#route;
    if (!data || !route) return false;
    if (!this.#seal) return this.#connection?.playOpusPacket(opus) === true;

    const { sequence, timestamp } = data;
    const ahead = this.#ahead;
    if (ahead?.take(following?.[next - 1], sequence, timestamp)) {
      sendKept(route, ahead.bytes, ahead.start, ahead.end);
    } else {
      sendDatagram(route, packet, this.#build(opus, data, this.#seal, sequence, timestamp));
    }
    data.packetsPlayed += 1;
    data.sequence = (sequence + 1) & 0xffff;
    data.timestamp = (timestamp + TICKS) >>> 0;
    if (!data.speaking) this.#connection?.setSpeaking(true);
    // Voice packets are encrypted in advance only in end-to-end encrypted calls. There, encryption takes most of a
    // packet's time, half of it waiting for memory. Encrypting several packets in a row saves most of that waiting.
    if (this.#dave && following && (ahead?.isEmpty ?? true)) this.#willSeal(following, next);
    this.#unheard(this.#probe?.packetSent() ?? 0);
    return true;
  }

  /**
   * Builds a voice packet in the shared buffer and returns its length. Each packet takes a nonce of its own, sent or
   * not.
   */
  #build(opus: Buffer, data: ConnectionData, seal: Seal, sequence: number, timestamp: number): number {
    const frame = this.#dave === undefined ? opus : this.#dave.encrypt(opus);
    write16(sequence, 2);
    write32(timestamp, 4);
    write32(data.ssrc, 8);
    data.nonce += 1;
    const end = HEADER_BYTES + frame.length + TAG_BYTES;
    write32(data.nonce, end);
    seal(sealedPart(frame.length), frame, header, data.nonce);
    return end + NONCE_BYTES;
  }

  #willSeal(following: readonly Uint8Array[], next: number): void {
    this.#following = following;
    this.#next = next;
    if (this.#isEmptied) return;
    this.#isEmptied = true;
    // More packets are encrypted in process.nextTick(), after the packets that are due now: sending those was added to
    // the same queue before.
    if (emptied.length === 0) process.nextTick(sealMore);
    emptied.push(this);
  }

  /** Encrypts the voice packets that come next. Called between the times when packets are due. */
  sealAhead(): void {
    this.#isEmptied = false;
    const [data, seal, following] = [this.#data, this.#seal, this.#following];
    if (!data || !seal || !following) return;
    this.#ahead ??= new SealedAhead();
    const ahead = this.#ahead;
    ahead.begin(data.sequence, data.timestamp);
    try {
      for (let at = this.#next; ; at++) {
        const opus = following[at];
        if (opus === undefined || !ahead.hasRoomFor(opus)) return;
        ahead.add(opus, packet, this.#build(asBuffer(opus), data, seal, ahead.sequence(), ahead.timestamp()));
      }
    } catch {
      // A voice packet that cannot be encrypted early fails again when it is due: the error is reported then.
    }
  }
}
