import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { loadLibopus } from 'libopus-wasm';
import { type WebSocket, WebSocketServer } from 'ws';
import { createChannel, type VoiceGroupChannel } from './channel.ts';
import { type ClientSession, createClientSession, type GatewayHost, serveConnection } from './gateway.ts';
import { createListener, isDaveFrame, type ListeningParticipant } from './listening/listener.ts';
import { isSilenceFrame } from './listening/speaker-stream.ts';
import { ClientFault, Close } from './protocol.ts';
import { openRtp, readRtp } from './rtp.ts';
import { loopbackCertificate, startUdp } from './sockets.ts';
import type { ExpectedClient, VoiceClientView, VoiceServer, VoiceServerOptions, VoiceServerSettings } from './types.ts';

export type {
  EncryptionMode,
  ExpectedClient,
  Heard,
  HeardPacket,
  Listener,
  ListenerOptions,
  VoiceClientView,
  VoiceServer,
  VoiceServerOptions,
  VoiceServerSettings,
} from './types.ts';

/** Starts a voice server on loopback: voice gateway over TLS and UDP, each on a free port. */
export async function startVoiceServer(options: VoiceServerOptions = {}): Promise<VoiceServer> {
  const { host = '127.0.0.1', dave = true } = options;
  const settings = settingsFrom(options);
  const expected = new Map<string, { client: ExpectedClient; token: string }>();
  const sessions = new Map<string, ClientSession>();
  const bySsrc = new Map<number, ClientSession>();
  const channels = new Map<string, VoiceGroupChannel>();
  const listeners = new Map<VoiceGroupChannel, Set<ListeningParticipant>>();
  const refusedCommits: { userId: string; reason: string }[] = [];
  const faults: { closeCode: number; reason: string }[] = [];
  const muted = new Set<string>();
  let nextSsrc = 1;
  let clearFrames = 0;

  const [{ key, cert }] = await Promise.all([loopbackCertificate(), loadLibopus()]);
  const keyOf = ({ guildId, userId }: { guildId: string; userId: string }) => `${guildId}:${userId}`;

  function channelFor(member: { guildId: string; channelId: string; dave?: boolean }): VoiceGroupChannel {
    const id = `${member.guildId}:${member.channelId}`;
    const known = channels.get(id);
    if (known) return known;
    const channel = createChannel({
      channelId: member.channelId,
      dave: member.dave ?? dave,
      settings,
      onRefusedCommit: (userId, reason) => refusedCommits.push({ userId, reason }),
    });
    channels.set(id, channel);
    return channel;
  }

  /** Ends a session: the others in the channel see the client leave. */
  function end(session: ClientSession): void {
    clearTimeout(session.expiry);
    session.socket = undefined;
    bySsrc.delete(session.ssrc);
    if (sessions.get(keyOf(session.client)) === session) sessions.delete(keyOf(session.client));
    leaveChannel(session.channel, session);
  }

  function leaveChannel(channel: VoiceGroupChannel, participant: Parameters<VoiceGroupChannel['leave']>[0]): void {
    channel.leave(participant);
    if (!channel.isEmpty()) return;
    listeners.delete(channel);
    for (const [id, known] of channels) if (known === channel) channels.delete(id);
    channel.close();
  }

  function attach(session: ClientSession, socket: WebSocket): void {
    clearTimeout(session.expiry);
    session.socket?.close(Close.sessionInvalid, 'Connected elsewhere');
    session.socket = socket;
  }

  const gateway: Omit<GatewayHost, 'udpPort'> = {
    settings,
    host,
    identify(socket, identify) {
      const guild = [...expected.values()].some(({ client }) => client.guildId === identify.server_id);
      if (!guild) throw new ClientFault(Close.serverNotFound, 'Server not found');
      const known = expected.get(keyOf({ guildId: identify.server_id, userId: identify.user_id }));
      if (known === undefined || !same(known.token, identify.token))
        throw new ClientFault(Close.authenticationFailed, 'Authentication failed');
      if (known.client.sessionId !== identify.session_id)
        throw new ClientFault(Close.sessionInvalid, 'Session no longer valid');
      if ((known.client.dave ?? dave) && identify.max_dave_protocol_version < 1) {
        throw new ClientFault(Close.daveRequired, 'E2EE/DAVE protocol required');
      }
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
      attach(session, socket);
      session.resumes += 1;
      return session;
    },
    disconnected(session, socket, final) {
      if (session.socket !== socket) return;
      session.socket = undefined;
      if (final) end(session);
      else session.expiry = setTimeout(end, settings.resumeWindowMs, session);
    },
    fault: (closeCode, reason) => faults.push({ closeCode, reason }),
  };

  function onDatagram(datagram: Buffer): void {
    const packet = readRtp(datagram);
    const session = packet && bySsrc.get(packet.ssrc);
    if (packet === undefined || session?.mode === undefined) return;
    if (settings.losePacket?.({ sequence: packet.sequence, userId: session.userId })) return;
    const frame = openRtp(datagram, packet, session.mode, session.secretKey);
    if (frame === undefined) return;
    session.packets += 1;
    if (session.channel.protocolVersion > 0 && !isSilenceFrame(frame) && !isDaveFrame(frame)) clearFrames += 1;
    const atMs = performance.now();
    const problem = session.counters.problem(datagram, packet, atMs);
    if (problem !== undefined) closeAsBad(session, problem);
    if (problem !== undefined || muted.has(keyOf(session.client))) return;
    if (session.speaking === undefined && isOverdue(session, atMs)) return;
    for (const listener of listeners.get(session.channel) ?? []) {
      const { sequence, timestamp, ssrc } = packet;
      const { userId } = session;
      const heard = {
        atMs,
        userId,
        sequence,
        timestamp,
        ssrc,
        bytes: datagram.length,
        silence: false,
        encrypted: false,
        audible: false,
      };
      listener.hear(heard, frame, !session.channel.dave);
    }
  }

  /** Audio without any op 5: https://discord.com/developers/docs/topics/voice-connections#speaking. */
  function isOverdue(session: ClientSession, atMs: number): boolean {
    session.unannouncedSinceMs ??= atMs;
    if (atMs - session.unannouncedSinceMs < settings.speakingGraceMs) return false;
    closeAsBad(session, 'Invalid SSRC');
    return true;
  }

  function closeAsBad(session: ClientSession, reason: string): void {
    faults.push({ closeCode: Close.badRequest, reason });
    session.socket?.close(Close.badRequest, reason);
  }

  const udp = await startUdp(host, {
    isSilent: () => settings.isUdpSilent,
    discovers(ssrc, from) {
      const session = bySsrc.get(ssrc);
      if (!session) return false;
      session.discoveries += 1;
      session.address = from;
      const isLost = settings.discoveriesToLose > 0;
      if (isLost) settings.discoveriesToLose -= 1;
      return settings.answerIpDiscovery && !isLost;
    },
    echoes: () => settings.echoKeepAlives,
    datagram: onDatagram,
  });
  const sockets = await listenForClients({ host, key, cert, settings }, (socket) =>
    serveConnection(socket, { ...gateway, udpPort: udp.port }),
  );
  const { endpoint } = sockets;
  let closing: Promise<void> | undefined;

  function setMuted(client: { guildId: string; userId: string }, mute: boolean): void {
    if (mute) muted.add(keyOf(client));
    else muted.delete(keyOf(client));
  }

  async function close(): Promise<void> {
    for (const session of sessions.values()) clearTimeout(session.expiry);
    for (const channel of channels.values()) channel.close();
    for (const listening of listeners.values()) for (const listener of listening) listener.close();
    await Promise.all([sockets.close(), udp.close()]);
  }

  return {
    endpoint,
    caCertificatePem: cert,
    settings,
    refusedCommits,
    faults,
    get clearFrames() {
      return clearFrames;
    },
    expect(client) {
      setMuted(client, client.muted ?? false);
      const token = randomBytes(8).toString('hex');
      expected.set(keyOf(client), { client, token });
      return { token, endpoint };
    },
    drop(client, closeCode) {
      const session = sessions.get(keyOf(client));
      // A client that was moved may already be expected again: that token stays good.
      if (session === undefined || session.token === expected.get(keyOf(client))?.token) expected.delete(keyOf(client));
      if (session === undefined) return;
      session.socket?.close(closeCode);
      end(session);
    },
    setMuted,
    setProtocolVersion({ guildId, channelId }, version) {
      const channel = channels.get(`${guildId}:${channelId}`);
      if (!channel) throw new Error('There is no call in this channel');
      channel.setProtocolVersion(version);
    },
    sendDatagram(client, bytes) {
      const address = sessions.get(keyOf(client))?.address;
      if (address) udp.send(bytes, address);
    },
    forgetCounters: (client) => sessions.get(keyOf(client))?.counters.forget(),
    cut(client, closeCode) {
      const socket = sessions.get(keyOf(client))?.socket;
      if (closeCode === undefined) socket?.terminate();
      else socket?.close(closeCode);
    },
    addListener(member) {
      const channel = channelFor(member);
      const participant = createListener(channel, member, () => {
        participant.close();
        listeners.get(channel)?.delete(participant);
        if (channel.has(participant)) leaveChannel(channel, participant);
      });
      const listening = listeners.get(channel) ?? new Set();
      listeners.set(channel, listening.add(participant));
      return participant.listener;
    },
    clients: () => [...sessions.values()].map(viewOf),
    close() {
      closing ??= close();
      return closing;
    },
  };
}

