import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIModalInteractionResponseCallbackData,
  type Client,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  HTTPError,
  type InteractionEditReplyOptions,
  type InteractionReplyOptions,
  InteractionWebhook,
  type MessageEditOptions,
  MessageFlags,
  RateLimitError,
  RESTJSONErrorCodes,
  type RepliableInteraction,
} from 'discord.js';
import type { Logger } from 'pino';

/** The interaction cannot be answered any more, so its work is not done: the requester would not learn the outcome. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

/**
 * The audience of a reply: everyone, the requester alone, or, if it changes the message that holds the button or
 * select, everyone who sees that message.
 */
export type Visibility = 'everyone' | 'caller' | 'message';

export interface AnswerContent {
  readonly form: 'words' | 'panel' | 'voice-message';
  /** The text of a reply in words. */
  readonly content: string;
  /** Buttons and selects, or a whole panel, in Discord's format. */
  readonly components: NonNullable<InteractionReplyOptions['components']>;
  readonly files: NonNullable<InteractionReplyOptions['files']>;
}

/** The used part of discord.js's interaction. */
export type AnsweredInteraction = Pick<
  RepliableInteraction,
  'id' | 'deferred' | 'ephemeral' | 'reply' | 'deferReply' | 'editReply' | 'deleteReply' | 'followUp'
> & {
  readonly update?: (message: InteractionEditReplyOptions) => Promise<unknown>;
  readonly deferUpdate?: () => Promise<unknown>;
  readonly showModal?: (modal: APIModalInteractionResponseCallbackData) => Promise<unknown>;
};

interface AnswerOptions {
  /** Whether the first call of this interaction was sent more than once (see callback-attempts.ts). */
  readonly repeated: (interactionId: string) => boolean;
  readonly log: Logger;
  /** It was deferred already, publicly, by another process, with this message if known. */
  readonly earlier?: { readonly posted: EditableMessage | undefined };
}

interface EditableMessage {
  edit(message: MessageEditOptions): Promise<unknown>;
}

/** 'removed': the placeholder is deleted, and the reply is a message of its own. */
type State = { kind: 'open' } | { kind: 'deferred'; as: Visibility } | { kind: 'removed' } | { kind: 'over' };

/** The 15 minutes in which an interaction can be answered are over. */
const EXPIRED: readonly (string | number)[] = [
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
];
/** The interaction expired, its message or channel was deleted, its thread locked, or discord.js does not cache the channel. */
const GONE: readonly (string | number)[] = [
  ...EXPIRED,
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownChannel,
  // Locked by a moderator: https://github.com/discord/discord-api-docs/issues/6884
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  // Direct messages and private threads cause these.
  DiscordjsErrorCodes.ChannelNotCached,
];

const isApiError = (error: unknown): error is DiscordAPIError => error instanceof DiscordAPIError;
/** Repeats a request whose connection was lost: only for requests that are idempotent. */
async function onceMore(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    // Discord's own refusals, and 5xx answers that the REST client has already retried, are final.
    if (isApiError(error) || error instanceof HTTPError || isOverByThen(error)) throw error;
    await send();
  }
}

/** A rate limit lasts for longer than an answer is taken: see rate-limits.ts. */
const isOverByThen = (error: unknown) => error instanceof RateLimitError;
/** A minute in all: the REST client has repeated the request at once before. */
const OUTAGE_PAUSES_MS = [1_000, 4_000, 15_000, 40_000];

