import {
  type APIApplicationCommandOption,
  ApplicationCommandType,
  ApplicationIntegrationType,
  type CommandInteractionOption,
  InteractionContextType,
  type RESTPostAPIApplicationCommandsJSONBody,
} from 'discord.js';
import { type PlainTextKey, render, renderLanguage, type Text, TRANSLATED_LOCALES, text } from '../../texts/catalog.ts';
import type { Command, OptionChoice, OptionDefinition, ValueOption } from './command.ts';

/** Names of slash commands and options are not translated: all members, /help and the docs use the same names. */
const translations = (content: Text) =>
  Object.fromEntries(TRANSLATED_LOCALES.map((locale) => [locale, render(content, locale)]));

const described = (key: PlainTextKey) => ({
  description: render(text(key)),
  description_localizations: translations(text(key)),
});

/** With `directUse`, Discord also offers the command outside the bot's servers, if its contexts allow that. */
export function toCommandBody(
  command: Command,
  { directUse } = { directUse: false },
): RESTPostAPIApplicationCommandsJSONBody {
  const isOwners = command.onlyFor === 'owner';
  const contexts = command.needs.contexts.filter((context) =>
    isOwners ? context === InteractionContextType.BotDM : directUse || context === InteractionContextType.Guild,
  );
  const common = {
    name: command.name,
    contexts,
    integration_types: contexts.includes(InteractionContextType.PrivateChannel)
      ? [ApplicationIntegrationType.GuildInstall, ApplicationIntegrationType.UserInstall]
      : [ApplicationIntegrationType.GuildInstall],
    // The permissions '0' limit an owner's command to administrators, because Discord cannot limit a command to one person.
    default_member_permissions: isOwners ? '0' : (command.defaultMemberPermissions?.toString() ?? null),
  };
  if (command.kind === 'message') {
    return { ...common, name_localizations: translations(text(command.label)), type: ApplicationCommandType.Message };
  }
  return {
    ...common,
    type: ApplicationCommandType.ChatInput,
    ...described(command.description),
    options: (command.options ?? []).map(toOption),
  };
}

function toOption(option: OptionDefinition): APIApplicationCommandOption {
  const common = { type: option.type, name: option.name, ...described(option.description) };
  const details = 'options' in option ? { options: option.options.map(toOption) } : takenBy(option);
  return { ...common, ...details } as APIApplicationCommandOption;
}

function takenBy(option: ValueOption) {
  const { required } = option;
  if ('channelTypes' in option) return { required, channel_types: [...option.channelTypes] };
  if ('min' in option) return { required, min_value: option.min, max_value: option.max };
  if ('choices' in option) return { required, choices: option.choices.map(toChoice) };
  if ('maxLength' in option) return { required, autocomplete: option.autocomplete, max_length: option.maxLength };
  return { required };
}

function toChoice({ name, value }: OptionChoice) {
  if (typeof name === 'string') return { name, value };
  if ('key' in name) return { name: render(name), name_localizations: translations(name), value };
  const names = TRANSLATED_LOCALES.map((locale) => [locale, capitalized(renderLanguage(name, locale))]);
  return { name: renderLanguage(name), name_localizations: Object.fromEntries(names), value };
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Discord's own clients check the length of options, but other clients may not. */
export function overlongOption(
  given: readonly CommandInteractionOption[],
  options: readonly OptionDefinition[] = [],
): Text | undefined {
  for (const { name, value, options: inner } of given) {
    const option = options.find((one) => one.name === name);
    if (option && 'options' in option) return overlongOption(inner ?? [], option.options);
    if (typeof value !== 'string' || !option || !('maxLength' in option) || value.length <= option.maxLength) continue;
    return text('refused.option-too-long', { option: name, length: value.length, limit: option.maxLength });
  }
  return undefined;
}
