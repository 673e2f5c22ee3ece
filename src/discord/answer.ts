import { DiscordAPIError, HTTPError, MessageFlags, RESTJSONErrorCodes, type RepliableInteraction } from 'discord.js';
import type { Logger } from 'pino';

/** The interaction cannot be answered any more, so nothing may be done for it: nobody would hear of the outcome. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

export interface AnswerMessage {
  readonly content: string;
  /** Shown only to the person who asked. */
  readonly ephemeral: boolean;
}

/** The one answer to one interaction, whichever calls to Discord that takes. */
export interface Answer {
  /** Shows "… is thinking". Rejects with an AnswerLostError when Discord no longer takes an answer. */
  defer(options: { readonly ephemeral: boolean }): Promise<void>;
  /**
   * Says the final word: replies, or puts it into the deferred message, or (for an ephemeral word after a public
   * deferral) removes the placeholder and follows up. An expired interaction is logged and nothing more.
   */
  conclude(message: AnswerMessage): Promise<void>;
}

/** What is used of discord.js's interaction. */
export type AnsweredInteraction = Pick<
  RepliableInteraction,
  'id' | 'deferred' | 'ephemeral' | 'reply' | 'deferReply' | 'editReply' | 'deleteReply' | 'followUp'
>;

interface AnswerOptions {
  /** Whether the first call of this interaction was sent more than once (see callback-attempts.ts). */
  readonly repeated: (interactionId: string) => boolean;
  readonly log: Logger;
}

type State = { kind: 'open' } | { kind: 'deferred'; ephemeral: boolean } | { kind: 'over' };

/** The interaction or its 15 minutes are over, or the message was deleted by somebody. */
const GONE: readonly (string | number)[] = [
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
  RESTJSONErrorCodes.UnknownMessage,
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

const isGone = (error: unknown) => isApiError(error) && GONE.includes(error.code);

export function createAnswer(interaction: AnsweredInteraction, { repeated, log }: AnswerOptions): Answer {
  let state: State = { kind: 'open' };

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

  const flags = (ephemeral: boolean) =>
    ephemeral
      ? ([MessageFlags.Ephemeral, MessageFlags.SuppressEmbeds] as const)
      : ([MessageFlags.SuppressEmbeds] as const);

  async function conclude({ content, ephemeral }: AnswerMessage): Promise<void> {
    const before = state;
    state = { kind: 'over' };
    if (before.kind === 'over') throw new Error('An interaction was answered twice');
    if (before.kind === 'open') {
      await first(() => interaction.reply({ content, flags: flags(ephemeral) }));
      return;
    }
    if (ephemeral && !before.ephemeral) {
      // The placeholder goes first: a follow-up right after a deferral would fill it, for everybody to see.
      const removed = await removePlaceholder();
      if (removed) {
        await attempt('follow up', () => interaction.followUp({ content, flags: flags(true) }));
        return;
      }
    }
    await attempt('edit the reply', () =>
      onceMore(() => interaction.editReply({ content, flags: MessageFlags.SuppressEmbeds })),
    );
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
    async defer({ ephemeral }) {
      await first(() => interaction.deferReply(ephemeral ? { flags: MessageFlags.Ephemeral } : {}));
      // discord.js did not hear of a success that looked like a failure.
      interaction.deferred = true;
      interaction.ephemeral = ephemeral;
      state = { kind: 'deferred', ephemeral };
    },
    conclude,
  };
}
