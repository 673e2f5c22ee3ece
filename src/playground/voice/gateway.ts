import { randomBytes } from 'node:crypto';
import type { RawData, WebSocket } from 'ws';
import type { VoiceGroupChannel } from './channel.ts';
import {
  ClientFault,
  Close,
  type EncryptionMode,
  type ExpectedClient,
  heartbeatSchema,
  identifySchema,
  Op,
  parse,
  parseEnvelope,
  resumeSchema,
  selectProtocolSchema,
  speakingSchema,
  transitionSchema,
  type VoiceServerSettings,
} from './protocol.ts';
import { CounterCheck } from './rtp.ts';

/** Number of messages kept for a client that resumes: https://discord.com/developers/docs/topics/voice-connections#buffered-resume */
const BUFFERED_MESSAGES = 1_024;

export type ClientSession = ReturnType<typeof createClientSession>;

/** A voice client that has logged in (identify). Its session outlives its socket, so that the client can resume. */
export function createClientSession(
  { client, token }: { readonly client: ExpectedClient; readonly token: string },
  channel: VoiceGroupChannel,
  ssrc: number,
  settings: VoiceServerSettings,
) {
  const buffered: { number: number; data: string | Buffer }[] = [];
  let sent = 0;
  let forgotten = 0;

  function sendText(op: number, d: unknown): void {
    sent += 1;
    push(JSON.stringify({ op, d, seq: sent & 0xffff }));
  }

  function push(data: string | Buffer): void {
    buffered.push({ number: sent, data });
    if (buffered.length > BUFFERED_MESSAGES) forgetOldest();
    if (session.socket?.readyState === 1) session.socket.send(data);
  }

  function forgetOldest(): void {
    forgotten = buffered.shift()?.number ?? forgotten;
  }

  /** Clients send the lowest 16 bits of a message's number; -1 means that the client received no message. */
  const unwrap = (sequence: number): number => (sequence < 0 ? 0 : sent - ((sent - sequence) & 0xffff));

  const session = {
    client,
    token,
    channel,
    ssrc,
    userId: client.userId,
    secretKey: randomBytes(32),
    counters: new CounterCheck(),
    socket: undefined as WebSocket | undefined,
    mode: undefined as EncryptionMode | undefined,
    speaking: undefined as number | undefined,
    address: undefined as { readonly port: number; readonly address: string } | undefined,
    resumes: 0,
    /** When the client first sent audio without announcing it by op 5 (speaking), by `performance.now()`. */
    unannouncedSinceMs: undefined as number | undefined,
    expiry: undefined as NodeJS.Timeout | undefined,
    send(op: number, d: unknown): void {
      const { clientsConnectDelayMs } = settings;
      if (op === Op.clientsConnect && clientsConnectDelayMs > 0)
        setTimeout(() => sendText(op, d), clientsConnectDelayMs).unref();
      else sendText(op, d);
    },
    sendBinary(op: number, payload: Uint8Array): void {
      sent += 1;
      const header = Buffer.alloc(3);
      header.writeUInt16BE(sent & 0xffff);
      header.writeUInt8(op, 2);
      push(Buffer.concat([header, payload]));
    },
    acknowledge(sequence: number): void {
      const number = unwrap(sequence);
      for (let [oldest] = buffered; oldest !== undefined && oldest.number <= number; [oldest] = buffered)
        forgetOldest();
    },
    checkReplay(sequence: number): void {
      const number = unwrap(sequence);
      if (number < forgotten || number > sent)
        throw new ClientFault(Close.sessionInvalid, 'Missed messages are not kept any more');
    },
    /** Sends the voice gateway's messages after `sequence` again. Throws if they are no longer kept. */
    replay(sequence: number): void {
      session.checkReplay(sequence);
      const number = unwrap(sequence);
      for (const message of buffered) if (message.number > number) session.socket?.send(message.data);
    },
  };
  return session;
}

/** The voice gateway closes a connection after this many heartbeat intervals without a heartbeat. */
const HEARTBEAT_TOLERANCE = 2;

type Identify = ReturnType<typeof identifySchema.parse>;
type Resume = ReturnType<typeof resumeSchema.parse>;

export interface GatewayHost {
  readonly settings: VoiceServerSettings;
  readonly udpPort: number;
  readonly host: string;
  identify(socket: WebSocket, identify: Identify): ClientSession;
  resume(socket: WebSocket, resume: Resume): ClientSession;
  disconnected(session: ClientSession, socket: WebSocket, isFinal: boolean): void;
  fault(closeCode: number, reason: string): void;
}

