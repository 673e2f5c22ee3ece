import type { GatewayMessage } from './dave-messages.ts';

/** https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice-voice-opcodes */
const Op = { ready: 2, clientDisconnect: 13 } as const;

/** A call as the voice gateway's own messages tell it, for when the library's fields about it are not the known ones. */
export interface AnnouncedCall {
  /** Of the end-to-end encryption; 0: none, as on stages. Undefined until it is announced. */
  readonly protocolVersion: number | undefined;
  readonly memberIds: ReadonlySet<string>;
  heard(message: GatewayMessage): void;
}

export function createAnnouncedCall(): AnnouncedCall {
  const memberIds = new Set<string>();
  let protocolVersion: number | undefined;
  return {
    get protocolVersion() {
      return protocolVersion;
    },
    memberIds,
    heard({ op, d }) {
      if (op === Op.ready) memberIds.clear();
      // Session description (op 4), prepared transition (21) or epoch (24).
      protocolVersion = d?.dave_protocol_version ?? d?.protocol_version ?? protocolVersion;
      for (const id of d?.user_ids ?? []) memberIds.add(id);
      if (op === Op.clientDisconnect && d?.user_id !== undefined) memberIds.delete(d.user_id);
    },
  };
}
