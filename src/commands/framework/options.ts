import { ChannelType, type ChatInputCommandInteraction, ApplicationCommandOptionType as OptionType } from 'discord.js';
import { UserError } from '../../errors/user-errors.ts';
import type { NumberRange } from '../../speech/interface/models.ts';
import { type PlainTextKey, text } from '../../texts/catalog.ts';
import type { OptionChannels, OptionDefinition, OptionValues, OptionWords, ValueOption } from './command.ts';

const option = (name: string, description: PlainTextKey, taken: OptionValues): ValueOption => ({
  name,
  description,
  required: false,
  ...taken,
});

export const stringOption = (name: string, description: PlainTextKey, words: OptionWords) =>
  option(name, description, { type: OptionType.String, ...words });
export const numberOption = (name: string, description: PlainTextKey, { integer, min, max }: NumberRange) =>
  option(name, description, { type: integer ? OptionType.Integer : OptionType.Number, min, max });
export const channelOption = (name: string, description: PlainTextKey, channelTypes: OptionChannels) =>
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
