import { Buffer } from 'node:buffer';
import type { ConnectionData, NetworkingReadyState, VoiceConnection } from '@discordjs/voice';
import { asBuffer } from '../../clips/clip.ts';
import type { Gate, PacketSink } from '../../playing/clip-player.ts';
import { type DaveGate, IS_KNOWN_RELEASE, type ReadyTransport, readyTransport } from '../dave.ts';
import { type DatagramRoute, datagramRoute, sendDatagram, sendKept } from './datagram-route.ts';
import { createSpeechProbe, KEEP_ALIVE_BYTES, onEcho, type SpeechProbe } from './keep-alive-echoes.ts';
import { createSeal, type Seal, SealedAhead, TAG_BYTES, TICKS } from './sealing.ts';

const HEADER_BYTES = 12;
const NONCE_BYTES = 4;
/** Opus frames have up to 1,275 bytes (RFC 6716, 3.4), and end-to-end encryption adds a few bytes. */
const MAX_PACKET_BYTES = 2_048;

/** All sessions share one buffer, because a packet has been copied or sent when send() returns. */
const packet = Buffer.alloc(MAX_PACKET_BYTES);
// The first bytes of an RTP header: version 2, no optional fields, payload type 120 (Opus).
packet.writeUInt16BE(0x8078, 0);
const header = packet.subarray(0, HEADER_BYTES);
/** The voice server ignores what a keep-alive contains, so all sessions send the same bytes. */
const keepAlive = Buffer.alloc(KEEP_ALIVE_BYTES);
/** Buffer views by the frame's length: creating a view costs more than the rest of building a packet. */
const sealedParts: Buffer[] = [];

function sealedPart(frameBytes: number): Buffer {
  sealedParts[frameBytes] ??= packet.subarray(HEADER_BYTES, HEADER_BYTES + frameBytes + TAG_BYTES);
  return sealedParts[frameBytes];
}

/** Senders without packets encrypted in advance. After all due packets are sent, sealMore() encrypts more packets. */
const emptied: PacketSender[] = [];

function sealMore(): void {
  for (const sender of emptied) sender.sealAhead();
  emptied.length = 0;
}

/**
 * Replaces playOpusPacket() of @discordjs/voice for a quarter of the CPU, with that library's counters and socket. Most
 * time goes into cache misses, and an object of a class has fewer of them than closures.
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
  #ahead: SealedAhead | undefined;
  /** The playing clip's packets. Those from index `#next` on are not sent yet. */
  #following: readonly Uint8Array[] | undefined;
  #next = 0;
  #isEmptied = false;
  readonly #onChange = () => this.#follow();
  readonly #onUnheard: (packets: number) => void;
  readonly #onSilent: () => void;

  /**
   * If the voice server stops answering, sending pauses, and `onUnheard` gets the number of packets that did not arrive.
   * If no answer comes for 8 s, sending goes on anyway, and `onSilent` is called.
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

  /** Must be called after each voice gateway message, which may change the encryption group or the members. */
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
    if (this.#route !== route) {
      this.#probe = createSpeechProbe(() => sendDatagram(route, keepAlive, KEEP_ALIVE_BYTES), this.#onSilent);
      onEcho(route.udp, this.#probe.echoed);
    }
    this.#route = route;
    const { encryptionMode, secretKey } = state.connectionData;
    if (this.#sealedFor === secretKey) return;
    this.#sealedFor = secretKey;
    this.#seal = createSeal(encryptionMode, secretKey);
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
    // With the known release of @discordjs/voice, permission to send lasts until the next voice gateway message. While
    // packets are held, each packet checks again, because the wait for the encryption group has a time limit.
    if (gate !== 'hold' && IS_KNOWN_RELEASE) this.#settledGate = gate;
    return gate;
  }

  stopSpeaking(): void {
    this.#connection?.setSpeaking(false);
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

  /** Throws if encryption fails. */
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
    // Encryption mostly waits for memory, and several packets in a row share most of that waiting.
    if (this.#dave && following && (ahead?.isEmpty ?? true)) this.#willSeal(following, next);
    this.#unheard(this.#probe?.packetSent() ?? 0);
    return true;
  }

  /** Builds a packet in the shared buffer and returns the packet's length. Each packet uses up a nonce, even if it is never sent. */
  #build(opus: Buffer, data: ConnectionData, seal: Seal, sequence: number, timestamp: number): number {
    const frame = this.#dave === undefined ? opus : this.#dave.encrypt(opus);
    packet.writeUInt16BE(sequence, 2);
    packet.writeUInt32BE(timestamp, 4);
    packet.writeUInt32BE(data.ssrc, 8);
    data.nonce += 1;
    const end = HEADER_BYTES + frame.length + TAG_BYTES;
    packet.writeUInt32BE(data.nonce, end);
    seal(sealedPart(frame.length), frame, header, data.nonce);
    return end + NONCE_BYTES;
  }

  #willSeal(following: readonly Uint8Array[], next: number): void {
    this.#following = following;
    this.#next = next;
    if (this.#isEmptied) return;
    this.#isEmptied = true;
    // Encrypting in advance does not delay packets that are due now: they are already in the queue of process.nextTick().
    if (emptied.length === 0) process.nextTick(sealMore);
    emptied.push(this);
  }

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
      // A packet that cannot be encrypted in advance fails again when it is due, and its error is reported then.
    }
  }
}