/** The same through an outage of Discord's REST: the last word of a text says what it cost. */
async function throughOutage(send: () => Promise<unknown>, log: Logger): Promise<void> {
  for (const pauseMs of OUTAGE_PAUSES_MS) {
    try {
      return await onceMore(send);
    } catch (error) {
      // 500 is also said of a reply that it will never take: https://github.com/discord/discord-api-docs/issues/7448
      if (!(error instanceof HTTPError) || error.status === 500) throw error;
      log.info({ err: error, pauseMs }, 'Discord rejected the reply: retrying');
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
  await onceMore(send);
}

const isExpired = (error: unknown) => isOverByThen(error) || (isApiError(error) && EXPIRED.includes(error.code));
const isGone = (error: unknown) =>
  isOverByThen(error) || ((isApiError(error) || error instanceof DiscordjsError) && GONE.includes(error.code));

/** Whether the reply cannot replace the placeholder: an ephemeral reply to a public deferral, or a voice message. */
const goesAlone = ({ form }: AnswerContent, visibility: Visibility, as: Visibility) =>
  as !== 'message' && (form === 'voice-message' || (visibility === 'caller' && as === 'everyone'));

/** The fields that both a reply and an edit take. They replace all that the message showed before. */
function body({ form, content, components, files: all }: AnswerContent, edited: boolean) {
  const files = all.length > 0 ? all : undefined;
  switch (form) {
    case 'panel':
      return { components, files, flags: [MessageFlags.IsComponentsV2] as const };
    case 'voice-message':
      return { files, flags: [MessageFlags.IsVoiceMessage] as const };
    case 'words':
      return {
        content,
        flags: [MessageFlags.SuppressEmbeds] as const,
        components: edited || components.length > 0 ? components : undefined,
        files,
        attachments: edited && !files ? [] : undefined,
      };
  }
}

/** The one answer to one interaction, however many calls to Discord it takes. */
export function createAnswer(interaction: AnsweredInteraction, { repeated, log, earlier }: AnswerOptions) {
  let state: State = earlier ? { kind: 'deferred', as: 'everyone' } : { kind: 'open' };
  /** The reply as every member of its channel sees it. */
  let postedMessage = earlier?.posted;
  const pacer = createEditPacer<AnswerContent>(
    async (message) => void (await attempt('show progress', () => edit(message))),
    // The work continues and its end is reported: one progress update may be lost.
    (error) => log.warn({ err: error }, 'Progress could not be shown'),
  );

  /**
   * A queued item may outlive its interaction. The bot can still edit its own message, unless it is visible to the
   * requester only.
   */
  async function edit(message: AnswerContent): Promise<void> {
    const changed = body(message, true) as InteractionEditReplyOptions & MessageEditOptions;
    try {
      const shown = await interaction.editReply(changed);
      postedMessage = interaction.ephemeral ? undefined : shown;
    } catch (error) {
      if (!postedMessage || !isExpired(error)) throw error;
      await postedMessage.edit(changed);
    }
  }

  /** Sends the first answer. A retry that is refused because the first attempt counted is a success. */
  async function first(send: () => Promise<unknown>): Promise<void> {
    let attempts = 0;
    try {
      await onceMore(() => {
        attempts += 1;
        return send();
      });
    } catch (error) {
      if (isApiError(error) && error.code === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) {
        if (attempts > 1 || repeated(interaction.id)) return;
        throw new AnswerLostError('Another process answered: is the bot running twice with this token?', {
          cause: error,
        });
      }
      if (isGone(error)) {
        throw new AnswerLostError('Discord takes no answer: it came too late, or its place is gone or locked', {
          cause: error,
        });
      }
      throw error;
    }
  }

  /** Whether Discord accepted it; an expired interaction is no error. */
  async function attempt(what: string, send: () => Promise<unknown>): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      if (!isGone(error)) throw error;
      log.info({ err: error }, `Could not ${what}: the interaction is over`);
      return false;
    }
  }

  const replyBody = (message: AnswerContent, ephemeral: boolean): InteractionReplyOptions => {
    const { flags, ...rest } = body(message, false);
    return { ...rest, flags: ephemeral ? [MessageFlags.Ephemeral, ...flags] : [...flags] } as InteractionReplyOptions;
  };
  const editBody = (message: AnswerContent) => body(message, true) as InteractionEditReplyOptions;
  const followUp = (message: AnswerContent, ephemeral: boolean) =>
    attempt('follow up', () => interaction.followUp(replyBody(message, ephemeral)));

  /**
   * Sends the final reply: as a reply, as an edit of the deferred message, or (for an ephemeral reply after a public
   * deferral, and for a voice message) as a follow-up after removing the placeholder. `inPublic` replaces it if only a
   * public reply is possible. An expired interaction is only logged, and resolves with false. Rejects if Discord
   * refuses the reply: another one can be sent in its place.
   */
  async function conclude(final: AnswerContent, wanted: Visibility, inPublic?: AnswerContent): Promise<boolean> {
    let [message, visibility] = [final, wanted];
    let before = state;
    state = { kind: 'over' };
    if (before.kind === 'over') throw new Error('An interaction was answered twice');
    try {
      if (before.kind === 'deferred') {
        await pacer.close();
        // Before anything else: a follow-up right after a deferral would fill the placeholder, as an edit of it.
        if (goesAlone(message, visibility, before.as)) {
          if (await removePlaceholder()) before = { kind: 'removed' };
          else if (inPublic) [message, visibility] = [inPublic, 'everyone'];
        }
      }
      return await say(message, visibility, before);
    } catch (error) {
      // Nothing was sent, so another reply may be.
      state = before;
      throw error;
    }
  }

  async function say(
    message: AnswerContent,
    visibility: Visibility,
    before: Exclude<State, { kind: 'over' }>,
  ): Promise<boolean> {
    if (before.kind === 'open') {
      const { update } = interaction;
      if (visibility === 'message' && update) await first(() => update.call(interaction, editBody(message)));
      else await first(() => interaction.reply(replyBody(message, visibility === 'caller')));
      return true;
    }
    if (before.kind === 'removed') return followUp(message, visibility === 'caller');
    if (before.as === 'message' && visibility !== 'message') return followUp(message, true);
    if (message.form === 'voice-message') throw new Error('No edit makes a voice message out of another message');
    return attempt('edit the reply', () => throughOutage(() => edit(message), log));
  }

  async function removePlaceholder(): Promise<boolean> {
    try {
      await onceMore(() => interaction.deleteReply());
      return true;
    } catch (error) {
      if (isApiError(error) && error.code === RESTJSONErrorCodes.UnknownMessage) return true;
      log.warn({ err: error }, 'Could not remove the placeholder: reusing it for the message');
      return false;
    }
  }

  return {
    /** Shows "… is thinking", or nothing yet on a message. Rejects with an AnswerLostError when it comes too late. */
    async defer(visibility: Visibility): Promise<void> {
      const { deferUpdate } = interaction;
      const isPrivate = visibility === 'caller';
      if (visibility === 'message' && deferUpdate) await first(() => deferUpdate.call(interaction));
      else await first(() => interaction.deferReply(isPrivate ? { flags: MessageFlags.Ephemeral } : {}));
      // discord.js did not learn of a success that looked like a failure.
      interaction.deferred = true;
      interaction.ephemeral = isPrivate;
      state = { kind: 'deferred', as: visibility };
    },
    /** Shows progress in the deferred message: now, or as soon as Discord's limits allow. */
    progress(message: AnswerContent): void {
      if (state.kind === 'deferred') pacer.show(message);
    },
    /** Opens a form instead of any other answer. */
    async ask(modal: APIModalInteractionResponseCallbackData): Promise<void> {
      const { showModal } = interaction;
      if (state.kind !== 'open' || !showModal) throw new Error('A form can only be the first answer');
      state = { kind: 'over' };
      await first(() => showModal.call(interaction, modal));
    },
    conclude,
    /** Sends another message to the requester alone, after the final reply. */
    async addPrivately(message: AnswerContent): Promise<void> {
      await followUp(message, true);
    },
  };
}

