/** An error response in the format of Discord's API: https://discord.com/developers/docs/reference#error-messages */
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

/** Discord's error codes and texts: https://discord.com/developers/docs/topics/opcodes-and-status-codes#json */
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
  /** Discord's error for too much text in a message's components: https://github.com/discord/discord-api-docs/issues/8554 */
  serverError: [500, 0, '500: Internal Server Error'],
  noMutualGuilds: [403, 50278, 'Cannot send messages to this user due to having no mutual guilds'],
} as const satisfies Record<string, readonly [number, number, string]>;

export function apiError(name: keyof typeof KNOWN, errors?: unknown): ApiError {
  const [status, code, message] = KNOWN[name];
  return new ApiError(status, code, message, errors);
}

export type Path = readonly (string | number)[];
export type Json = Record<string, unknown>;

interface ProblemTree {
  [key: string]: ProblemTree | { code: string; message: string }[];
}

/** Adds an error at `path`. Without `message`, the error's text is `code`, where Discord would send a sentence. */
function addProblem(problems: ProblemTree, path: Path, code: string, message = code): void {
  let node = problems;
  for (const step of path) {
    node[step] ??= {};
    node = node[step] as ProblemTree;
  }
  const list = (node._errors ?? []) as { code: string; message: string }[];
  list.push({ code, message });
  node._errors = list;
}

/** Reads an object of a request. One response names every wrong field (Discord's code 50035). */
export function readForm<T>(value: unknown, path: Path, read: (fields: Fields) => T): T {
  const problems: ProblemTree = {};
  const result = read(new Fields(problems, value, path));
  if (Object.keys(problems).length > 0) throw apiError('invalidFormBody', problems);
  return result;
}

export function refuseForm(path: Path, code: string, message?: string): never {
  const problems: ProblemTree = {};
  addProblem(problems, path, code, message);
  throw apiError('invalidFormBody', problems);
}

export const isSnowflake = (value: unknown): boolean => /^\d{1,20}$/.test(String(value));
export const notASnowflake = (value: unknown) =>
  ['NUMBER_TYPE_COERCE', `Value "${String(value)}" is not snowflake.`] as const;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

interface Rule {
  readonly min?: number;
  readonly max: number;
  readonly required?: boolean;
}

/** A wrong field is recorded as an error, and an unusable value becomes undefined. */
export class Fields {
  readonly json: Json;
  readonly path: Path;
  readonly #problems: ProblemTree;
  readonly #isObject: boolean;

  constructor(problems: ProblemTree, value: unknown, path: Path) {
    this.#problems = problems;
    this.#isObject = isObject(value);
    this.json = isObject(value) ? value : {};
    this.path = path;
    if (!this.#isObject) this.fail(undefined, 'MODEL_TYPE_CONVERT');
  }

  /** Records an error at `key`, a field or a path below the object. Without `key`, the whole object is wrong. */
  fail(key: string | Path | undefined, code: string, message?: string): void {
    addProblem(this.#problems, [...this.path, ...(key === undefined ? [] : [key].flat())], code, message);
  }

  text(key: string, { min = 0, max, required = false }: Rule): string | undefined {
    const found = this.#present(key, required);
    if (found === undefined) return undefined;
    if (typeof found !== 'string') {
      this.fail(key, 'STRING_TYPE_CONVERT');
      return undefined;
    }
    // Discord counts the Unicode characters of a text, not its UTF-16 units.
    const length = [...found].length;
    if (required && length === 0 && min > 0) this.fail(key, 'BASE_TYPE_REQUIRED');
    else this.#checkLength(key, length, min, max);
    return found;
  }

  integer(key: string, rule: Rule): number | undefined {
    return this.#numeric(key, rule, 'int');
  }

  number(key: string, rule: Rule): number | undefined {
    return this.#numeric(key, rule, 'float');
  }

  flag(key: string): boolean | undefined {
    const found = this.#present(key, false);
    if (found === undefined || typeof found === 'boolean') return found;
    this.fail(key, 'BOOLEAN_TYPE_CONVERT');
    return undefined;
  }

  oneOf<T extends number>(key: string, allowed: readonly T[], required = false): T | undefined {
    const found = this.#present(key, required);
    if (found === undefined) return undefined;
    const match = allowed.find((candidate) => candidate === found);
    if (match === undefined) this.fail(key, 'BASE_TYPE_CHOICES', `Value must be one of {${allowed.join(', ')}}.`);
    return match;
  }

  list(key: string, { min = 0, max, required = false }: Rule): unknown[] | undefined {
    const found = this.#present(key, required);
    if (found === undefined) return undefined;
    if (!Array.isArray(found)) {
      this.fail(key, 'LIST_TYPE_CONVERT');
      return undefined;
    }
    this.#checkLength(key, found.length, min, max);
    return found;
  }

  object(key: string): Fields {
    return new Fields(this.#problems, this.json[key], [...this.path, key]);
  }

  objects(key: string, rule: Rule): Fields[] {
    const found = this.list(key, rule) ?? [];
    return found.map((entry, index) => new Fields(this.#problems, entry, [...this.path, key, index]));
  }

  /** Reads a list. An entry that repeats an earlier entry is recorded as an error. */
  set(key: string, rule: Rule): unknown[] | undefined {
    const found = this.list(key, rule);
    for (const [index, entry] of found?.entries() ?? [])
      if (found?.indexOf(entry) !== index) this.fail([key, index], 'SET_TYPE_ALREADY_CONTAINS_VALUE');
    return found;
  }

  snowflake(key: string, required = false): void {
    const found = this.#present(key, required);
    if (found !== undefined && !isSnowflake(found)) this.fail(key, ...notASnowflake(found));
  }

  #present(key: string, required: boolean): unknown {
    const found = this.json[key];
    if (found !== undefined && found !== null) return found;
    if (required && this.#isObject) this.fail(key, 'BASE_TYPE_REQUIRED');
    return undefined;
  }

  #checkLength(key: string, length: number, min: number, max: number): void {
    if (length >= min && length <= max) return;
    if (min > 0) this.fail(key, 'BASE_TYPE_BAD_LENGTH', `Must be between ${min} and ${max} in length.`);
    else this.fail(key, 'BASE_TYPE_MAX_LENGTH', `Must be ${max} or fewer in length.`);
  }

  #numeric(
    key: string,
    { min = Number.NEGATIVE_INFINITY, max, required = false }: Rule,
    kind: 'int' | 'float',
  ): number | undefined {
    const found = this.#present(key, required);
    if (found === undefined) return undefined;
    if (typeof found !== 'number' || (kind === 'int' && !Number.isInteger(found))) {
      this.fail(key, 'NUMBER_TYPE_COERCE', `Value "${String(found)}" is not ${kind}.`);
      return undefined;
    }
    if (found < min) this.fail(key, 'NUMBER_TYPE_MIN', `${kind} value should be greater than or equal to ${min}.`);
    if (found > max) this.fail(key, 'NUMBER_TYPE_MAX', `${kind} value should be less than or equal to ${max}.`);
    return found;
  }
}
