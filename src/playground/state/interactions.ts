import { randomBytes } from 'node:crypto';
import type { Hub } from './hub.ts';
import { answersInPrivate, appPermissions, contextOf, type Standing } from './installations.ts';
import { createMessage, editMessage, messagePayload } from './messages.ts';
import {
  type Channel,
  type Guild,
  type InstallationOwners,
  type InteractionMetadata,
  MESSAGE_FLAGS,
  type Message,
  type MessageContent,
} from './model.ts';
import { channelPayload, memberPayload, partialChannelPayload, userPayload } from './payloads.ts';
import { channelPermissions } from './permissions.ts';
import { ATTACHMENT_LIMIT_BYTES } from './starting-model.ts';

/** Type numbers: receiving-and-responding#interaction-object-interaction-type */
export const INTERACTION_TYPES = { command: 2, component: 3, autocomplete: 4, modalSubmit: 5 } as const;
type InteractionKind = keyof typeof INTERACTION_TYPES;

/** A bot has 3 s for its first answer, and 15 minutes for all: receiving-and-responding#followup-messages */
const ANSWER_DEADLINE_MS = 3_000;
const TOKEN_LIFE_MS = 15 * 60_000;

export type InteractionResponse =
  | { readonly kind: 'pending' }
  | { readonly kind: 'timed-out' }
  | { readonly kind: 'message'; readonly messageId: string }
  /** `filled` is true once a message has replaced Discord's "… is thinking". */
  | { readonly kind: 'deferred'; readonly messageId: string; filled: boolean }
  | { readonly kind: 'update'; readonly messageId: string }
  | { readonly kind: 'deferred-update'; readonly messageId: string }
  | { readonly kind: 'choices'; readonly choices: readonly Choice[] }
  | {
      readonly kind: 'modal';
      readonly customId: string;
      readonly title: string;
      readonly components: readonly unknown[];
    };

export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly kind: InteractionKind;
  readonly userId: string;
  readonly guild: Guild | undefined;
  readonly channel: Channel;
  readonly owners: InstallationOwners;
  /** If true, only the user sees the bot's answers, even if the bot does not ask for that. */
  readonly answersInPrivate: boolean;
  readonly commandName: string | undefined;
  /** 1 for slash commands, 2 and 3 for context menu commands. */
  readonly commandType: number | undefined;
  readonly sourceMessage: Message | undefined;
  readonly openedBy: InteractionMetadata | undefined;
  readonly createdAtMs: number;
  readonly sentAtMs: number;
  acknowledgedAtMs: number | undefined;
  response: InteractionResponse;
  readonly messageIds: string[];
  followUps: number;
}

export type InteractionDraft = (
  | { readonly kind: 'command'; readonly commandName: string; readonly commandType: number }
  | { readonly kind: 'autocomplete'; readonly commandName: string }
  | { readonly kind: 'component'; readonly sourceMessage: Message }
  /** `sourceMessage` is undefined if a command opened the modal. */
  | {
      readonly kind: 'modalSubmit';
      readonly sourceMessage: Message | undefined;
      readonly openedBy: InteractionMetadata;
    }
) & {
  readonly standing: Standing;
  /** The installations of the bot (server or user) that allow the interaction. */
  readonly owners: InstallationOwners;
  readonly data: unknown;
};

export class Interactions {
  readonly #hub: Hub;
  readonly #byId = new Map<string, Interaction>();
  readonly #byToken = new Map<string, Interaction>();
  readonly #deadlines = new Set<() => void>();

  constructor(hub: Hub) {
    this.#hub = hub;
  }

  send(draft: InteractionDraft): Interaction {
    this.#forgetExpired();
    const hub = this.#hub;
    const { userId, guild, channel } = draft.standing;
    const interaction: Interaction = {
      id: hub.newId(),
      token: randomBytes(96).toString('base64url'),
      kind: draft.kind,
      userId,
      guild,
      channel,
      owners: draft.owners,
      answersInPrivate: answersInPrivate(hub, draft.standing),
      commandName: 'commandName' in draft ? draft.commandName : undefined,
      commandType: draft.kind === 'command' ? draft.commandType : undefined,
      sourceMessage: 'sourceMessage' in draft ? draft.sourceMessage : undefined,
      openedBy: draft.kind === 'modalSubmit' ? draft.openedBy : undefined,
      createdAtMs: hub.clock.now(),
      sentAtMs: performance.now(),
      acknowledgedAtMs: undefined,
      response: { kind: 'pending' },
      messageIds: [],
      followUps: 0,
    };
    this.#byId.set(interaction.id, interaction);
    this.#byToken.set(interaction.token, interaction);
    const cancel = hub.clock.after(ANSWER_DEADLINE_MS, () => {
      this.#deadlines.delete(cancel);
      if (interaction.response.kind !== 'pending') return;
      interaction.response = { kind: 'timed-out' };
      hub.changed();
    });
    this.#deadlines.add(cancel);
    const payload = interactionPayload(hub, interaction, draft);
    hub.publish({ name: 'INTERACTION_CREATE', guildId: guild?.id, always: true, render: () => payload });
    return interaction;
  }

