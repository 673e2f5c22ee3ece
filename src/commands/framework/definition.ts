import {
  type APIApplicationCommandOption,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  ApplicationIntegrationType,
  InteractionContextType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { type PlainTextKey, render, TRANSLATED_LOCALES, text } from '../../texts/catalogue.ts';
import type { Command, OptionChoice, OptionDefinition } from './command.ts';

const words = (key: PlainTextKey) => render(text(key));

/** By locale; names of commands and options have none, so that help and documents match what is typed. */
const translations = (key: PlainTextKey) =>
  Object.fromEntries(TRANSLATED_LOCALES.map((locale) => [locale, render(text(key), locale)]));

const described = (key: PlainTextKey) => ({
  description: words(key),
  description_localizations: translations(key),
});

interface DefinitionOptions {
  /** Whether commands can be used in direct messages and in servers without the bot, where their contexts allow. */
  readonly directUse: boolean;
  /** Whether it is registered in one server; otherwise everywhere. Only the owner's commands differ. */
  readonly inServer?: boolean;
}

/** A command as Discord wants to have it registered. */
export function toCommandBody(
  command: Command,
  { directUse, inServer = false }: DefinitionOptions = { directUse: false },
): RESTPostAPIApplicationCommandsJSONBody {
  const isOwners = command.onlyFor === 'owner';
  const ownersPlace = inServer ? InteractionContextType.Guild : InteractionContextType.BotDM;
  const contexts = command.needs.contexts.filter((context) =>
    isOwners ? context === ownersPlace : directUse || context === InteractionContextType.Guild,
  );
  const common = {
    name: command.name,
    contexts,
    integration_types: contexts.includes(InteractionContextType.PrivateChannel)
      ? [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall]
      : [ApplicationIntegrationType.GuildInstall],
    // '0': nobody but a server's administrators, as close as Discord comes to one person.
    default_member_permissions: isOwners ? '0' : (command.defaultMemberPermissions?.toString() ?? null),
  };
  if (command.kind === 'message') return { ...common, type: ApplicationCommandType.Message };
  return {
    ...common,
    type: ApplicationCommandType.ChatInput,
    ...described(command.description),
    options: (command.options ?? []).map(toOption),
  };
}

function toOption(option: OptionDefinition): APIApplicationCommandOption {
  const { name } = option;
  const description = described(option.description);
  switch (option.type) {
    case ApplicationCommandOptionType.Subcommand:
      return {
        type: option.type,
        name,
        ...description,
        // Discord allows no subcommand below a subcommand.
        options: (option.options ?? []).map(toOption) as never,
      };
    case ApplicationCommandOptionType.Channel:
      return {
        type: option.type,
        name,
        ...description,
        required: option.required ?? false,
        channel_types: [...option.channelTypes],
      };
    case ApplicationCommandOptionType.Attachment:
    case ApplicationCommandOptionType.User:
    case ApplicationCommandOptionType.Boolean:
      return { type: option.type, name, ...description, required: option.required ?? false };
    case ApplicationCommandOptionType.Integer:
    case ApplicationCommandOptionType.Number:
      return {
        type: option.type,
        name,
        ...description,
        required: option.required ?? false,
        min_value: option.min,
        max_value: option.max,
      } as APIApplicationCommandOption;
    case ApplicationCommandOptionType.String:
      return {
        type: option.type,
        name,
        ...description,
        required: option.required ?? false,
        ...(option.autocomplete && { autocomplete: true }),
        ...(option.choices && { choices: option.choices.map(toChoice) }),
        ...(option.minLength !== undefined && { min_length: option.minLength }),
        ...(option.maxLength !== undefined && { max_length: option.maxLength }),
      } as APIApplicationCommandOption;
  }
}

function toChoice({ name, label, value }: OptionChoice) {
  if (name === undefined) return { name: label ?? value, value };
  return { name: words(name), name_localizations: translations(name), value };
}