export function serveConnection(socket: WebSocket, host: GatewayHost): void {
  let session: ClientSession | undefined;
  let resuming: NodeJS.Timeout | undefined;
  const intervalMs = host.settings.heartbeatIntervalMs;
  const timeout = setTimeout(
    () => socket.close(Close.sessionTimeout, 'Session timeout'),
    intervalMs * HEARTBEAT_TOLERANCE,
  );
  const reply = (op: number, d: unknown) => {
    if (!host.settings.withheldOps.has(op)) socket.send(JSON.stringify({ op, d }));
  };

  function onText(text: string): void {
    const { op, d } = parseEnvelope(text);
    if (op === Op.identify || op === Op.resume) {
      authenticate(op, d);
      return;
    }
    const handle = HANDLERS[op];
    if (handle === undefined) throw new ClientFault(Close.unknownOpcode, `Unknown opcode ${op}`);
    if (session === undefined) throw new ClientFault(Close.notAuthenticated, 'Not authenticated');
    if (op === Op.heartbeat) timeout.refresh();
    handle({ session, host, reply }, d);
  }

  function authenticate(op: number, d: unknown): void {
    if (session !== undefined) throw new ClientFault(Close.alreadyAuthenticated, 'Already authenticated');
    if (op === Op.resume) {
      const resume = parse(resumeSchema, d, Close.decodeFailed);
      const { resumeDelayMs } = host.settings;
      if (resumeDelayMs === 0) resumeSession(resume);
      else resuming = setTimeout(() => closeOnFault(() => resumeSession(resume)), resumeDelayMs);
      return;
    }
    if (host.settings.closeOnIdentify !== undefined && host.settings.closeOnIdentifyTimes > 0) {
      host.settings.closeOnIdentifyTimes -= 1;
      throw new ClientFault(host.settings.closeOnIdentify, 'As the settings say');
    }
    session = host.identify(socket, parse(identifySchema, d, Close.decodeFailed));
    const { ssrc, channel } = session;
    reply(Op.ready, { ssrc, ip: host.host, port: host.udpPort, modes: host.settings.modes, experiments: [] });
    channel.connect(session);
  }

  function resumeSession(resume: Resume): void {
    const resumed = host.resume(socket, resume);
    session = resumed;
    if (host.settings.replayBeforeResumed) resumed.replay(resume.seq_ack);
    reply(Op.resumed, null);
    if (!host.settings.replayBeforeResumed) resumed.replay(resume.seq_ack);
  }

  function closeOnFault(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      if (!(error instanceof ClientFault)) throw error;
      host.fault(error.closeCode, error.message);
      socket.close(error.closeCode, error.message.slice(0, 120));
    }
  }

  function onBinary(bytes: Buffer): void {
    if (bytes.length === 0) throw new ClientFault(Close.decodeFailed, 'Empty');
    const op = bytes.readUInt8(0);
    if (op !== Op.daveKeyPackage && op !== Op.daveCommitWelcome)
      throw new ClientFault(Close.unknownOpcode, `Unknown binary opcode ${op}`);
    if (session === undefined) throw new ClientFault(Close.notAuthenticated, 'Not authenticated');
    session.channel.receiveBinary(session, op, bytes.subarray(1));
  }

  socket.on('message', (data: RawData, isBinary: boolean) => {
    const bytes = Buffer.isBuffer(data) ? data : Buffer.concat(Array.isArray(data) ? data : [Buffer.from(data)]);
    closeOnFault(() => (isBinary ? onBinary(bytes) : onText(bytes.toString('utf8'))));
  });
  socket.on('close', (code) => {
    clearTimeout(timeout);
    clearTimeout(resuming);
    // After the close codes 1005 and 1006 (broken connection) and 4015 (server crashed), the client may resume.
    if (session) host.disconnected(session, socket, code !== 1005 && code !== 1006 && code !== Close.serverCrashed);
  });
  // After an error of a voice socket, the event `close` follows, and its handler cleans up.
  socket.on('error', () => socket.terminate());
  reply(Op.hello, { v: 8, heartbeat_interval: intervalMs });
}

interface Context {
  session: ClientSession;
  host: GatewayHost;
  /** Answers have no sequence number, because the voice gateway does not repeat answers after a resume. */
  reply(op: number, d: unknown): void;
}

const HANDLERS: Record<number, (context: Context, d: unknown) => void> = {
  [Op.selectProtocol]({ session, host, reply }, d) {
    const { protocol, data } = parse(selectProtocolSchema, d);
    if (protocol !== 'udp') throw new ClientFault(Close.unknownProtocol, 'Unknown protocol');
    const mode = host.settings.modes.find((known): known is EncryptionMode => known === data.mode);
    if (mode === undefined) throw new ClientFault(Close.unknownEncryptionMode, 'Unknown encryption mode');
    const begun = session.mode !== undefined;
    session.mode = mode;
    const { protocolVersion } = session.channel;
    reply(Op.sessionDescription, { mode, secret_key: [...session.secretKey], dave_protocol_version: protocolVersion });
    if (begun) return;
    const { channelsWithoutGroup, daveHandshakeDelayMs } = host.settings;
    const isWithheld = channelsWithoutGroup.has(session.channel.channelId);
    session.channel.beginDave(session, isWithheld ? Number.POSITIVE_INFINITY : daveHandshakeDelayMs);
  },
  [Op.heartbeat]({ session, host, reply }, d) {
    const { t, seq_ack } = parse(heartbeatSchema, d);
    session.acknowledge(seq_ack);
    if (host.settings.answerHeartbeats) reply(Op.heartbeatAck, { t });
  },
  [Op.speaking]({ session }, d) {
    const speaking = parse(speakingSchema, d);
    if (speaking.ssrc !== session.ssrc) throw new ClientFault(Close.badRequest, 'Invalid SSRC');
    session.speaking = speaking.speaking;
    session.channel.receive(session, Op.speaking, speaking);
  },
  [Op.daveTransitionReady]({ session }, d) {
    session.channel.receive(session, Op.daveTransitionReady, parse(transitionSchema, d));
  },
  [Op.daveInvalidCommitWelcome]({ session }, d) {
    session.channel.receive(session, Op.daveInvalidCommitWelcome, parse(transitionSchema, d));
  },
};
