import type {
  APIApplicationCommandIntegerOption,
  APIApplicationCommandNumberOption,
  APIApplicationCommandStringOption,
} from 'discord-api-types/v10';
import type { Hub } from '../state/hub.ts';
import type { Standing } from '../state/installations.ts';
import { attachmentPayload, newAttachment } from '../state/messages.ts';
import { type Attachment, CHANNEL_TYPES, type Channel, OPTION, type RegisteredCommand } from '../state/model.ts';
import { partialChannelPayload, resolvedMemberPayload, rolePayload, userPayload } from '../state/payloads.ts';
import { channelPermissions } from '../state/permissions.ts';
import { type ChosenCommand, CommandRefused, type FileInput, type Option, type OptionInput } from './typed-command.ts';
import { byName, findMember } from './views.ts';

export interface CommandContext extends Standing {
  readonly hub: Hub;
}

type TextOption = APIApplicationCommandStringOption;
type NumberOption = APIApplicationCommandIntegerOption | APIApplicationCommandNumberOption;
type Entities = Record<string, unknown>;
type ResolvedData = Record<'users' | 'members' | 'roles' | 'channels' | 'attachments', Entities>;

/** The context of a command while a person fills it in. `resolved` collects the entities that option values name. */
export interface Filling extends CommandContext {
  readonly resolved: ResolvedData;
}

export const emptyResolved = (): ResolvedData => ({ users: {}, members: {}, roles: {}, channels: {}, attachments: {} });

export function presentResolved(resolved: ResolvedData): Partial<ResolvedData> | undefined {
  const present = Object.entries(resolved).filter(([, entries]) => Object.keys(entries).length > 0);
  return present.length === 0 ? undefined : Object.fromEntries(present);
}

/** Throws for option values that Discord's client would not send. */
export function commandData(
  context: CommandContext,
  chosen: ChosenCommand,
  values: Readonly<Record<string, OptionInput>>,
) {
  const filling = { ...context, resolved: emptyResolved() };
  for (const name of Object.keys(values)) {
    if (!chosen.options.some((option) => option.name === name)) throw new CommandRefused(`There is no option ${name}`);
  }
  const missing = chosen.options.find(
    (option) => option.required && (values[option.name] === undefined || values[option.name] === ''),
  );
  if (missing) throw new CommandRefused(`This option is required: ${missing.name}`);
  const options = chosen.options.flatMap((option) => {
    const input = values[option.name];
    if (input === undefined) return [];
    return [{ name: option.name, type: option.type, value: readValue(filling, option, input) }];
  });
  return filledIn(chosen, options, filling);
}

/** The data of an autocomplete request: the typed value in `focused` is unchecked, and required options may be missing. */
export function autocompleteData(
  context: CommandContext,
  chosen: ChosenCommand,
  focused: Readonly<Record<string, string>>,
  filled: Readonly<Record<string, OptionInput>>,
) {
  const [name = '', typed = ''] = Object.entries(focused)[0] ?? [];
  const option = chosen.options.find((candidate) => candidate.name === name);
  if (!option || !('autocomplete' in option && option.autocomplete))
    throw new CommandRefused(`The option ${name} offers nothing while typing`);
  const filling = { ...context, resolved: emptyResolved() };
  const options = chosen.options.flatMap((other) => {
    const input = filled[other.name];
    if (other.name === name) return [{ name, type: option.type, value: typed, focused: true }];
    return input === undefined ? [] : [{ name: other.name, type: other.type, value: readValue(filling, other, input) }];
  });
  return filledIn(chosen, options, filling);
}

function filledIn({ command, steps }: ChosenCommand, options: readonly unknown[], { resolved }: Filling) {
  const nested = steps.reduceRight((inner, step) => [{ ...step, options: inner }], options);
  return { ...commandHead(command), options: nested, resolved: presentResolved(resolved) };
}

export const commandHead = ({ id, name, type, guild_id }: RegisteredCommand) => ({
  id,
  name,
  type,
  guild_id,
});

function readValue(filling: Filling, option: Option, input: OptionInput): string | number | boolean {
  switch (option.type) {
    case OPTION.string:
      return readText(option, input);
    case OPTION.integer:
    case OPTION.number:
      return readNumber(filling, option, input);
    case OPTION.boolean:
      return readBoolean(option, input);
    case OPTION.attachment:
      return readFile(filling, option.name, input);
    default: {
      const channelTypes = option.type === OPTION.channel ? (option.channel_types ?? []) : [];
      const field = { type: option.type, channelTypes, called: `The option ${option.name}` };
      return readEntity(filling, field, String(input));
    }
  }
}

function readChoice({ name: option, choices }: TextOption | NumberOption, input: OptionInput) {
  if (!choices?.length) return undefined;
  const choice = choices.find(({ name, name_localizations: localized, value }) =>
    [name, value, ...Object.values(localized ?? {})].some((known) => known === input),
  );
  if (!choice)
    throw new CommandRefused(`The option ${option} must be one of: ${choices.map(({ name }) => name).join(', ')}`);
  return choice.value;
}

function readText(option: TextOption, input: OptionInput): string {
  const choice = readChoice(option, input);
  if (choice !== undefined) return String(choice);
  if (typeof input !== 'string') throw new CommandRefused(`The option ${option.name} takes text`);
  checkLength(`The option ${option.name}`, input, option.min_length ?? 0, option.max_length ?? 6_000);
  return input;
}

