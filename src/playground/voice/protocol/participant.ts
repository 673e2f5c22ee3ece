/** A member of a channel, over a socket or in this process: the channel treats both alike. */
export interface Participant {
  readonly userId: string;
  /** Sends a JSON message, numbered. */
  send(op: number, data: unknown): void;
  /** Sends a binary message, numbered. */
  sendBinary(op: number, payload: Uint8Array): void;
}
