import {
  type ApplicationCommandOptionAllowedChannelTypes,
  ChannelType,
  type ChatInputCommandInteraction,
  ApplicationCommandOptionType as OptionType,
} from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import { type LanguageName, type PlainTextKey, text } from '../../texts/catalog.ts';

/** A fixed choice of a command's option. Without `name` and `label`, Discord shows the value. */
export interface OptionChoice {
  readonly name?: PlainTextKey;
  /** A label that needs no translation, or a language, whose name Discord shows translated for each member. */
  readonly label?: string | LanguageName;
  readonly value: string;
}

interface DetailsOf {
  readonly [OptionType.String]:
    | { readonly choices: readonly OptionChoice[] }
    | { readonly autocomplete?: boolean; readonly maxLength: number };
  readonly [OptionType.Integer]: { readonly min: number; readonly max: number };
  readonly [OptionType.Number]: { readonly min: number; readonly max: number };
  readonly [OptionType.Boolean]: object;
  readonly [OptionType.Attachment]: object;
  readonly [OptionType.User]: object;
  readonly [OptionType.Channel]: { readonly channelTypes: readonly ApplicationCommandOptionAllowedChannelTypes[] };
}

type Details<Type extends keyof DetailsOf> = DetailsOf[Type] & {
  readonly required?: boolean;
};

interface Described<Type> {
  readonly type: Type;
  readonly name: string;
  readonly description: PlainTextKey;
}

type ValueOption = { [Type in keyof DetailsOf]: Described<Type> & Details<Type> }[keyof DetailsOf];

export type OptionDefinition =
  | ValueOption
  | (Described<OptionType.Subcommand> & { readonly options: readonly OptionDefinition[] });

type Given<Required extends object> = object extends Required ? [details?: Required] : [details: Required];

const optionOf =
  <Type extends keyof DetailsOf>(type: Type) =>
  (name: string, description: PlainTextKey, ...[details]: Given<Details<Type>>) =>
    ({ type, name, description, ...details }) as Described<Type> & Details<Type>;

export const stringOption = optionOf(OptionType.String);
export const integerOption = optionOf(OptionType.Integer);
export const numberOption = optionOf(OptionType.Number);
export const booleanOption = optionOf(OptionType.Boolean);
export const attachmentOption = optionOf(OptionType.Attachment);
export const userOption = optionOf(OptionType.User);
export const channelOption = optionOf(OptionType.Channel);

export const voiceChannelOption = (description: PlainTextKey) =>
  channelOption('channel', description, {
    channelTypes: [ChannelType.GuildVoice, ChannelType.GuildStageVoice],
  });

export const subcommand = (
  name: string,
  description: PlainTextKey,
  options: readonly OptionDefinition[] = [],
): OptionDefinition => ({ type: OptionType.Subcommand, name, description, options });

/**
 * Throws a UserError for a missing or unknown subcommand, which a client with an outdated list of commands can send.
 */
export function bySubcommand<Call extends { readonly interaction: ChatInputCommandInteraction }, Begun>(
  table: Readonly<Record<string, (call: Call) => Begun>>,
  call: Call,
): Begun {
  const name = call.interaction.options.getSubcommand(false);
  const begin = name !== null && Object.hasOwn(table, name) ? table[name] : undefined;
  if (!begin) throw new UserError(text('refused.unknown-command'));
  return begin(call);
}
