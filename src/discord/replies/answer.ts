import { setTimeout as sleep } from 'node:timers/promises';
import {
  type APIModalInteractionResponseCallbackData,
  type ButtonInteraction,
  type Client,
  DiscordAPIError,
  DiscordjsError,
  DiscordjsErrorCodes,
  HTTPError,
  type InteractionEditReplyOptions,
  type InteractionReplyOptions,
  InteractionWebhook,
  type Message,
  type MessageEditOptions,
  MessageFlags,
  RateLimitError,
  RESTJSONErrorCodes,
  type RepliableInteraction,
} from 'discord.js';
import type { Logger } from 'pino';
import type { KeptReply } from '../../services/playback/unspoken.ts';
import type { AnswerContent, Visibility } from './layout.ts';

/** Discord accepts no answer any more. The command must not run: its requester would not learn the outcome. */
export class AnswerLostError extends Error {
  override readonly name = 'AnswerLostError';
}

export type AnsweredInteraction = Pick<
  RepliableInteraction,
  'id' | 'deferred' | 'ephemeral' | 'reply' | 'deferReply' | 'editReply' | 'deleteReply' | 'followUp'
> &
  Partial<Pick<ButtonInteraction, 'update' | 'deferUpdate' | 'showModal'>>;

/**
 * - 'deferred': Discord shows a placeholder ("is thinking…"), or nothing if the reply will change a button's message.
 * - 'removed': the placeholder is deleted, so that the final reply is a new message.
 * - 'over': a final reply or a form was sent, or is being sent.
 */
type State = { kind: 'open' } | { kind: 'deferred'; as: Visibility } | { kind: 'removed' } | { kind: 'over' };

/** Discord's error codes after the 15 minutes in which an interaction can be answered. */
const EXPIRED: readonly (string | number | undefined)[] = [
  RESTJSONErrorCodes.UnknownWebhook,
  RESTJSONErrorCodes.InvalidWebhookToken,
];
/** Errors after which no reply is possible: the interaction expired, its channel or message is gone, or its thread is locked. */
const GONE: readonly (string | number | undefined)[] = [
  ...EXPIRED,
  RESTJSONErrorCodes.UnknownInteraction,
  RESTJSONErrorCodes.UnknownMessage,
  RESTJSONErrorCodes.UnknownChannel,
  // A moderator locked the thread: https://github.com/discord/discord-api-docs/issues/6884
  RESTJSONErrorCodes.InvalidActionOnArchivedThread,
  // discord.js throws ChannelNotCached if the bot edits its message in a direct message or a private thread.
  DiscordjsErrorCodes.ChannelNotCached,
];

/**
 * The code of an error after which a retry is useless. A rate limit that lasts until Discord no longer accepts the
 * answer counts as an expired interaction.
 */
function codeOf(error: unknown): string | number | undefined {
  if (error instanceof RateLimitError) return RESTJSONErrorCodes.InvalidWebhookToken;
  return error instanceof DiscordAPIError || error instanceof DiscordjsError ? error.code : undefined;
}

/** True if a retry is useless, also after status 500: https://github.com/discord/discord-api-docs/issues/7448 */
const isFinal = (error: unknown) =>
  // Cloudflare's refusals are pages without a code.
  error instanceof DiscordAPIError ||
  codeOf(error) !== undefined ||
  (error instanceof HTTPError && error.status === 500);

/** One retry without a pause is enough, because discord.js's REST client has repeated the request already. */
const ONCE_MORE_MS = [0];
/** The pauses before retries of the final reply: a minute in total, because only this reply tells what a text cost. */
const OUTAGE_PAUSES_MS = [0, 1_000, 4_000, 15_000, 40_000];

/** Retries an idempotent request after each pause, unless the error shows that a retry is useless. */
async function repeat(send: () => Promise<unknown>, pausesMs: readonly number[], log: Logger): Promise<void> {
  for (const pauseMs of pausesMs) {
    try {
      await send();
      return;
    } catch (error) {
      if (isFinal(error)) throw error;
      log.info({ err: error, pauseMs }, 'Could not send the reply: trying again');
      await sleep(pauseMs, undefined, { ref: false });
    }
  }
  await send();
}

/** An edit to plain text has empty lists: Discord would otherwise keep the message's old components and files. */
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