export type Answer = ReturnType<typeof createAnswer>;

interface EarlierReplyOptions {
  readonly client: Client<true>;
  readonly applicationId: string;
  readonly interactionId: string;
  /** Good for 15 minutes. */
  readonly token: string;
  /** The channel of the reply, for later. */
  readonly channelId: string | undefined;
  readonly messageId?: string;
  readonly log: Logger;
}

/** A public reply that an earlier process deferred, to be gone on with. */
interface EarlierReply {
  progress(content: AnswerContent): void;
  /**
   * Resolves with false if the message can no longer be changed. Rejects if Discord refuses the content. `inPublic`
   * means that the content is for the requester alone, and replaces it if everyone could read it.
   */
  conclude(content: AnswerContent, inPublic?: AnswerContent): Promise<boolean>;
}

export function openEarlierReply(options: EarlierReplyOptions): EarlierReply {
  const { client, applicationId, interactionId, token, channelId, messageId, log } = options;
  const webhook = new InteractionWebhook(client, applicationId, token);
  const answeredBefore = () => Promise.reject(new Error('An earlier process answered this'));
  const interaction = {
    id: interactionId,
    deferred: true,
    ephemeral: false,
    reply: answeredBefore,
    deferReply: answeredBefore,
    followUp: (content) => webhook.send(content as Parameters<typeof webhook.send>[0]),
    deleteReply: () => webhook.deleteMessage('@original'),
    editReply: (content) => webhook.editMessage('@original', content as Parameters<typeof webhook.editMessage>[1]),
  } as AnsweredInteraction;
  const channel = channelId === undefined ? undefined : client.channels.cache.get(channelId);
  const posted =
    messageId !== undefined && channel?.isSendable()
      ? { edit: (content: Parameters<typeof channel.messages.edit>[1]) => channel.messages.edit(messageId, content) }
      : undefined;
  const answer = createAnswer(interaction, {
    repeated: () => false,
    earlier: { posted },
    log,
  });
  return {
    progress: answer.progress,
    conclude: (content, inPublic) => answer.conclude(content, inPublic ? 'caller' : 'everyone', inPublic),
  };
}

/** Discord takes 5 edits in 5 s of one interaction's messages; the final reply needs one of them at any moment. */
const PACE_MS = 1_500;

/** Sends the newest of many messages at a limited rate, one at a time. */
export function createEditPacer<Message>(
  send: (message: Message) => Promise<void>,
  failed: (error: unknown) => void,
  paceMs = PACE_MS,
) {
  let waiting: Message | undefined;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  function next(): void {
    timer = undefined;
    if (closed || waiting === undefined || sending) return;
    const message = waiting;
    waiting = undefined;
    timer = setTimeout(next, paceMs);
    sending = send(message)
      .catch(failed)
      .finally(() => {
        sending = undefined;
        if (!timer) next();
      });
  }

  return {
    /** Shows this message now, or as soon as the pace allows unless a later one has replaced it. */
    show(message: Message): void {
      if (closed) return;
      waiting = message;
      if (!timer && !sending) next();
    },
    /** Drops the unsent message and waits for the edit in flight. Idempotent. */
    async close() {
      closed = true;
      clearTimeout(timer);
      await sending;
    },
  };
}
