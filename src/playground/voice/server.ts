import { randomBytes, timingSafeEqual } from 'node:crypto';
import { loadLibopus } from 'libopus-wasm';
import type { WebSocket } from 'ws';
import { VoiceGroupChannel } from './channel.ts';
import { ClientSession, type GatewayHost, type Identify, type Resume, serveConnection } from './gateway.ts';
import { isSilenceFrame } from './listening/hearing.ts';
import { createListener, isDaveFrame, type ListeningParticipant } from './listening/listener.ts';
import {
  ClientFault,
  Close,
  type ExpectedClient,
  type Listener,
  type ListenerOptions,
  type Participant,
  type ProtocolVersion,
  type VoiceMember,
  VoiceServerSettings,
} from './protocol.ts';
import { openRtp, readRtp } from './rtp.ts';
import {
  type Certificate,
  type ClientSockets,
  listenForClients,
  loopbackCertificate,
  startUdp,
  type Udp,
} from './sockets.ts';

interface ClientName {
  readonly guildId: string;
  readonly userId: string;
}

const keyOf = ({ guildId, userId }: ClientName) => `${guildId}:${userId}`;

export class VoiceServer implements GatewayHost {
  /** The certificate of the voice server's authority, which the bot trusts through NODE_EXTRA_CA_CERTS. */
  readonly caCertificatePem: string;
  /** The voice server's address, '127.0.0.1:PORT' without a scheme, as in VOICE_SERVER_UPDATE. */
  endpoint = '';
  readonly settings = new VoiceServerSettings();
  readonly host = '127.0.0.1';
  /** Errors of clients, for which the voice server closed their connections. */
  readonly faults: { closeCode: number; reason: string }[] = [];
  /** Number of unencrypted frames in calls that require end-to-end encryption, heard by a listener or not. */
  clearFrames = 0;
  readonly #expected = new Map<string, { client: ExpectedClient; token: string }>();
  readonly #sessions = new Map<string, ClientSession>();
  readonly #bySsrc = new Map<number, ClientSession>();
  readonly #channels = new Map<string, VoiceGroupChannel>();
  readonly #listeners = new Map<VoiceGroupChannel, Set<ListeningParticipant>>();
  readonly #muted = new Set<string>();
  #nextSsrc = 1;
  #udp: Udp | undefined;
  #sockets: ClientSockets | undefined;
  #closing: Promise<void> | undefined;

  constructor(caCertificatePem: string) {
    this.caCertificatePem = caCertificatePem;
  }

