import {
  type APIInteraction,
  type Client,
  Events,
  GatewayDispatchEvents,
  InteractionResponseType,
  InteractionType,
  MessageFlags,
  Routes,
  Status,
} from 'discord.js';
import { render, text } from '../../../texts/catalogue.ts';

/**
 * discord.js holds all interactions back until every shard has its servers: shards log in 5 s apart, and a server with an outage is
 * waited for 15 s, but Discord takes answers for 3 s only. Says so instead, where `isFirst` says that it was not seen before.
 */
export function answerWhileStarting(client: Client, isFirst: (interactionId: string) => boolean): void {
  client.ws.on(GatewayDispatchEvents.InteractionCreate, (interaction: APIInteraction) => {
    if (client.ws.status === Status.Ready) return;
    const { id, token, type } = interaction;
    if (type === InteractionType.Ping || type === InteractionType.ApplicationCommandAutocomplete) return;
    if (!isFirst(id)) return;
    const content = render(text('refused.stopping'), interaction.locale);
    const body = {
      type: InteractionResponseType.ChannelMessageWithSource,
      data: { content, flags: MessageFlags.Ephemeral },
    };
    client.rest
      .post(Routes.interactionCallback(id, token), { auth: false, body })
      .catch((error: unknown) => client.emit(Events.Warn, `A command could not be answered at the start: ${error}`));
  });
}