/**
 * Answers one interaction with several calls to Discord: a placeholder, progress updates and the final reply. `repeated`
 * tells if the REST client sent the first answer more than once, because Discord's response was lost.
 */
export function createAnswer(
  interaction: AnsweredInteraction,
  log: Logger,
  repeated: (interactionId: string) => boolean = () => false,
) {
  let state: State = interaction.deferred ? { kind: 'deferred', as: 'everyone' } : { kind: 'open' };
  /** The posted reply, which the bot can edit as its own message; undefined if only the requester sees the reply. */
  let postedMessage: Message | undefined;
  const pacer = createEditPacer(async (message) => {
    try {
      await attempt('show progress', () => edit(message));
    } catch (error) {
      log.warn({ err: error }, 'Could not show progress in a reply: skipping this update');
    }
  });

  const editBody = (message: AnswerContent) => body(message, true) as InteractionEditReplyOptions & MessageEditOptions;

  /** Edits the reply. When the interaction has expired, a public reply can still be edited as the bot's own message. */
  async function edit(message: AnswerContent): Promise<void> {
    const changed = editBody(message);
    try {
      const shown = await interaction.editReply(changed);
      postedMessage = interaction.ephemeral ? undefined : shown;
    } catch (error) {
      if (!postedMessage || !EXPIRED.includes(codeOf(error))) throw error;
      await postedMessage.edit(changed);
    }
  }

  /** A retry of a first answer counts as success if Discord rejects it because the first attempt had arrived. */
  async function first(send: () => Promise<unknown>): Promise<void> {
    try {
      await repeat(send, ONCE_MORE_MS, log);
    } catch (error) {
      const lost = (why: string) => new AnswerLostError(why, { cause: error });
      if (codeOf(error) === RESTJSONErrorCodes.InteractionHasAlreadyBeenAcknowledged) {
        if (repeated(interaction.id)) return;
        throw lost('Another process answered: is the bot running twice with this token?');
      }
      if (GONE.includes(codeOf(error)))
        throw lost('Discord takes no answer: it came too late, or its place is gone or locked');
      throw error;
    }
  }

  /** Resolves with false if the interaction has expired or its channel is gone; rejects with any other error. */
  async function attempt(what: string, send: () => Promise<unknown>): Promise<boolean> {
    try {
      await send();
      return true;
    } catch (error) {
      if (!GONE.includes(codeOf(error))) throw error;
      log.info({ err: error }, `Could not ${what}: too late for replies to this command`);
      return false;
    }
  }

  const replyBody = (message: AnswerContent, ephemeral: boolean): InteractionReplyOptions => {
    const { flags, ...rest } = body(message, false);
    return { ...rest, flags: ephemeral ? [MessageFlags.Ephemeral, ...flags] : [...flags] } as InteractionReplyOptions;
  };
  const followUp = (message: AnswerContent, ephemeral: boolean) =>
    attempt('follow up', () => interaction.followUp(replyBody(message, ephemeral)));

  /**
   * If the placeholder ("is thinking…") must be deleted and cannot be, it becomes `inPublic`, a version of the reply
   * for everyone. Resolves with false if the interaction has expired since it was deferred. After a rejection, the
   * caller can send another reply.
   */
  async function conclude(final: AnswerContent, wanted: Visibility, inPublic?: AnswerContent): Promise<boolean> {
    let [message, visibility] = [final, wanted];
    let before = state;
    state = { kind: 'over' };
    if (before.kind === 'over') throw new Error('An interaction was answered twice');
    try {
      if (before.kind === 'deferred') {
        await pacer.close();
        const isHidden = visibility === 'caller' && before.as === 'everyone';
        // A reply that cannot be an edit of the placeholder ("is thinking…") is a new message. The placeholder is deleted
        // first: Discord would turn a follow-up right after a deferral into an edit of it.
        if (before.as !== 'message' && (message.form === 'voice-message' || isHidden)) {
          if (await removePlaceholder()) before = { kind: 'removed' };
          else if (inPublic) [message, visibility] = [inPublic, 'everyone'];
        }
      }
      return await say(message, visibility, before);
    } catch (error) {
      state = before;
      throw error;
    }
  }

  async function say(message: AnswerContent, visibility: Visibility, before: Exclude<State, { kind: 'over' }>) {
    if (before.kind === 'open') {
      const { update } = interaction;
      if (visibility === 'message' && update) await first(() => update.call(interaction, editBody(message)));
      else await first(() => interaction.reply(replyBody(message, visibility === 'caller')));
      return true;
    }
    if (before.kind === 'removed') return followUp(message, visibility === 'caller');
    if (before.as === 'message' && visibility !== 'message') return followUp(message, true);
    if (message.form === 'voice-message') throw new Error('No edit makes a voice message out of another message');
    return attempt('reply', () => repeat(() => edit(message), OUTAGE_PAUSES_MS, log));
  }

  async function removePlaceholder(): Promise<boolean> {
    try {
      await repeat(() => interaction.deleteReply(), ONCE_MORE_MS, log);
      return true;
    } catch (error) {
      if (codeOf(error) === RESTJSONErrorCodes.UnknownMessage) return true;
      log.info({ err: error }, 'Could not remove a "thinking" placeholder: the reply replaces it');
      return false;
    }
  }

  return {
    /** Rejects with AnswerLostError if Discord no longer accepts an answer. */
    async defer(visibility: Visibility): Promise<void> {
      const { deferUpdate } = interaction;
      const isPrivate = visibility === 'caller';
      if (visibility === 'message' && deferUpdate) await first(() => deferUpdate.call(interaction));
      else await first(() => interaction.deferReply(isPrivate ? { flags: MessageFlags.Ephemeral } : {}));
      // discord.js does not set `deferred` and `ephemeral` if Discord's response to the deferral was lost.
      interaction.deferred = true;
      interaction.ephemeral = isPrivate;
      state = { kind: 'deferred', as: visibility };
    },
    progress(message: AnswerContent, atOnce = false): void {
      if (state.kind === 'deferred') pacer.show(message, atOnce);
    },
    async ask(modal: APIModalInteractionResponseCallbackData): Promise<void> {
      const { showModal } = interaction;
      if (state.kind !== 'open' || !showModal) throw new Error('A form can only be the first answer');
      state = { kind: 'over' };
      await first(() => showModal.call(interaction, modal));
    },
    conclude,
    /** After the final reply, sends another message that only the requester sees. */
    addPrivately: (message: AnswerContent) => followUp(message, true),
  };
}