  async listen(tls: Certificate): Promise<void> {
    this.#udp = await startUdp(this.host, this.settings, {
      discovers: (ssrc, from) => this.#discovers(ssrc, from),
      datagram: (bytes) => this.#onDatagram(bytes),
    });
    this.#sockets = await listenForClients(this.host, tls, this.settings, (socket) => serveConnection(socket, this));
    this.endpoint = this.#sockets.endpoint;
  }

  get udpPort(): number {
    return this.#udp?.port ?? 0;
  }

  /** The client gets the token in VOICE_SERVER_UPDATE. Each new token replaces its old token in the same server. */
  expect(client: ExpectedClient): { token: string; endpoint: string } {
    const token = randomBytes(8).toString('hex');
    this.#expected.set(keyOf(client), { client, token });
    return { token, endpoint: this.endpoint };
  }

  drop(client: ClientName, closeCode: number): void {
    const session = this.#sessions.get(keyOf(client));
    // The client may already have a newer token for its next connection, which must stay valid.
    if (session === undefined || session.token === this.#expected.get(keyOf(client))?.token)
      this.#expected.delete(keyOf(client));
    if (session === undefined) return;
    session.socket?.close(closeCode);
    this.#end(session);
  }

  /** Nobody hears a muted client. The call may come before the client connects to the voice server. */
  setMuted(client: ClientName, muted: boolean): void {
    if (muted) this.#muted.add(keyOf(client));
    else this.#muted.delete(keyOf(client));
  }

  /** The client may resume after a cut, which has no `closeCode`, or after code 4015. */
  cut(client: ClientName, closeCode?: number): void {
    const socket = this.#sessions.get(keyOf(client))?.socket;
    if (closeCode === undefined) socket?.terminate();
    else socket?.close(closeCode);
  }

  addListener(member: ListenerOptions): Listener {
    const channel = this.#channelFor(member);
    const participant = createListener(channel, member, () => {
      participant.close();
      this.#listeners.get(channel)?.delete(participant);
      if (channel.has(participant)) this.#leave(channel, participant);
    });
    const listening = this.#listeners.get(channel) ?? new Set();
    this.#listeners.set(channel, listening.add(participant));
    return participant.listener;
  }

  /** Version 0 ends a call's end-to-end encryption, and version 1 starts it with a new group. Throws without a call. */
  setProtocolVersion({ guildId, channelId }: { guildId: string; channelId: string }, version: ProtocolVersion): void {
    const channel = this.#channels.get(`${guildId}:${channelId}`);
    if (!channel) throw new Error('There is no call in this channel');
    channel.setProtocolVersion(version);
  }

  /** Sends a client any bytes over UDP, for tests that no datagram ends the client's process. */
  sendDatagram(client: ClientName, bytes: Uint8Array): void {
    const address = this.#sessions.get(keyOf(client))?.address;
    if (address) this.#udp?.send(bytes, address);
  }

  /** The client's next packet may have any nonce, sequence number and timestamp. */
  forgetCounters(client: ClientName): void {
    this.#sessions.get(keyOf(client))?.counters.forget();
  }

  clients() {
    return [...this.#sessions.values()].map((session) => ({
      userId: session.userId,
      mode: session.mode,
      inGroup: session.channel.inGroup(session),
      resumes: session.resumes,
    }));
  }

  /** Throws ClientFault if Discord's voice gateway would reject the login. */
  identify(socket: WebSocket, identify: Identify): ClientSession {
    const guild = [...this.#expected.values()].some(({ client }) => client.guildId === identify.server_id);
    if (!guild) throw new ClientFault(Close.serverNotFound, 'Server not found');
    const known = this.#expected.get(keyOf({ guildId: identify.server_id, userId: identify.user_id }));
    if (known === undefined || !same(known.token, identify.token))
      throw new ClientFault(Close.authenticationFailed, 'Authentication failed');
    if (known.client.sessionId !== identify.session_id)
      throw new ClientFault(Close.sessionInvalid, 'Session no longer valid');
    if (known.client.dave && this.settings.dave && identify.max_dave_protocol_version < 1)
      throw new ClientFault(Close.daveRequired, 'E2EE/DAVE protocol required');
    const earlier = this.#sessions.get(keyOf(known.client));
    if (earlier) {
      earlier.socket?.close(Close.sessionInvalid, 'Connected elsewhere');
      this.#end(earlier);
    }
    const session = new ClientSession(known, this.#channelFor(known.client), this.#nextSsrc, this.settings);
    this.#nextSsrc += 1;
    session.socket = socket;
    this.#sessions.set(keyOf(known.client), session);
    this.#bySsrc.set(session.ssrc, session);
    return session;
  }

  resume(socket: WebSocket, resume: Resume): ClientSession {
    const session = [...this.#sessions.values()].find(
      ({ client }) => client.guildId === resume.server_id && client.sessionId === resume.session_id,
    );
    if (session === undefined) throw new ClientFault(Close.sessionInvalid, 'Session no longer valid');
    if (!same(session.token, resume.token)) throw new ClientFault(Close.authenticationFailed, 'Authentication failed');
    session.checkReplay(resume.seq_ack);
    clearTimeout(session.expiry);
    session.socket?.close(Close.sessionInvalid, 'Connected elsewhere');
    session.socket = socket;
    session.resumes += 1;
    return session;
  }

  /** Called when a voice socket closes; `isFinal` is true if the client cannot resume. */
  disconnected(session: ClientSession, socket: WebSocket, isFinal: boolean): void {
    if (session.socket !== socket) return;
    session.socket = undefined;
    if (isFinal) this.#end(session);
    else session.expiry = setTimeout(() => this.#end(session), this.settings.resumeWindowMs);
  }

  fault(closeCode: number, reason: string): void {
    this.faults.push({ closeCode, reason });
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    for (const session of this.#sessions.values()) clearTimeout(session.expiry);
    for (const channel of this.#channels.values()) channel.close();
    for (const listening of this.#listeners.values()) for (const listener of listening) listener.close();
    await Promise.all([this.#sockets?.close(), this.#udp?.close()]);
  }

  #channelFor(member: VoiceMember): VoiceGroupChannel {
    const id = `${member.guildId}:${member.channelId}`;
    const known = this.#channels.get(id);
    if (known) return known;
    const channel = new VoiceGroupChannel({
      channelId: member.channelId,
      dave: member.dave && this.settings.dave,
      settings: this.settings,
    });
    this.#channels.set(id, channel);
    return channel;
  }

  #end(session: ClientSession): void {
    clearTimeout(session.expiry);
    session.socket = undefined;
    this.#bySsrc.delete(session.ssrc);
    if (this.#sessions.get(keyOf(session.client)) === session) this.#sessions.delete(keyOf(session.client));
    this.#leave(session.channel, session);
  }

  #leave(channel: VoiceGroupChannel, participant: Participant): void {
    channel.leave(participant);
    if (!channel.isEmpty()) return;
    this.#listeners.delete(channel);
    for (const [id, known] of this.#channels) if (known === channel) this.#channels.delete(id);
    channel.close();
  }

  #discovers(ssrc: number, from: { port: number; address: string }): boolean {
    const session = this.#bySsrc.get(ssrc);
    if (!session) return false;
    session.address = from;
    const isLost = this.settings.discoveriesToLose > 0;
    if (isLost) this.settings.discoveriesToLose -= 1;
    return this.settings.answerIpDiscovery && !isLost;
  }

  #onDatagram(datagram: Buffer): void {
    const packet = readRtp(datagram);
    const session = packet && this.#bySsrc.get(packet.ssrc);
    if (packet === undefined || session?.mode === undefined) return;
    const { userId, channel } = session;
    const { sequence, timestamp, ssrc } = packet;
    if (this.settings.losePacket?.({ sequence, userId })) return;
    const frame = openRtp(datagram, packet, session.mode, session.secretKey);
    if (frame === undefined) return;
    session.packets += 1;
    if (channel.protocolVersion > 0 && !isSilenceFrame(frame) && !isDaveFrame(frame)) this.clearFrames += 1;
    const atMs = performance.now();
    const problem = session.counters.problem(datagram, packet, atMs);
    if (problem !== undefined) this.#closeAsBad(session, problem);
    if (problem !== undefined || this.#muted.has(keyOf(session.client))) return;
    if (session.speaking === undefined && this.#isOverdue(session, atMs)) return;
    for (const listener of this.#listeners.get(channel) ?? []) {
      const judged = { silence: false, encrypted: false, audible: false };
      const heard = { atMs, userId, sequence, timestamp, ssrc, bytes: datagram.length, ...judged };
      listener.hear(heard, frame, !channel.dave);
    }
  }

  /** A client that sends audio for too long without op 5 (speaking) loses its socket. */
  #isOverdue(session: ClientSession, atMs: number): boolean {
    session.unannouncedSinceMs ??= atMs;
    if (atMs - session.unannouncedSinceMs < this.settings.speakingGraceMs) return false;
    this.#closeAsBad(session, 'Invalid SSRC');
    return true;
  }

  #closeAsBad(session: ClientSession, reason: string): void {
    this.fault(Close.badRequest, reason);
    session.socket?.close(Close.badRequest, reason);
  }
}

export async function startVoiceServer(): Promise<VoiceServer> {
  const [tls] = await Promise.all([loopbackCertificate(), loadLibopus()]);
  const server = new VoiceServer(tls.cert);
  await server.listen(tls);
  return server;
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
