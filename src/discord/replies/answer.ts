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
  RESTJSONErrorCodes,
  type RepliableInteraction,
} from 'discord.js';
import type { Logger } from 'pino';
import { createEditPacer } from './edit-pacer.ts';

/** The interaction cannot be answered any more, so nothing may be done for it: nobody would hear of the outcome. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

export interface AnswerContent {
  readonly content?: string;
  /** Buttons and selects, or a whole panel, as Discord takes them. */
  readonly components?: NonNullable<InteractionReplyOptions['components']>;
  readonly panel?: boolean;
  readonly files?: NonNullable<InteractionReplyOptions['files']>;
  readonly voiceMessage?: boolean;
}

export interface AnswerMessage extends AnswerContent {
  /** Shown only to the person who asked. */
  readonly ephemeral: boolean;
  /** Goes into the message on which the button or select stands. */
  readonly onMessage?: boolean;
}

/** The one answer to one interaction, whichever calls to Discord that takes. */
export interface Answer {
  /** Shows "… is thinking", or nothing yet on a message. Rejects with an AnswerLostError when it comes too late. */
  defer(options: { readonly ephemeral: boolean; readonly onMessage?: boolean }): Promise<void>;
  /** Puts into the deferred message how far things are: now, or as soon as Discord's limits allow. */
  progress(message: AnswerContent): void;
  /** Opens a form instead of any other answer. */
  ask(modal: APIModalInteractionResponseCallbackData): Promise<void>;
  /**
   * Says the final word: replies, or puts it into the deferred message, or (for an ephemeral word after a public
   * deferral, and for a voice message) removes the placeholder and follows up. An expired interaction is logged and
   * nothing more. Rejects when Discord refuses it: then something else can be said in its place.
   */
  conclude(message: AnswerMessage): Promise<void>;
  /** One more message for the caller alone, after the final word. */
  addPrivately(message: AnswerContent): Promise<void>;
}

/** What is used of discord.js's interaction. */
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
}

type Deferral = 'public' | 'private' | 'message';
/** 'removed': the placeholder is gone, and what is said is a message of its own. */
type State = { kind: 'open' } | { kind: 'deferred'; as: Deferral } | { kind: 'removed' } | { kind: 'over' };

/** The 15 minutes are over in which an interaction can be answered. */
const EXPIRED: readonly (string | number)[] = [
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
];
/** That, or the message was deleted by somebody, or its channel, or it is one that discord.js does not keep. */
const GONE: readonly (string | number)[] = [
  ...EXPIRED,
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownChannel,
  // Of direct messages and private threads.
  DiscordjsErrorCodes.ChannelNotCached,
];

const isApiError = (error: unknown): error is DiscordAPIError => error instanceof DiscordAPIError;
/** Sends again what was lost with its connection: only for requests that do the same twice as once. */
async function onceMore(send: () => Promise<unknown>): Promise<void> {
  try {
    await send();
  } catch (error) {
    // Discord's own refusals, and the 5xx that the REST client has repeated already, stay what they are.
    if (isApiError(error) || error instanceof HTTPError) throw error;
    await send();
  }
}

const isExpired = (error: unknown) => isApiError(error) && EXPIRED.includes(error.code);
const isGone = (error: unknown) => (isApiError(error) || error instanceof DiscordjsError) && GONE.includes(error.code);

/** Whether it cannot be put into the placeholder: a word for one person, where everybody sees that; a voice message. */
const goesAlone = ({ ephemeral, voiceMessage = false }: AnswerMessage, as: Deferral) =>
  as !== 'message' && (voiceMessage || (ephemeral && as === 'public'));

/** What both a reply and an edit take. Nothing stays of what the message showed before. */
function body({ content, components = [], panel, files, voiceMessage }: AnswerContent, edited: boolean) {
  const shown = panel
    ? { components, flags: [MessageFlags.IsComponentsV2] as const }
    : voiceMessage
      ? { flags: [MessageFlags.IsVoiceMessage] as const }
      : {
          content: content ?? '',
          flags: [MessageFlags.SuppressEmbeds] as const,
          ...((edited || components.length > 0) && { components }),
        };
  return { ...shown, ...(files ? { files } : edited && !panel && !voiceMessage ? { attachments: [] } : {}) };
}

