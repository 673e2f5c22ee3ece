import {
  type APIGuildMember,
  ChannelType,
  type Client,
  Collection,
  ComponentType,
  type Guild,
  type GuildMember,
  type Message,
  type MessageSnapshot,
  PermissionFlagsBits,
  Routes,
  type SectionComponent,
} from 'discord.js';
import type { Logger } from 'pino';
import type { Names } from '../../services/text/readable/readable.ts';
import { abortable, withDeadline } from '../../services/time/timers.ts';
import type { SpokenNames } from '../../services/voices/voices.ts';

type Said = Message | MessageSnapshot;

/** Returns the parts of a message to read aloud. For a forward, these are the parts of the forwarded message. */
export function readableParts(message: Message) {
  const own = partsOf(message);
  const forwarded = message.messageSnapshots.first();
  const isEmpty = own.content === '' && own.attachments.length + own.stickers.length === 0;
  return isEmpty && forwarded ? partsOf(forwarded) : own;
}

function partsOf(said: Said) {
  return {
    content: contentOf(said),
    attachments: said.attachments.map(({ name, contentType, waveform, spoiler }) => ({
      name,
      contentType,
      // A voice message is recognized by its waveform, because other audio files and videos have a duration, too.
      voiceMessage: waveform !== null,
      spoiler,
    })),
    stickers: said.stickers.map(({ name }) => name),
    mentioned: (userId: string) => said.mentions.users.get(userId)?.displayName,
  };
}

/** Bots often write only in embeds and components. Next to text, embeds usually just preview links. */
function contentOf({ content, embeds, poll, components }: Said): string {
  if (content.trim() !== '') return content;
  const asked = poll ? [poll.question.text, ...poll.answers.map((answer) => answer.text)] : [];
  const embedded = embeds.flatMap(({ title, description }) => [title, description]);
  return [...asked, ...embedded, ...components.flatMap(textsIn)].filter((words) => words !== null).join('\n');
}

function textsIn(component: Said['components'][number] | SectionComponent['components'][number]): string[] {
  switch (component.type) {
    case ComponentType.TextDisplay:
      return [component.content];
    case ComponentType.Section:
    case ComponentType.Container:
      return component.components.flatMap(textsIn);
    default:
      return [];
  }
}

interface Written {
  readonly words: string;
  readonly client: Client;
  /** The server in which the text was written. Null in direct messages, and in servers without the bot. */
  readonly guild: Guild | null;
  /** Channels that this member cannot see are not named. Null for webhooks, which see what everyone sees. */
  readonly reader: GuildMember | null;
  readonly spokenNames: SpokenNames;
  /** Returns the display name of a mentioned user by id, as Discord delivered it with the message. */
  readonly mentioned: Names['users'] | undefined;
  readonly signal: AbortSignal;
}

/** Names of members, roles and channels that a text mentions. Looks up unknown members for a second. Never rejects. */
export async function mentionedNames(written: Written): Promise<Names> {
  const { words, client, guild, reader, mentioned, signal } = written;
  const [asked, spoken] = await Promise.all([namesOfMentioned(guild, words, signal), spokenNamesIn(written)]);
  return {
    users: (id) =>
      spoken.get(id) ??
      guild?.members.cache.get(id)?.displayName ??
      asked.get(id) ??
      mentioned?.(id) ??
      client.users.cache.get(id)?.displayName,
    channels: (id) => (guild ? channelName(guild, id, reader) : undefined),
    roles: (id) => guild?.roles.cache.get(id)?.name,
  };
}

async function spokenNamesIn({ words, guild, spokenNames }: Written): Promise<ReadonlyMap<string, string | undefined>> {
  if (!guild) return new Map();
  const ids = [...mentionsIn(words)].slice(0, MAX_ASKED_FOR);
  return new Map(await Promise.all(ids.map(async (id) => [id, await spokenNames.of(id, guild.id)] as const)));
}

const mentionsIn = (words: string): ReadonlySet<string> =>
  new Set([...words.matchAll(MENTION)].map(([, id = '']) => id));

/** A text can mention any id, so channels of other servers and channels hidden from the author stay unnamed. */
function channelName(guild: Guild, channelId: string, reader: GuildMember | null): string | undefined {
  const channel = guild.channels.cache.get(channelId);
  // Private threads stay unnamed: discord.js does not know their members, so it cannot tell if the author may see them.
  if (!channel || channel.type === ChannelType.PrivateThread) return undefined;
  const permissions = channel.permissionsFor(reader ?? guild.roles.everyone);
  return permissions?.has(PermissionFlagsBits.ViewChannel) ? channel.name : undefined;
}

const MENTION = /<@!?(\d{1,20})>/g;
/** How many mentioned members are looked up per text, at Discord and in the stored spoken names. */
const MAX_ASKED_FOR = 10;
/** Discord usually answers in a tenth of this time. After it, the text is spoken without the names that are missing. */
const LOOKUP_TIMEOUT_MS = 1_000;

/**
 * Looks up the names of mentioned members who are not cached. Names that arrive too late are left out. None is cached:
 * names would become outdated, because Discord does not report changes of members to the bot. Never rejects.
 */
export async function namesOfMentioned(guild: Guild | null, written: string, signal: AbortSignal) {
  const names = new Map<string, string>();
  if (!guild) return names;
  const unknown = [...mentionsIn(written)].filter((id) => !guild.members.cache.has(id)).slice(0, MAX_ASKED_FOR);
  if (unknown.length === 0) return names;
  const wanted = AbortSignal.any([signal, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)]);
  const asked = unknown.map(async (id) => {
    const { nick, user } = (await guild.client.rest.get(Routes.guildMember(guild.id, id), {
      signal: wanted,
    })) as APIGuildMember;
    names.set(id, nick ?? user.global_name ?? user.username);
  });
  // Failed lookups are ignored, for example of members who have left the server.
  await abortable(Promise.allSettled(asked), wanted).catch(() => undefined);
  // The names are copied, so that a late answer of Discord cannot change a text that is being prepared.
  return new Map(names);
}

/** Discord's names have up to 32 characters, so a longer name matches no member. */
const MAX_NAME = 32;
/** Discord's maximum of results. A search for members matches prefixes, so the exact name may come late. */
const MAX_FOUND = 1_000;
const SEARCH_TIMEOUT_MS = 5_000;

interface Asking {
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly mayAskDiscord: () => boolean;
}

/** Finds members by their exact name, ignoring case: by user name, otherwise by display name. */
export async function membersCalled(
  name: string,
  { id: guildId, members }: Guild,
  { signal, log, mayAskDiscord }: Asking,
): Promise<readonly GuildMember[]> {
  if (name.length > MAX_NAME) return [];
  const wanted = name.toLowerCase();
  const hasUserName = ({ user }: GuildMember) => user.username.toLowerCase() === wanted;
  const known = members.cache.find(hasUserName);
  if (known) return [known];
  let found = new Collection<string, GuildMember>();
  if (mayAskDiscord()) {
    const search = members.search({ query: name, limit: MAX_FOUND, cache: false });
    const asked = withDeadline(search, { timeoutMs: SEARCH_TIMEOUT_MS, what: 'Looking for a member', signal });
    found = await asked.catch((error: unknown) => {
      signal.throwIfAborted();
      log.warn({ err: error, guildId }, 'Could not look up an @name: trying known members only');
      return found;
    });
  }
  const named = found.find(hasUserName);
  if (named) return [named];
  const isCalled = ({ displayName }: GuildMember) => displayName.toLowerCase() === wanted;
  return [...found.concat(members.cache).filter(isCalled).values()];
}
