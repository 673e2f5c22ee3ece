import { randomBytes, timingSafeEqual } from 'node:crypto';
import { loadLibopus } from 'libopus-wasm';
import { createGroupChannel, type VoiceGroupChannel } from './channel.ts';
import { type ClientSession, createClientSession, type GatewayHost, serveConnection } from './gateway.ts';
import { isSilenceFrame } from './listening/hearing.ts';
import { createListener, isDaveFrame, type ListeningParticipant } from './listening/listener.ts';
import {
  ClientFault,
  Close,
  type ExpectedClient,
  type ListenerOptions,
  type Participant,
  type ProtocolVersion,
  type VoiceMember,
  VoiceServerSettings,
} from './protocol.ts';
import { openRtp, readRtp } from './rtp.ts';
import { listenForClients, loopbackCertificate, startUdp } from './sockets.ts';

interface ClientName {
  readonly guildId: string;
  readonly userId: string;
}

const HOST = '127.0.0.1';

const keyOf = ({ guildId, userId }: ClientName) => `${guildId}:${userId}`;

export type VoiceServer = Awaited<ReturnType<typeof startVoiceServer>>;

export async function startVoiceServer() {
  const [tls] = await Promise.all([loopbackCertificate(), loadLibopus()]);
  const settings = new VoiceServerSettings();
  const faults: { closeCode: number; reason: string }[] = [];
  const expected = new Map<string, { client: ExpectedClient; token: string }>();
  const sessions = new Map<string, ClientSession>();
  const bySsrc = new Map<number, ClientSession>();
  const channels = new Map<string, VoiceGroupChannel>();
  const listeners = new Map<VoiceGroupChannel, Set<ListeningParticipant>>();
  const muted = new Set<string>();
  let clearFrames = 0;
  let nextSsrc = 1;
  let closing: Promise<unknown> | undefined;

  function channelFor(member: VoiceMember): VoiceGroupChannel {
    const id = `${member.guildId}:${member.channelId}`;
    const known = channels.get(id);
    if (known) return known;
    const channel = createGroupChannel({ ...member, dave: member.dave && settings.dave }, settings);
    channels.set(id, channel);
    return channel;
  }

  function end(session: ClientSession): void {
    clearTimeout(session.expiry);
    session.socket = undefined;
    bySsrc.delete(session.ssrc);
    if (sessions.get(keyOf(session.client)) === session) sessions.delete(keyOf(session.client));
    leave(session.channel, session);
  }

  function leave(channel: VoiceGroupChannel, participant: Participant): void {
    channel.leave(participant);
    if (!channel.isEmpty()) return;
    listeners.delete(channel);
    for (const [id, known] of channels) if (known === channel) channels.delete(id);
    channel.close();
  }

  function fault(closeCode: number, reason: string): void {
    faults.push({ closeCode, reason });
  }

  function closeAsBad(session: ClientSession, reason: string): void {
    fault(Close.badRequest, reason);
    session.socket?.close(Close.badRequest, reason);
  }

  /** A client that sends audio for too long without op 5 (speaking) loses its socket. */
  function isOverdue(session: ClientSession, atMs: number): boolean {
    session.unannouncedSinceMs ??= atMs;
    if (atMs - session.unannouncedSinceMs < settings.speakingGraceMs) return false;
    closeAsBad(session, 'Invalid SSRC');
    return true;
  }

  const udp = await startUdp(HOST, settings, {
    discovers(ssrc, from) {
      const session = bySsrc.get(ssrc);
      if (!session) return false;
      session.address = from;
      const isLost = settings.discoveriesToLose > 0;
      if (isLost) settings.discoveriesToLose -= 1;
      return settings.answerIpDiscovery && !isLost;
    },
    datagram(datagram) {
      const packet = readRtp(datagram);
      const session = packet && bySsrc.get(packet.ssrc);
      if (packet === undefined || session?.mode === undefined) return;
      const { userId, channel } = session;
      const { sequence, timestamp, ssrc } = packet;
      if (settings.losePacket?.({ sequence, userId })) return;
      const frame = openRtp(datagram, packet, session.mode, session.secretKey);
      if (frame === undefined) return;
      if (channel.protocolVersion > 0 && !isSilenceFrame(frame) && !isDaveFrame(frame)) clearFrames += 1;
      const atMs = performance.now();
      const problem = session.counters.problem(datagram, packet, atMs);
      if (problem !== undefined) closeAsBad(session, problem);
      if (problem !== undefined || muted.has(keyOf(session.client))) return;
      if (session.speaking === undefined && isOverdue(session, atMs)) return;
      for (const listener of listeners.get(channel) ?? []) {
        const judged = { silence: false, encrypted: false, audible: false };
        const heard = { atMs, userId, sequence, timestamp, ssrc, bytes: datagram.length, ...judged };
        listener.hear(heard, frame, !channel.dave);
      }
    },
  });

  const host: GatewayHost = {
    settings,
    host: HOST,
    udpPort: udp.port,
    fault,
    /** Throws ClientFault if Discord's voice gateway would reject the login. */
    identify(socket, identify) {
      const guild = [...expected.values()].some(({ client }) => client.guildId === identify.server_id);
      if (!guild) throw new ClientFault(Close.serverNotFound, 'Server not found');
      const known = expected.get(keyOf({ guildId: identify.server_id, userId: identify.user_id }));
      if (known === undefined || !same(known.token, identify.token))
        throw new ClientFault(Close.authenticationFailed, 'Authentication failed');
      if (known.client.sessionId !== identify.session_id)
        throw new ClientFault(Close.sessionInvalid, 'Session no longer valid');
      if (known.client.dave && settings.dave && identify.max_dave_protocol_version < 1)
        throw new ClientFault(Close.daveRequired, 'E2EE/DAVE protocol required');
      const earlier = sessions.get(keyOf(known.client));
      if (earlier) {
        earlier.socket?.close(Close.sessionInvalid, 'Connected elsewhere');
        end(earlier);
      }
      const session = createClientSession(known, channelFor(known.client), nextSsrc, settings);
      nextSsrc += 1;
      session.socket = socket;
      sessions.set(keyOf(known.client), session);
      bySsrc.set(session.ssrc, session);
      return session;
    },
    resume(socket, resume) {
      const session = [...sessions.values()].find(
        ({ client }) => client.guildId === resume.server_id && client.sessionId === resume.session_id,
      );
      if (session === undefined) throw new ClientFault(Close.sessionInvalid, 'Session no longer valid');
      if (!same(session.token, resume.token))
        throw new ClientFault(Close.authenticationFailed, 'Authentication failed');
      session.checkReplay(resume.seq_ack);
      clearTimeout(session.expiry);
      session.socket?.close(Close.sessionInvalid, 'Connected elsewhere');
      session.socket = socket;
      session.resumes += 1;
      return session;
    },
    /** Called when a voice socket closes; `isFinal` is true if the client cannot resume. */
    disconnected(session, socket, isFinal) {
      if (session.socket !== socket) return;
      session.socket = undefined;
      if (isFinal) end(session);
      else session.expiry = setTimeout(() => end(session), settings.resumeWindowMs);
    },
  };
  const sockets = await listenForClients(HOST, tls, settings, (socket) => serveConnection(socket, host));

  return {
    /** The certificate of the voice server's authority, which the bot trusts through NODE_EXTRA_CA_CERTS. */
    caCertificatePem: tls.cert,
    /** The voice server's address, '127.0.0.1:PORT' without a scheme, as in VOICE_SERVER_UPDATE. */
    endpoint: sockets.endpoint,
    settings,
    /** Errors of clients, for which the voice server closed their connections. */
    faults,
    /** Number of unencrypted frames in calls that require end-to-end encryption, heard by a listener or not. */
    get clearFrames() {
      return clearFrames;
    },
    /** Makes the token that VOICE_SERVER_UPDATE gives a client. A new token replaces the client's old token for the server. */
    expect(client: ExpectedClient): { token: string; endpoint: string } {
      const token = randomBytes(8).toString('hex');
      expected.set(keyOf(client), { client, token });
      return { token, endpoint: sockets.endpoint };
    },
    drop(client: ClientName, closeCode: number): void {
      const session = sessions.get(keyOf(client));
      // The client may already have a newer token for its next connection, which must stay valid.
      if (session === undefined || session.token === expected.get(keyOf(client))?.token) expected.delete(keyOf(client));
      if (session === undefined) return;
      session.socket?.close(closeCode);
      end(session);
    },
    /** Nobody hears a muted client. `setMuted` may be called before the client connects to the voice server. */
    setMuted(client: ClientName, isMuted: boolean): void {
      if (isMuted) muted.add(keyOf(client));
      else muted.delete(keyOf(client));
    },
    /** Closes a client's socket, or cuts it without a `closeCode`. After a cut or code 4015, the client may resume. */
    cut(client: ClientName, closeCode?: number): void {
      const socket = sessions.get(keyOf(client))?.socket;
      if (closeCode === undefined) socket?.terminate();
      else socket?.close(closeCode);
    },
    addListener(member: ListenerOptions) {
      const channel = channelFor(member);
      const participant: ListeningParticipant = createListener(channel, member, () => {
        participant.close();
        listeners.get(channel)?.delete(participant);
        if (channel.has(participant)) leave(channel, participant);
      });
      const listening = listeners.get(channel) ?? new Set();
      listeners.set(channel, listening.add(participant));
      return participant.listener;
    },
    /** Version 0 ends a call's end-to-end encryption; version 1 starts it with a new group. Throws without a call. */
    setProtocolVersion({ guildId, channelId }: { guildId: string; channelId: string }, version: ProtocolVersion): void {
      const channel = channels.get(`${guildId}:${channelId}`);
      if (!channel) throw new Error('There is no call in this channel');
      channel.setProtocolVersion(version);
    },
    /** Sends a client any bytes over UDP, for tests that no datagram ends the client's process. */
    sendDatagram(client: ClientName, bytes: Uint8Array): void {
      const address = sessions.get(keyOf(client))?.address;
      if (address) udp.send(bytes, address);
    },
    /** Accepts any nonce, sequence number and timestamp in the client's next packet, so that a test can change them. */
    forgetCounters(client: ClientName): void {
      sessions.get(keyOf(client))?.counters.forget();
    },
    clients: () =>
      [...sessions.values()].map((session) => ({
        userId: session.userId,
        mode: session.mode,
        inGroup: session.channel.inGroup(session),
        resumes: session.resumes,
      })),
    async close(): Promise<void> {
      for (const session of sessions.values()) clearTimeout(session.expiry);
      for (const channel of channels.values()) channel.close();
      for (const listening of listeners.values()) for (const listener of listening) listener.close();
      closing ??= Promise.all([sockets.close(), udp.close()]);
      await closing;
    },
  };
}

function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
