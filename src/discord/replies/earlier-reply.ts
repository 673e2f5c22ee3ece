import { type Client, InteractionWebhook } from 'discord.js';
import type { Logger } from 'pino';
import { type AnswerContent, type AnsweredInteraction, createAnswer } from './answer.ts';

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
