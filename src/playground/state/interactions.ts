import { randomBytes } from 'node:crypto';
import type { Hub } from './hub.ts';
import { answersInPrivate, appPermissions, contextOf, type Standing } from './installations.ts';
import { createMessage, editMessage, messagePayload } from './messages.ts';
import {
  type InstallationOwners,
  type InteractionMetadata,
  MESSAGE_FLAGS,
  type Message,
  type MessageContent,
} from './model.ts';
import { channelPayload, memberPayload, partialChannelPayload, userPayload } from './payloads.ts';
import { channelPermissions } from './permissions.ts';
import { ATTACHMENT_LIMIT_BYTES } from './starting-model.ts';

/** Type numbers of interactions: receiving-and-responding#interaction-object-interaction-type */
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

export interface InteractionDraft extends Standing {
  readonly kind: InteractionKind;
  /** The installations of the bot (server or user) that allow the interaction. */
  readonly owners: InstallationOwners;
  readonly data: unknown;
  readonly commandName?: string;
  /** 1 for slash commands, 2 and 3 for context menu commands. */
  readonly commandType?: number;
  /** The message whose component is used, now or to open the submitted modal. */
  readonly sourceMessage?: Message | undefined;
  /** The interaction that opened the submitted modal. */
  readonly openedBy?: InteractionMetadata;
}

export type Interaction = ReturnType<typeof newInteraction>;

const newInteraction = (hub: Hub, draft: InteractionDraft) => ({
  ...draft,
  id: hub.newId(),
  token: randomBytes(96).toString('base64url'),
  /** If true, only the user sees the bot's answers, even if the bot does not ask for that. */
  answersInPrivate: answersInPrivate(hub, draft),
  createdAtMs: hub.clock.now(),
  sentAtMs: performance.now(),
  acknowledgedAtMs: undefined as number | undefined,
  response: { kind: 'pending' } as InteractionResponse,
  messageIds: [] as string[],
  followUps: 0,
});

export type Interactions = ReturnType<typeof createInteractions>;

export function createInteractions(hub: Hub) {
  const byId = new Map<string, Interaction>();
  const byToken = new Map<string, Interaction>();
  const deadlines = new Set<() => void>();
  const isAlive = ({ createdAtMs }: Interaction) => hub.clock.now() - createdAtMs < TOKEN_LIFE_MS;

  function forgetExpired(): void {
    for (const interaction of byId.values()) {
      if (isAlive(interaction)) break;
      byId.delete(interaction.id);
      byToken.delete(interaction.token);
    }
  }

  return {
    send(draft: InteractionDraft): Interaction {
      forgetExpired();
      const interaction = newInteraction(hub, draft);
      byId.set(interaction.id, interaction);
      byToken.set(interaction.token, interaction);
      const cancel = hub.clock.after(ANSWER_DEADLINE_MS, () => {
        deadlines.delete(cancel);
        if (interaction.response.kind !== 'pending') return;
        interaction.response = { kind: 'timed-out' };
        hub.changed();
      });
      deadlines.add(cancel);
      const payload = interactionPayload(hub, interaction);
      hub.publish({ name: 'INTERACTION_CREATE', guildId: draft.guild?.id, always: true, render: () => payload });
      return interaction;
    },
    byId: (id: string) => byId.get(id),
    byToken(token: string): Interaction | undefined {
      const interaction = byToken.get(token);
      return interaction && isAlive(interaction) ? interaction : undefined;
    },
    close(): void {
      for (const cancel of deadlines) cancel();
      deadlines.clear();
    },
  };
}

function interactionPayload(hub: Hub, interaction: Interaction) {
  const { model } = hub;
  const { guild, channel, member, userId } = interaction;
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
    data: interaction.data,
    ...where,
    channel_id: channel.id,
    token: interaction.token,
    version: 1,
    app_permissions: appPermissions(hub, interaction).toString(),
    locale: user?.locale ?? 'en-US',
    entitlements: [],
    entitlement_sku_ids: [],
    authorizing_integration_owners: interaction.owners,
    context: contextOf(hub, channel),
    attachment_size_limit: ATTACHMENT_LIMIT_BYTES,
    message: interaction.sourceMessage && messagePayload(model, interaction.sourceMessage),
  };
}

export function addReply(hub: Hub, interaction: Interaction, content: MessageContent): Message {
  const isCommand = interaction.kind === 'command';
  const flags = content.flags | (interaction.answersInPrivate ? MESSAGE_FLAGS.Ephemeral : 0);
  const message = createMessage(hub, interaction.channel, {
    ...content,
    flags,
    authorId: hub.model.application.botId,
    ...(isCommand ? { type: interaction.commandType === 1 ? 20 : 23 } : { replyTo: interaction.sourceMessage?.id }),
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

/** A message's interaction metadata: https://discord.com/developers/docs/resources/message#message-interaction-metadata-object */
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