function settingsFrom(options: VoiceServerOptions): VoiceServerSettings {
  return {
    modes: options.modes ?? ['aead_aes256_gcm_rtpsize', 'aead_xchacha20_poly1305_rtpsize'],
    daveHandshakeDelayMs: options.daveHandshakeDelayMs ?? 0,
    daveCommitDelayMs: 0,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 13_750,
    channelsWithoutGroup: new Set(),
    speakingGraceMs: 1_000,
    clientsConnectDelayMs: 0,
    resumeDelayMs: 0,
    replayBeforeResumed: false,
    resumeWindowMs: 5_000,
    answerIpDiscovery: true,
    isUdpSilent: false,
    discoveriesToLose: 0,
    upgradesToRefuse: 0,
    echoKeepAlives: true,
    withheldOps: new Set(),
    answerHeartbeats: true,
    closeOnIdentify: undefined,
    closeOnIdentifyTimes: Number.POSITIVE_INFINITY,
    alterDaveMessage: undefined,
    losePacket: undefined,
  };
}

/** WebSockets over TLS on a free port. */
async function listenForClients(
  { host, key, cert, settings }: { host: string; key: string; cert: string; settings: VoiceServerSettings },
  serve: (socket: WebSocket) => void,
): Promise<{ endpoint: string; close(): Promise<unknown> }> {
  const https = createServer({ key, cert });
  const sockets = new WebSocketServer({ noServer: true, maxPayload: 1 << 20 });
  https.on('upgrade', (request, stream, head) => {
    // Until the upgrade is done the socket has no other error listener.
    stream.on('error', () => stream.destroy());
    if (settings.upgradesToRefuse > 0) {
      settings.upgradesToRefuse -= 1;
      stream.end('HTTP/1.1 521 \r\nConnection: close\r\n\r\n');
      return;
    }
    const version = new URL(request.url ?? '/', 'wss://localhost').searchParams.get('v');
    // https://discord.com/developers/docs/topics/voice-connections#voice-gateway-versioning: only the recommended one here.
    if (version !== '8')
      stream.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nVoice gateway version 8 is required\n');
    else sockets.handleUpgrade(request, stream, head, serve);
  });
  https.listen(0, host);
  await once(https, 'listening');
  return {
    endpoint: `${host}:${(https.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets.clients) socket.terminate();
      https.closeAllConnections();
      return new Promise((resolve) => https.close(resolve));
    },
  };
}

function viewOf(session: ClientSession): VoiceClientView {
  return {
    guildId: session.client.guildId,
    channelId: session.client.channelId,
    userId: session.userId,
    ssrc: session.ssrc,
    mode: session.mode,
    speaking: session.speaking ?? 0,
    inGroup: session.channel.inGroup(session),
    discoveries: session.discoveries,
    packets: session.packets,
    resumes: session.resumes,
  };
}

/** Compares tokens in constant time. */
function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