  byId(id: string): Interaction | undefined {
    return this.#byId.get(id);
  }

  byToken(token: string): Interaction | undefined {
    const interaction = this.#byToken.get(token);
    return interaction && this.#isAlive(interaction) ? interaction : undefined;
  }

  close(): void {
    for (const cancel of this.#deadlines) cancel();
    this.#deadlines.clear();
  }

  #isAlive({ createdAtMs }: Interaction): boolean {
    return this.#hub.clock.now() - createdAtMs < TOKEN_LIFE_MS;
  }

  #forgetExpired(): void {
    for (const interaction of this.#byId.values()) {
      if (this.#isAlive(interaction)) break;
      this.#byId.delete(interaction.id);
      this.#byToken.delete(interaction.token);
    }
  }
}

function interactionPayload(hub: Hub, interaction: Interaction, draft: InteractionDraft) {
  const { model } = hub;
  const { guild, channel, member, userId } = draft.standing;
  const user = model.users.get(userId);
  const nowMs = hub.clock.now();
  const where =
    guild && member
      ? {
          guild: { id: guild.id, locale: guild.locale, features: [] },
          guild_id: guild.id,
          guild_locale: guild.locale,
          channel: partialChannelPayload(guild, member, channel, nowMs),
          member: {
            ...memberPayload(model, member),
            permissions: channelPermissions(guild, member, channel, nowMs).toString(),
          },
        }
      : { channel: channelPayload(model, channel, userId), user: user && userPayload(user) };
  return {
    id: interaction.id,
    application_id: model.application.id,
    type: INTERACTION_TYPES[interaction.kind],
    data: draft.data,
    ...where,
    channel_id: channel.id,
    token: interaction.token,
    version: 1,
    app_permissions: appPermissions(hub, draft.standing).toString(),
    locale: user?.locale ?? 'en-US',
    entitlements: [],
    entitlement_sku_ids: [],
    authorizing_integration_owners: draft.owners,
    context: contextOf(hub, channel),
    attachment_size_limit: ATTACHMENT_LIMIT_BYTES,
    message: interaction.sourceMessage && messagePayload(model, interaction.sourceMessage),
  };
}

export function addReply(hub: Hub, interaction: Interaction, content: MessageContent): Message {
  const isCommand = interaction.kind === 'command';
  const flags = content.flags | (interaction.answersInPrivate ? MESSAGE_FLAGS.Ephemeral : 0);
  const message = createMessage(hub, {
    ...content,
    flags,
    channelId: interaction.channel.id,
    guildId: interaction.guild?.id,
    authorId: hub.model.application.botId,
    type: isCommand ? (interaction.commandType === 1 ? 20 : 23) : interaction.sourceMessage ? 19 : 0,
    replyTo: isCommand ? undefined : interaction.sourceMessage?.id,
    onlyFor: flags & MESSAGE_FLAGS.Ephemeral ? interaction.userId : undefined,
    interaction: {
      ...metadataOf(interaction),
      appId: hub.model.application.id,
      name: interaction.commandName,
    },
  });
  interaction.messageIds.push(message.id);
  return message;
}

/** Fields: https://discord.com/developers/docs/resources/message#message-interaction-metadata-object */
export function metadataOf({ id, kind, userId, owners, sourceMessage, openedBy }: Interaction): InteractionMetadata {
  return {
    id,
    type: INTERACTION_TYPES[kind],
    userId,
    owners,
    interactedMessageId: kind === 'component' ? sourceMessage?.id : undefined,
    triggeredBy: openedBy,
  };
}

export function originalMessage(hub: Hub, interaction: Interaction): Message | undefined {
  const { response } = interaction;
  if (!('messageId' in response)) return undefined;
  const message = hub.model.messages.get(response.messageId);
  return message?.deleted ? undefined : message;
}

export function editReply(
  hub: Hub,
  interaction: Interaction,
  message: Message,
  change: Partial<MessageContent>,
): Message {
  const { response } = interaction;
  if (response.kind === 'deferred' && response.messageId === message.id) response.filled = true;
  return editMessage(hub, message, change);
}

export interface Choice {
  readonly name: string;
  readonly value: string | number;
}
