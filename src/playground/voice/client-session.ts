import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { VoiceGroupChannel } from './channel.ts';
import { type CounterCheck, createCounterCheck } from './counters.ts';
import { ClientFault, Close, Op } from './protocol/opcodes.ts';
import type { EncryptionMode, ExpectedClient, Participant, VoiceServerSettings } from './protocol/types.ts';

/** Messages kept for a resume: https://discord.com/developers/docs/topics/voice-connections#buffered-resume. */
const BUFFERED_MESSAGES = 1_024;

/** A client from its identify on; it outlives its socket, so that the client can resume. */
export interface ClientSession extends Participant {
  readonly client: ExpectedClient;
  readonly token: string;
  readonly channel: VoiceGroupChannel;
  readonly ssrc: number;
  readonly secretKey: Buffer;
  socket: WebSocket | undefined;
  mode: EncryptionMode | undefined;
  /** Op 5 as last sent; undefined before the first. */
  speaking: number | undefined;
  discoveries: number;
  /** Where it asked for its address from. */
  address: { readonly port: number; readonly address: string } | undefined;
  packets: number;
  readonly counters: CounterCheck;
  resumes: number;
  /** `performance.now()` of the first audio packet that no op 5 preceded. */
  unannouncedSinceMs: number | undefined;
  /** Ends the session when the client does not come back. */
  expiry: NodeJS.Timeout | undefined;
  /** Drops the messages that the client has acknowledged. */
  acknowledge(sequence: number): void;
  /** Resends the messages after `sequence`; throws when they are not kept any more. */
  replay(sequence: number): void;
  /** Throws as `replay` would. */
  checkReplay(sequence: number): void;
}

export function createClientSession(
  { client, token }: Pick<ClientSession, 'client' | 'token'>,
  channel: VoiceGroupChannel,
  ssrc: number,
  settings: Pick<VoiceServerSettings, 'clientsConnectDelayMs'>,
): ClientSession {
  const buffered: { number: number; data: string | Buffer }[] = [];
  let sent = 0;
  let forgotten = 0;

  function push(data: string | Buffer): void {
    buffered.push({ number: sent, data });
    if (buffered.length > BUFFERED_MESSAGES) forgotten = buffered.shift()?.number ?? forgotten;
    if (session.socket?.readyState === 1) session.socket.send(data);
  }

  function sendText(op: number, d: unknown): void {
    sent += 1;
    push(JSON.stringify({ op, d, seq: sent & 0xffff }));
  }

  /** Sequence numbers are 16 bits wide and wrap; -1 is 'none received'. */
  const unwrap = (sequence: number) => (sequence < 0 ? 0 : sent - ((sent - sequence) & 0xffff));

  const session: ClientSession = {
    client,
    token,
    channel,
    ssrc,
    secretKey: randomBytes(32),
    userId: client.userId,
    socket: undefined,
    mode: undefined,
    speaking: undefined,
    discoveries: 0,
    address: undefined,
    packets: 0,
    counters: createCounterCheck(),
    resumes: 0,
    unannouncedSinceMs: undefined,
    expiry: undefined,
    send(op, d) {
      const { clientsConnectDelayMs } = settings;
      if (op === Op.clientsConnect && clientsConnectDelayMs > 0)
        setTimeout(sendText, clientsConnectDelayMs, op, d).unref();
      else sendText(op, d);
    },
    sendBinary(op, payload) {
      sent += 1;
      const header = Buffer.alloc(3);
      header.writeUInt16BE(sent & 0xffff);
      header.writeUInt8(op, 2);
      push(Buffer.concat([header, payload]));
    },
    acknowledge(sequence) {
      const number = unwrap(sequence);
      while (buffered[0] !== undefined && buffered[0].number <= number)
        forgotten = buffered.shift()?.number ?? forgotten;
    },
    checkReplay(sequence) {
      const number = unwrap(sequence);
      if (number < forgotten || number > sent)
        throw new ClientFault(Close.sessionInvalid, 'Missed messages are not kept any more');
    },
    replay(sequence) {
      session.checkReplay(sequence);
      const number = unwrap(sequence);
      for (const message of buffered) if (message.number > number) session.socket?.send(message.data);
    },
  };
  return session;
}
