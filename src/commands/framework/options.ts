import {
  type ApplicationCommandOptionAllowedChannelTypes,
  ChannelType,
  type ChatInputCommandInteraction,
  ApplicationCommandOptionType as OptionType,
} from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import type { NumberRange } from '../../speech/interface/models.ts';
import { type LanguageName, type PlainTextKey, type Text, text } from '../../texts/catalog.ts';

/** A plain string is the same for everyone; other names are shown in the reader's language. */
export interface OptionChoice {
  readonly name: Text | LanguageName | string;
  readonly value: string;
}

interface Described {
  readonly name: string;
  readonly description: PlainTextKey;
}

type Words =
  | { readonly choices: readonly OptionChoice[] }
  | { readonly maxLength: number; readonly autocomplete?: true };
type ChannelTypes = readonly ApplicationCommandOptionAllowedChannelTypes[];

type Taken =
  | ({ readonly type: OptionType.String } & Words)
  | { readonly type: OptionType.Integer | OptionType.Number; readonly min: number; readonly max: number }
  | { readonly type: OptionType.Channel; readonly channelTypes: ChannelTypes }
  | { readonly type: OptionType.Boolean | OptionType.Attachment | OptionType.User };

export type ValueOption = Described & Taken & { readonly required: boolean };

export type OptionDefinition =
  | ValueOption
  | (Described & { readonly type: OptionType.Subcommand; readonly options: readonly OptionDefinition[] });

const option = (name: string, description: PlainTextKey, taken: Taken): ValueOption => ({
  name,
  description,
  required: false,
  ...taken,
});

export const stringOption = (name: string, description: PlainTextKey, words: Words) =>
  option(name, description, { type: OptionType.String, ...words });
export const numberOption = (name: string, description: PlainTextKey, { integer, min, max }: NumberRange) =>
  option(name, description, { type: integer ? OptionType.Integer : OptionType.Number, min, max });
export const channelOption = (name: string, description: PlainTextKey, channelTypes: ChannelTypes) =>
  option(name, description, { type: OptionType.Channel, channelTypes });
export const booleanOption = (name: string, description: PlainTextKey) =>
  option(name, description, { type: OptionType.Boolean });
export const attachmentOption = (name: string, description: PlainTextKey) =>
  option(name, description, { type: OptionType.Attachment });
export const userOption = (name: string, description: PlainTextKey) =>
  option(name, description, { type: OptionType.User });

export const required = (option: ValueOption): ValueOption => ({ ...option, required: true });

export const voiceChannelOption = (description: PlainTextKey) =>
  channelOption('channel', description, [ChannelType.GuildVoice, ChannelType.GuildStageVoice]);

export const subcommand = (
  name: string,
  description: PlainTextKey,
  options: readonly OptionDefinition[] = [],
): OptionDefinition => ({ type: OptionType.Subcommand, name, description, options });

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