export function createAnswer(interaction: AnsweredInteraction, { repeated, log }: AnswerOptions): Answer {
  let state: State = { kind: 'open' };
  /** The reply as everybody in its channel sees it. */
  let standing: Pick<Message, 'edit'> | undefined;
  const pacer = createEditPacer<AnswerContent>({
    async send(message) {
      await attempt('show progress', () => edit(message));
    },
    // The work goes on, and its end will be told: one look at how far it is may be missed.
    failed: (error) => log.warn({ err: error }, 'Progress could not be shown'),
  });

  /**
   * What waited in a queue may take longer than an interaction lives. The bot can change its own message all the same,
   * unless only the caller sees it.
   */
  async function edit(message: AnswerContent): Promise<void> {
    const changed = body(message, true) as InteractionEditReplyOptions & MessageEditOptions;
    try {
      const shown = await interaction.editReply(changed);
      standing = interaction.ephemeral ? undefined : shown;
    } catch (error) {
      if (!standing || !isExpired(error)) throw error;
      await standing.edit(changed);
    }
  }

  /** Sends the first answer. A repetition that is refused because the first attempt counted is a success. */
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
        throw new AnswerLostError('Discord no longer takes an answer: it came too late', { cause: error });
      }
      throw error;
    }
  }

  /** Whether Discord took it; an interaction that is over is no error. */
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

  async function conclude(message: AnswerMessage): Promise<void> {
    let before = state;
    state = { kind: 'over' };
    if (before.kind === 'over') throw new Error('An interaction was answered twice');
    try {
      if (before.kind === 'deferred') {
        await pacer.close();
        // First of all: a follow-up right after a deferral would fill the placeholder, as an edit of it.
        if (goesAlone(message, before.as) && (await removePlaceholder())) before = { kind: 'removed' };
      }
      await say(message, before);
    } catch (error) {
      // Nothing was said, so something else may be.
      state = before;
      throw error;
    }
  }

  async function say(message: AnswerMessage, before: Exclude<State, { kind: 'over' }>): Promise<void> {
    if (before.kind === 'open') {
      if (message.onMessage && interaction.update) {
        const { update } = interaction;
        await first(() => update.call(interaction, editBody(message)));
      } else {
        await first(() => interaction.reply(replyBody(message, message.ephemeral)));
      }
    } else if (before.kind === 'removed') {
      await followUp(message);
    } else if (before.as === 'message' && !message.onMessage) {
      await followUp({ ...message, ephemeral: true });
    } else if (message.voiceMessage) {
      throw new Error('No edit makes a voice message out of another message');
    } else {
      await attempt('edit the reply', () => onceMore(() => edit(message)));
    }
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
    async defer({ ephemeral, onMessage = false }) {
      const { deferUpdate } = interaction;
      if (onMessage && deferUpdate) await first(() => deferUpdate.call(interaction));
      else await first(() => interaction.deferReply(ephemeral ? { flags: MessageFlags.Ephemeral } : {}));
      // discord.js did not hear of a success that looked like a failure.
      interaction.deferred = true;
      interaction.ephemeral = ephemeral;
      state = { kind: 'deferred', as: onMessage ? 'message' : ephemeral ? 'private' : 'public' };
    },
    progress(message) {
      if (state.kind === 'deferred') pacer.show(message);
    },
    async ask(modal) {
      const { showModal } = interaction;
      if (state.kind !== 'open' || !showModal) throw new Error('A form can only be the first answer');
      state = { kind: 'over' };
      await first(() => showModal.call(interaction, modal));
    },
    conclude,
    async addPrivately(message) {
      await followUp({ ...message, ephemeral: true });
    },
  };
}
