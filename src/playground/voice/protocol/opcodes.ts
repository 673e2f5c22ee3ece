// https://discord.com/developers/docs/topics/opcodes-and-status-codes#voice

/** Voice gateway opcodes, version 8. */
export const Op = {
  identify: 0,
  selectProtocol: 1,
  ready: 2,
  heartbeat: 3,
  sessionDescription: 4,
  speaking: 5,
  heartbeatAck: 6,
  resume: 7,
  hello: 8,
  resumed: 9,
  clientsConnect: 11,
  clientDisconnect: 13,
  davePrepareTransition: 21,
  daveExecuteTransition: 22,
  daveTransitionReady: 23,
  davePrepareEpoch: 24,
  daveExternalSender: 25,
  daveKeyPackage: 26,
  daveProposals: 27,
  daveCommitWelcome: 28,
  daveAnnounceCommit: 29,
  daveWelcome: 30,
  daveInvalidCommitWelcome: 31,
} as const;

/** Voice close event codes. */
export const Close = {
  unknownOpcode: 4001,
  decodeFailed: 4002,
  notAuthenticated: 4003,
  authenticationFailed: 4004,
  alreadyAuthenticated: 4005,
  sessionInvalid: 4006,
  sessionTimeout: 4009,
  serverNotFound: 4011,
  unknownProtocol: 4012,
  disconnected: 4014,
  serverCrashed: 4015,
  unknownEncryptionMode: 4016,
  daveRequired: 4017,
  badRequest: 4020,
  rateLimited: 4021,
  callTerminated: 4022,
} as const;

/** The only DAVE version there is. */
export const DAVE_VERSION = 1;

/** A client's fault: the gateway closes its socket with this code. */
export class ClientFault extends Error {
  readonly closeCode: number;
  constructor(closeCode: number, message: string) {
    super(message);
    this.name = 'ClientFault';
    this.closeCode = closeCode;
  }
}
