import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIModalInteractionResponseCallbackData,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  HTTPError,
  type InteractionEditReplyOptions,
  type InteractionReplyOptions,
  type Message,
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

export interface AnswerContent {
  readonly content?: string;
  /** Buttons and selects, or a whole panel, in Discord's format. */
  readonly components?: NonNullable<InteractionReplyOptions['components']>;
  readonly panel?: boolean;
  readonly files?: NonNullable<InteractionReplyOptions['files']>;
  readonly voiceMessage?: boolean;
}

export interface AnswerMessage extends AnswerContent {
  /** Shown to the requester only. */
  readonly ephemeral: boolean;
  /** In its place where it could only be shown to everybody. */
  readonly inPublic?: AnswerContent | undefined;
  /** Updates the message that holds the button or select. */
  readonly onMessage?: boolean;
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
  /** It was deferred already, for everybody to see, by another process. */
  readonly wasDeferred?: boolean;
  /** The message of the reply, where it is known without the interaction. */
  readonly posted?: Pick<Message, 'edit'> | undefined;
}

type Deferral = 'public' | 'private' | 'message';
/** 'removed': the placeholder is deleted, and the reply is a message of its own. */
type State = { kind: 'open' } | { kind: 'deferred'; as: Deferral } | { kind: 'removed' } | { kind: 'over' };

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
  // Of direct messages and private threads.
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
      log.info({ err: error, pauseMs }, 'Discord does not take the reply at present: it is sent again');
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
  await onceMore(send);
}

const isExpired = (error: unknown) => isOverByThen(error) || (isApiError(error) && EXPIRED.includes(error.code));
const isGone = (error: unknown) =>
  isOverByThen(error) || ((isApiError(error) || error instanceof DiscordjsError) && GONE.includes(error.code));

/** Whether the reply cannot replace the placeholder: an ephemeral reply to a public deferral, or a voice message. */
const goesAlone = ({ ephemeral, voiceMessage = false }: AnswerMessage, as: Deferral) =>
  as !== 'message' && (voiceMessage || (ephemeral && as === 'public'));

/** The fields that both a reply and an edit take. They replace all that the message showed before. */
function body({ content, components = [], panel, files, voiceMessage }: AnswerContent, edited: boolean) {
  const shown = panel
    ? { components, flags: [MessageFlags.IsComponentsV2] as const }
    : voiceMessage
      ? { flags: [MessageFlags.IsVoiceMessage] as const }
      : {
          content: content ?? '',
          flags: [MessageFlags.SuppressEmbeds] as const,
          components: edited || components.length > 0 ? components : undefined,
        };
  const attachments = edited && !files && !panel && !voiceMessage ? [] : undefined;
  return { ...shown, files, attachments };
}

/** The one answer to one interaction, however many calls to Discord it takes. */
export function createAnswer(
  interaction: AnsweredInteraction,
  { repeated, log, wasDeferred = false, posted }: AnswerOptions,
) {
  let state: State = wasDeferred ? { kind: 'deferred', as: 'public' } : { kind: 'open' };
  /** The reply as every member of its channel sees it. */
  let postedMessage = posted;
  const pacer = createEditPacer<AnswerContent>({
    async send(message) {
      await attempt('show progress', () => edit(message));
    },
    // The work continues and its end is reported: one progress update may be lost.
    failed: (error) => log.warn({ err: error }, 'Progress could not be shown'),
  });

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
  const followUp = ({ ephemeral, ...message }: AnswerMessage) =>
    attempt('follow up', () => interaction.followUp(replyBody(message, ephemeral)));

  /**
   * Sends the final reply: as a reply, as an edit of the deferred message, or (for an ephemeral reply after a public
   * deferral, and for a voice message) as a follow-up after removing the placeholder. An expired interaction is only
   * logged, and resolves with false. Rejects when Discord refuses the reply: another one can be sent in its place.
   */
  async function conclude(final: AnswerMessage): Promise<boolean> {
    let message = final;
    let before = state;
    state = { kind: 'over' };
    if (before.kind === 'over') throw new Error('An interaction was answered twice');
    try {
      if (before.kind === 'deferred') {
        await pacer.close();
        // Before anything else: a follow-up right after a deferral would fill the placeholder, as an edit of it.
        if (goesAlone(message, before.as)) {
          if (await removePlaceholder()) before = { kind: 'removed' };
          else if (message.inPublic) message = { ...message.inPublic, ephemeral: false };
        }
      }
      return await say(message, before);
    } catch (error) {
      // Nothing was sent, so another reply may be.
      state = before;
      throw error;
    }
  }

  async function say(message: AnswerMessage, before: Exclude<State, { kind: 'over' }>): Promise<boolean> {
    if (before.kind === 'open') {
      if (message.onMessage && interaction.update) {
        const { update } = interaction;
        await first(() => update.call(interaction, editBody(message)));
      } else {
        await first(() => interaction.reply(replyBody(message, message.ephemeral)));
      }
      return true;
    }
    if (before.kind === 'removed') return followUp(message);
    if (before.as === 'message' && !message.onMessage) return followUp({ ...message, ephemeral: true });
    if (message.voiceMessage) throw new Error('No edit makes a voice message out of another message');
    return attempt('edit the reply', () => throughOutage(() => edit(message), log));
  }

  async function removePlaceholder(): Promise<boolean> {
    try {
      await onceMore(() => interaction.deleteReply());
      return true;
    } catch (error) {
      if (isApiError(error) && error.code === RESTJSONErrorCodes.UnknownMessage) return true;
      log.warn({ err: error }, 'The placeholder could not be removed: putting the message into it');
      return false;
    }
  }

  return {
    /** Shows "… is thinking", or nothing yet on a message. Rejects with an AnswerLostError when it comes too late. */
    async defer({ ephemeral, onMessage = false }: AnswerMessage): Promise<void> {
      const { deferUpdate } = interaction;
      if (onMessage && deferUpdate) await first(() => deferUpdate.call(interaction));
      else await first(() => interaction.deferReply(ephemeral ? { flags: MessageFlags.Ephemeral } : {}));
      // discord.js did not learn of a success that looked like a failure.
      interaction.deferred = true;
      interaction.ephemeral = ephemeral;
      state = { kind: 'deferred', as: onMessage ? 'message' : ephemeral ? 'private' : 'public' };
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
    /** One more message for the requester alone, after the final reply. */
    async addPrivately(message: AnswerContent): Promise<void> {
      await followUp({ ...message, ephemeral: true });
    },
  };
}

export type Answer = ReturnType<typeof createAnswer>;

/** Discord takes 5 edits in 5 s of one interaction's messages; the final reply needs one of them at any moment. */
const PACE_MS = 1_500;

/** Sends the newest of many messages at a limited rate, one at a time. */
export function createEditPacer<Message>({
  send,
  failed,
  paceMs = PACE_MS,
}: {
  readonly send: (message: Message) => Promise<void>;
  readonly failed: (error: unknown) => void;
  readonly paceMs?: number;
}) {
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
