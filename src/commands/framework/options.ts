import {
  type APIApplicationCommandBasicOption,
  type APIApplicationCommandOption,
  type ApplicationCommandOptionAllowedChannelTypes,
  ApplicationCommandType,
  ApplicationIntegrationType,
  ChannelType,
  type ChatInputCommandInteraction,
  InteractionContextType,
  ApplicationCommandOptionType as OptionType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { DISCORD_LIMITS } from '../../discord/replies/layout.ts';
import { UserError } from '../../errors/user-errors.ts';
import type { NumberRange } from '../../speech/interface/models.ts';
import {
  type LanguageName,
  type PlainTextKey,
  render,
  renderLanguage,
  type Text,
  TRANSLATED_LOCALES,
  text,
} from '../../texts/catalog.ts';
import type { Command } from './command.ts';

/** Names of slash commands and options are not translated: all members, /help and the docs use the same names. */
const translations = (content: Text) =>
  Object.fromEntries(TRANSLATED_LOCALES.map((locale) => [locale, render(content, locale)]));

const described = (key: PlainTextKey) => ({
  description: render(text(key)),
  description_localizations: translations(text(key)),
});

const option = <const Taken extends object>(name: string, description: PlainTextKey, taken: Taken) => ({
  name,
  ...described(description),
  required: false,
  ...taken,
});

export const stringOption = (name: string, description: PlainTextKey, maxLength: number) =>
  option(name, description, { type: OptionType.String, max_length: maxLength });
/** A typed value has at most the length that Discord allows for a suggestion. */
export const autocompleteOption = (name: string, description: PlainTextKey) =>
  option(name, description, {
    type: OptionType.String,
    max_length: DISCORD_LIMITS.choiceCharacters,
    autocomplete: true,
  });
export const choiceOption = (name: string, description: PlainTextKey, choices: readonly OptionChoice[]) =>
  option(name, description, { type: OptionType.String, choices: choices.map(toChoice) });
export const numberOption = (name: string, description: PlainTextKey, { integer, min, max }: NumberRange) =>
  integer
    ? option(name, description, { type: OptionType.Integer, min_value: min, max_value: max })
    : option(name, description, { type: OptionType.Number, min_value: min, max_value: max });
export const channelOption = (
  name: string,
  description: PlainTextKey,
  types: readonly ApplicationCommandOptionAllowedChannelTypes[],
) => option(name, description, { type: OptionType.Channel, channel_types: types.slice() });
export const booleanOption = (name: string, description: PlainTextKey) =>
  option(name, description, { type: OptionType.Boolean });
export const attachmentOption = (name: string, description: PlainTextKey) =>
  option(name, description, { type: OptionType.Attachment });
export const userOption = (name: string, description: PlainTextKey) =>
  option(name, description, { type: OptionType.User });

export const required = <Option extends APIApplicationCommandBasicOption>(option: Option): Option => ({
  ...option,
  required: true,
});

export const voiceChannelOption = (description: PlainTextKey) =>
  channelOption('channel', description, [ChannelType.GuildVoice, ChannelType.GuildStageVoice]);

export const subcommand = (
  name: string,
  description: PlainTextKey,
  options: APIApplicationCommandBasicOption[] = [],
): APIApplicationCommandOption => ({ type: OptionType.Subcommand, name, ...described(description), options });

/** A plain string is its own name for everyone; other choices have a name in the reader's language. */
type OptionChoice = string | { readonly name: Text | LanguageName; readonly value: string };

function toChoice(choice: OptionChoice) {
  if (typeof choice === 'string') return { name: choice, value: choice };
  const { name, value } = choice;
  if ('key' in name) return { name: render(name), name_localizations: translations(name), value };
  const names = TRANSLATED_LOCALES.map((locale) => [locale, capitalized(renderLanguage(name, locale))]);
  return { name: renderLanguage(name), name_localizations: Object.fromEntries(names), value };
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** With `directUse`, Discord also offers the command outside the bot's servers, if it can be used there. */
export function toCommandBody(command: Command, directUse = false): RESTPostAPIApplicationCommandsJSONBody {
  const isOwners = command.onlyFor === 'owner';
  const isEverywhere = directUse && command.onlyFor === undefined;
  const { Guild, BotDM, PrivateChannel } = InteractionContextType;
  const { GuildInstall, UserInstall } = ApplicationIntegrationType;
  const common = {
    name: command.name,
    contexts: isOwners ? [BotDM] : isEverywhere ? [Guild, BotDM, PrivateChannel] : [Guild],
    integration_types: isEverywhere ? [GuildInstall, UserInstall] : [GuildInstall],
    // The permissions '0' limit an owner's command to administrators, because Discord cannot limit a command to one person.
    default_member_permissions: isOwners ? '0' : (command.defaultMemberPermissions?.toString() ?? null),
  };
  if (command.kind === 'message') {
    return { ...common, name_localizations: translations(text(command.label)), type: ApplicationCommandType.Message };
  }
  const { name, options = [] } = command;
  const description = described(`${name}.description`);
  return { ...common, ...description, type: ApplicationCommandType.ChatInput, options: [...options] };
}

/** Throws a UserError for an unknown subcommand, which a client with an outdated list of commands can send. */
export function bySubcommand<Call extends { readonly interaction: ChatInputCommandInteraction }, Begun>(
  table: Readonly<Record<string, (call: Call) => Begun>>,
  call: Call,
): Begun {
  const name = call.interaction.options.getSubcommand(false);
  const begin = name !== null && Object.hasOwn(table, name) ? table[name] : undefined;
  if (!begin) throw new UserError(text('refused.unknown-command'));
  return begin(call);
}
