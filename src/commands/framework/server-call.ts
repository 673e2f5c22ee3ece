import type {
  AutocompleteInteraction,
  BaseInteraction,
  ButtonInteraction,
  ChatInputCommandInteraction,
  MessageContextMenuCommandInteraction,
  ModalSubmitInteraction,
  StringSelectMenuInteraction,
} from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';

type Cached<Interaction> = Interaction extends ChatInputCommandInteraction
  ? ChatInputCommandInteraction<'cached'>
  : Interaction extends MessageContextMenuCommandInteraction
    ? MessageContextMenuCommandInteraction<'cached'>
    : Interaction extends ButtonInteraction
      ? ButtonInteraction<'cached'>
      : Interaction extends StringSelectMenuInteraction
        ? StringSelectMenuInteraction<'cached'>
        : Interaction extends ModalSubmitInteraction
          ? ModalSubmitInteraction<'cached'>
          : Interaction extends AutocompleteInteraction
            ? AutocompleteInteraction<'cached'>
            : never;

/** A call from a server the bot is in. */
type InServer<Call extends { readonly interaction: BaseInteraction }> = Omit<Call, 'interaction'> & {
  readonly interaction: Cached<Call['interaction']>;
};

/** The same call, known to come from a server the bot is in: refused in words anywhere else. */
export function serverCall<Call extends { readonly interaction: BaseInteraction }>(call: Call): InServer<Call> {
  if (!call.interaction.inCachedGuild()) throw new UserError(text('refused.server-only'));
  return call as unknown as InServer<Call>;
}
