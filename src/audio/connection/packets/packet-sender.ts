import { Buffer } from 'node:buffer';
import { asBuffer, type Gate, type PacketSink } from '../../playing/clip-player.ts';
import type { DaveGate } from '../dave.ts';
import { type ReadyTransport, readyTransport } from '../library/borrowed.ts';
import type { ConnectionData, NetworkingReadyState, VoiceConnection } from '../library/voice-library.ts';
import { type DatagramRoute, datagramRoute, sendDatagram, sendKept } from './datagram-route.ts';
import { createSpeechProbe, KEEP_ALIVE_BYTES, onEcho, type SpeechProbe } from './keep-alive-echoes.ts';
import { createSeal, type Seal, SealedAhead, TAG_BYTES, TICKS } from './sealing.ts';

const HEADER_BYTES = 12;
const NONCE_BYTES = 4;
/** Far more than a day of speech under one key; a repeated nonce would expose the key stream. */
const LAST_NONCE = 0xffff_ffff;
/** Opus makes frames of up to 1,275 bytes (RFC 6716, 3.4), and end-to-end encryption adds a few. */
const MAX_PACKET_BYTES = 2_048;

/** Shared by all sessions: one packet is built at a time and has left when send() returns. */
const packet = Buffer.alloc(MAX_PACKET_BYTES);
// Version 2, nothing optional, payload type 120: Opus.
packet.writeUInt16BE(0x8078, 0);
const header = packet.subarray(0, HEADER_BYTES);
/** Its content means nothing. */
const keepAlive = Buffer.alloc(KEEP_ALIVE_BYTES);
/** Views by the length of the frame. Cached, since creating one costs more than the rest of the packet. */
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

/** Players that have sent their last packet that was sealed ahead: once their packets have left, more are sealed. */
const emptied: PacketSender[] = [];

function sealMore(): void {
  for (const sender of emptied) sender.sealAhead();
  emptied.length = 0;
}

/**
 * The packet output of one session. It does the work of VoiceConnection.playOpusPacket(), on the library's own
 * counters, socket and DAVE session, for a quarter of its CPU: nothing is allocated, keys are prepared once, and the
 * library's state is read only when it changes. Packets that it cannot seal are left to the library. Unlike the code
 * around it, it is a class: with thousands of players most time goes into cache misses, and a packet needs one object
 * here instead of six closures.
 */
export class PacketSender implements PacketSink {
  #connection: VoiceConnection | undefined;
  #daveGate: Pick<DaveGate, 'state'> | undefined;
  #transport: ReadyTransport | undefined;
  /** The cached result of the gate; undefined when it has to be checked. */
  #settledGate: Gate | undefined;
  /** The library's insides are not as expected: it sends the packets itself. */
  #isLibrarysWork = false;
  #data: ConnectionData | undefined;
  #dave: NetworkingReadyState['dave'];
  #route: DatagramRoute | undefined;
  #seal: Seal | undefined;
  #sealedFor: Uint8Array | undefined;
  #probe: SpeechProbe | undefined;
  /** There once it plays. */
  #ahead: SealedAhead | undefined;
  /** What comes after the packet that was sent last, from this place on. */
  #following: readonly Uint8Array[] | undefined;
  #next = 0;
  #isEmptied = false;
  readonly #onChange = () => this.#follow();
  readonly #onUnheard: (packets: number) => void;
  readonly #onSilent: () => void;

  /**
   * `onUnheard`: the last packets have not arrived, and no more are taken until datagrams arrive again. `onSilent`:
   * datagrams have been missing for so long that packets are taken again.
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

  /** Accepts no packets from now on. Idempotent. */
  close(): void {
    this.#transport?.listeners.delete(this.#onChange);
    this.#transport = undefined;
    this.#connection = undefined;
    this.#daveGate = undefined;
    this.#follow();
  }

  /** To be called after each message of the voice gateway: only those change the group or the members of the channel. */
  heard(): void {
    this.#settledGate = undefined;
    this.#ahead?.clear();
  }

  #follow(): void {
    this.heard();
    const ready = this.#transport?.ready;
    this.#isLibrarysWork = ready !== undefined && ready.misfits.length > 0;
    const state = this.#isLibrarysWork ? undefined : ready?.state;
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
    // The gate opens after a time limit, so a closed gate is checked each time; and messages may go unheard where the library's
    // insides are not as expected.
    if (gate !== 'hold' && !this.#isLibrarysWork) this.#settledGate = gate;
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
   * False: the connection takes no packet now. Throws when encrypting fails. The packet is `following[next - 1]`, and those
   * after it come next, unless that changes.
   */
  send(opus: Buffer, following?: readonly Uint8Array[], next = 0): boolean {
    if (this.#isLibrarysWork) return this.#connection?.playOpusPacket(opus) === true;
    const data = this.#data;
    const route = this.#route;
    if (!data || !route) return false;
    if (!this.#seal || data.nonce >= LAST_NONCE) return this.#connection?.playOpusPacket(opus) === true;

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
    // Without end-to-end encryption it gains nothing.
    if (this.#dave && following && (ahead?.isEmpty ?? true)) this.#willSeal(following, next);
    this.#unheard(this.#probe?.packetSent() ?? 0);
    return true;
  }

  /** Builds a packet in the shared buffer; its length. Each takes a nonce of its own, whether it is sent or not. */
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
    // After the packets of this turn, whose sending was added to the same queue before.
    if (emptied.length === 0) process.nextTick(sealMore);
    emptied.push(this);
  }

  /** Seals what follows. Called between turns. */
  sealAhead(): void {
    this.#isEmptied = false;
    const [data, seal, following] = [this.#data, this.#seal, this.#following];
    if (!data || !seal || !following) return;
    this.#ahead ??= new SealedAhead();
    const ahead = this.#ahead;
    ahead.begin(data.sequence, data.timestamp);
    try {
      for (let at = this.#next; data.nonce < LAST_NONCE; at++) {
        const opus = following[at];
        if (opus === undefined || !ahead.hasRoomFor(opus)) return;
        ahead.add(opus, packet, this.#build(asBuffer(opus), data, seal, ahead.sequence(), ahead.timestamp()));
      }
    } catch {
      // A packet that cannot be encrypted fails again at its turn, which reports the error.
    }
  }
}