export function checkLength(called: string, text: string, min: number, max: number): void {
  const { length } = [...text];
  if (length < min) throw new CommandRefused(`${called} needs at least ${min} characters`);
  if (length > max) throw new CommandRefused(`${called} takes at most ${max} characters`);
}

function readNumber({ hub, userId }: CommandContext, option: NumberOption, input: OptionInput): number {
  const { name, min_value: min = Number.NEGATIVE_INFINITY, max_value: max = Number.POSITIVE_INFINITY } = option;
  const isWhole = option.type === OPTION.integer;
  const typed = String(readChoice(option, input) ?? input);
  // As in Discord's client, the person's language decides if the decimal sign is a point or a comma.
  const sign = (0.5).toLocaleString(hub.model.users.get(userId)?.locale)[1] ?? '.';
  const value = Number(typed === '' ? Number.NaN : typed.replace(sign, '.'));
  if (Number.isFinite(value) && (!isWhole || Number.isInteger(value)) && value >= min && value <= max) return value;
  const range = [Number.isFinite(min) && `from ${min}`, Number.isFinite(max) && `up to ${max}`].filter(Boolean);
  throw new CommandRefused([`The option ${name} takes a ${isWhole ? 'whole ' : ''}number`, ...range].join(' '));
}

function readBoolean(option: Option, input: OptionInput): boolean {
  if (input === true || /^true$/i.test(String(input))) return true;
  if (input === false || /^false$/i.test(String(input))) return false;
  throw new CommandRefused(`The option ${option.name} must be True or False`);
}

export function readFile({ hub, resolved }: Filling, option: string, input: unknown): string {
  if (!isFile(input)) throw new CommandRefused(`The option ${option} takes a file`);
  const attachment = uploaded(hub, input);
  const { id } = attachment;
  hub.model.uploads.set(id, attachment);
  resolved.attachments[id] = attachmentPayload(attachment, true);
  return id;
}

export function uploaded(hub: Hub, { name: filename, contentType, bytes }: FileInput): Attachment {
  // Discord measures an uploaded file's duration. The playground instead claims one second for every audio and video file.
  const durationSeconds = /^(audio|video)\//.test(contentType) ? 1 : undefined;
  return newAttachment(hub, { filename, contentType, bytes, durationSeconds });
}

const isFile = (input: unknown): input is FileInput =>
  typeof input === 'object' && input !== null && 'bytes' in input && 'name' in input;

interface EntityField {
  readonly type: number;
  /** The types of the channels that can be chosen; empty for all types. */
  readonly channelTypes: readonly number[];
  readonly called: string;
}

/** Finds a user, role or channel by name or id, with or without `@` and `#`, like the list in Discord's client. */
export function readEntity(filling: Filling, field: EntityField, input: string): string {
  const bare = input.replace(/^(<@!?|<@&|<#|@|#)/, '').replace(/>$/, '');
  const { type, called } = field;
  const found =
    (type === OPTION.user || type === OPTION.mentionable ? resolveUser(filling, bare) : undefined) ??
    (type === OPTION.role || type === OPTION.mentionable ? resolveRole(filling, bare) : undefined) ??
    (type === OPTION.channel ? resolveChannel(filling, field, bare) : undefined);
  if (found === undefined) throw new CommandRefused(`${called} does not know ${input}`);
  return found;
}

/** Members of the server or of the direct messages are found by name, all other users only by id. */
function resolveUser({ hub, guild, channel, resolved }: Filling, name: string): string | undefined {
  const member = guild && findMember(hub, guild, name);
  const there = (guild ? [] : (channel.participants ?? [])).flatMap((id) => hub.model.users.get(id) ?? []);
  const named = byName(there, name, ({ username, displayName }) => [username, displayName]);
  const user = named ?? hub.model.users.get(member?.userId ?? name);
  if (!user) return undefined;
  resolved.users[user.id] = userPayload(user);
  if (guild && member) resolved.members[user.id] = resolvedMemberPayload(guild, member);
  return user.id;
}

function resolveRole({ guild, resolved }: Filling, name: string): string | undefined {
  const role = byName([...(guild?.roles.values() ?? [])], name, (candidate) => [candidate.id, candidate.name]);
  if (!role) return undefined;
  resolved.roles[role.id] = rolePayload(role);
  return role.id;
}

function resolveChannel(filling: Filling, { called, channelTypes: types }: EntityField, name: string) {
  const { hub, guild, member, resolved } = filling;
  if (!guild || !member) return undefined;
  const fits = (channel: Channel) => types.length === 0 || types.includes(CHANNEL_TYPES[channel.kind]);
  const channels = [...guild.channels.values()];
  const find = (candidates: readonly Channel[]) =>
    byName(candidates, name, (candidate) => [candidate.id, candidate.name]);
  const channel = find(channels.filter(fits));
  if (!channel) {
    if (find(channels)) throw new CommandRefused(`${called} does not take this kind of channel`);
    return undefined;
  }
  const bot = guild.members.get(hub.model.application.botId);
  resolved.channels[channel.id] = {
    ...partialChannelPayload(guild, member, channel, hub.clock.now()),
    app_permissions: bot ? channelPermissions(guild, bot, channel, hub.clock.now()).toString() : undefined,
  };
  return channel.id;
}