export type Answer = ReturnType<typeof createAnswer>;

/** Opens the deferred answer to an interaction for which an earlier process has shown "… is thinking" to everyone. */
export function openEarlierReply(client: Client<true>, log: Logger, reply: KeptReply): Answer {
  const { applicationId, interactionId, token } = reply;
  const webhook = new InteractionWebhook(client, applicationId, token);
  const interaction = {
    id: interactionId,
    deferred: true,
    ephemeral: false,
    followUp: (content) => webhook.send(content as Parameters<typeof webhook.send>[0]),
    deleteReply: () => webhook.deleteMessage('@original'),
    editReply: (content) => webhook.editMessage('@original', content as Parameters<typeof webhook.editMessage>[1]),
  } as AnsweredInteraction;
  return createAnswer(interaction, log);
}

/** Discord allows 5 edits in 5 s: three updates at this pace, one sent at once, and the final reply. */
const PACE_MS = 1_700;

/** Edits a reply at a limited rate: of the waiting edits, only the newest is sent. `send` must not reject. */
function createEditPacer(send: (message: AnswerContent) => Promise<void>) {
  let waiting: AnswerContent | undefined;
  let sending: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isUrgent = false;
  let wasUrgent = false;
  let isClosed = false;

  function next(): void {
    if (isClosed || waiting === undefined || sending || (timer && !isUrgent)) return;
    timer ??= setTimeout(() => {
      timer = undefined;
      next();
    }, PACE_MS);
    isUrgent = false;
    sending = send(waiting).finally(() => {
      sending = undefined;
      next();
    });
    waiting = undefined;
  }

  return {
    /** A later progress update replaces a waiting one. The first update that has `atOnce` is sent without a pause after earlier ones. */
    show(message: AnswerContent, atOnce: boolean): void {
      waiting = message;
      isUrgent ||= atOnce && !wasUrgent;
      wasUrgent ||= atOnce;
      next();
    },
    /** Drops the reply's waiting edit and waits until the edit in flight is done. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await sending;
    },
  };
}
