import Davey from '@snazzah/davey';
import { createDeliveryService, type DeliveryService } from '../../../../src/playground/voice/dave/delivery-service.ts';
import { Op, type Participant } from '../../../../src/playground/voice/protocol.ts';

const CHANNEL = '200000000000000001';

/** A delivery service with clients; their messages are delivered one at a time, so that a test decides the order. */
export interface Group {
  service: DeliveryService;
  /** Why commits were not broadcast. */
  refused: string[];
  /** Messages from the service, changed on the way. */
  alter: (userId: string, op: number, payload: Buffer) => Buffer;
  /** Delivers messages until there are none. */
  settle(): void;
  join(userId: string): GroupClient;
}

export interface GroupClient extends Participant {
  session: InstanceType<typeof Davey.DAVESession>;
  /** Not yet processed. */
  inbox: { op: number; payload?: Buffer; d?: unknown }[];
  /** Opcodes of everything received so far. */
  received: number[];
  /** Changes what this client sends as op 28. */
  alterCommit: (payload: Buffer) => Buffer;
  /** Processes the next message. */
  step(): void;
  leave(): void;
}

export function createGroup(): Group {
  const clients = new Set<GroupClient>();
  const known: string[] = [];
  const group: Group = {
    refused: [],
    alter: (_userId, _op, payload) => payload,
    service: createDeliveryService({
      channelId: CHANNEL,
      onChange: () => {},
      alter: (userId, op, payload) => group.alter(userId, op, payload),
    }),
    settle() {
      for (let round = 0; round < 1_000; round += 1) {
        const busy = [...clients].filter((client) => client.inbox.length > 0);
        if (busy.length === 0) return;
        for (const client of busy) client.step();
      }
      throw new Error('The group does not settle');
    },
    join(userId) {
      const client = createClient(group, clients, known, userId);
      known.push(userId);
      clients.add(client);
      group.service.join(client);
      group.service.keyPackage(client, client.session.getSerializedKeyPackage());
      return client;
    },
  };
  return group;
}

function createClient(group: Group, clients: Set<GroupClient>, known: string[], userId: string): GroupClient {
  const session = new Davey.DAVESession(1, userId, CHANNEL);
  const { service } = group;
  const startOver = () => {
    session.reinit(1, userId, CHANNEL);
    service.keyPackage(client, session.getSerializedKeyPackage());
  };
  function transition(payload: Buffer, process: () => void): void {
    const id = payload.readUInt16BE(0);
    try {
      process();
    } catch {
      service.invalidCommitWelcome(client);
      startOver();
      return;
    }
    if (id !== 0) service.transitionReady(client, id);
  }
  const client: GroupClient = {
    userId,
    session,
    inbox: [],
    received: [],
    alterCommit: (payload) => payload,
    send: (op, d) => client.inbox.push({ op, d }),
    sendBinary: (op, payload) => client.inbox.push({ op, payload: Buffer.from(payload) }),
    step() {
      const message = client.inbox.shift();
      if (message === undefined) return;
      const { op, payload = Buffer.alloc(0) } = message;
      client.received.push(op);
      if (op === Op.daveExternalSender) session.setExternalSender(payload);
      if (op === Op.davePrepareEpoch) startOver();
      if (op === Op.daveAnnounceCommit) transition(payload, () => session.processCommit(payload.subarray(2)));
      if (op === Op.daveWelcome) transition(payload, () => session.processWelcome(payload.subarray(2)));
      if (op !== Op.daveProposals) return;
      try {
        const { commit, welcome } = session.processProposals(payload.readUInt8(0), payload.subarray(1), known);
        if (!commit) return;
        const sent = client.alterCommit(Buffer.concat([commit, welcome ?? Buffer.alloc(0)]));
        group.refused.push(...[service.commitWelcome(client, sent) ?? []].flat());
      } catch (error) {
        // A member that has started over is still sent proposals for the group it lost.
        if (!String(error).includes('WrongEpoch')) throw error;
      }
    },
    leave() {
      clients.delete(client);
      service.leave(client);
    },
  };
  return client;
}
