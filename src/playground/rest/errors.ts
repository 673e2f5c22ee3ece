/** An answer other than success, in the API's shape: https://discord.com/developers/docs/reference#error-messages */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  readonly errors: unknown;

  constructor(status: number, code: number, message: string, errors?: unknown) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }
}

/** Codes and texts of https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
const KNOWN = {
  notFound: [404, 0, '404: Not Found'],
  unauthorized: [401, 0, '401: Unauthorized'],
  methodNotAllowed: [405, 0, '405: Method Not Allowed'],
  unknownChannel: [404, 10003, 'Unknown Channel'],
  unknownGuild: [404, 10004, 'Unknown Guild'],
  unknownMember: [404, 10007, 'Unknown Member'],
  unknownMessage: [404, 10008, 'Unknown Message'],
  unknownUser: [404, 10013, 'Unknown User'],
  unknownWebhook: [404, 10015, 'Unknown Webhook'],
  unknownInteraction: [404, 10062, 'Unknown interaction'],
  unknownVoiceState: [404, 10065, 'Unknown Voice State'],
  notYourApplication: [403, 20012, 'You are not authorized to perform this action on this application'],
  tooManyCommands: [400, 30032, 'Maximum number of application commands reached (100)'],
  tooManyCommandCreates: [429, 30034, 'Max number of daily application command creates has been reached (200)'],
  requestTooLarge: [413, 40005, 'Request entity too large'],
  alreadyAcknowledged: [400, 40060, 'Interaction has already been acknowledged.'],
  tooManyFollowUps: [400, 40094, 'This interaction has hit the maximum number of follow up messages'],
  blockedClient: [403, 40333, 'internal network error'],
  missingAccess: [403, 50001, 'Missing Access'],
  notYourMessage: [403, 50005, 'Cannot edit a message authored by another user'],
  emptyMessage: [400, 50006, 'Cannot send an empty message'],
  cannotSendToUser: [403, 50007, 'Cannot send messages to this user'],
  notATextChannel: [400, 50008, 'Cannot send messages in a non-text channel'],
  missingPermissions: [403, 50013, 'Missing Permissions'],
  wrongChannelType: [400, 50024, 'Cannot execute action on this channel type'],
  invalidWebhookToken: [401, 50027, 'Invalid Webhook Token'],
  invalidFormBody: [400, 50035, 'Invalid Form Body'],
  threadArchived: [403, 50083, 'Thread is archived'],
  invalidApiVersion: [400, 50041, 'Invalid API version'],
  invalidJson: [400, 50109, 'The request body contains invalid JSON.'],
  voiceMessageContent: [400, 50159, 'Voice messages do not support additional content.'],
  voiceMessageAttachment: [400, 50160, 'Voice messages must have a single audio attachment.'],
  voiceMessageMetadata: [400, 50161, 'Voice messages must have supporting metadata.'],
  voiceMessageEdit: [400, 50162, 'Voice messages cannot be edited.'],
  voiceMessageForbidden: [403, 50173, 'You cannot send voice messages in this channel.'],
  /** Said of more words than a Components V2 message holds: https://github.com/discord/discord-api-docs/issues/8554 */
  serverError: [500, 0, '500: Internal Server Error'],
  noMutualGuilds: [403, 50278, 'Cannot send messages to this user due to having no mutual guilds'],
} as const satisfies Record<string, readonly [number, number, string]>;

export function apiError(name: keyof typeof KNOWN, errors?: unknown): ApiError {
  const [status, code, message] = KNOWN[name];
  return new ApiError(status, code, message, errors);
}
