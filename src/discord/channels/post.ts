import {
  type Client,
  DiscordAPIError,
  type Guild,
  type MessageCreateOptions,
  MessageFlags,
  type SendableChannels,
  Team,
  TeamMemberMembershipState,
  TeamMemberRole,
} from 'discord.js';
import type { Logger } from 'pino';
import type { Leaving } from '../../services/playback/guild-speaker.ts';
import type { ServerRulesBook } from '../../services/servers/admission.ts';
import type { ApplicationOwners, Owners } from '../../services/spending/owners.ts';
import { withDeadline } from '../../services/time/timers.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import { mayWrite, writableChannel } from './permissions.ts';

/** Deadline for posting a message: long enough if Discord's limit of 5 messages in 5 s per channel delays it. */
const POST_DEADLINE_MS = 10_000;

/** Rejects with Discord's error, or with a DeadlineError; the message may still arrive after the deadline. */
export async function post(channel: SendableChannels, message: MessageCreateOptions, what: string): Promise<void> {
  const sending = channel.send({ ...message, allowedMentions: { parse: [] } });
  await withDeadline<unknown>(sending, { timeoutMs: POST_DEADLINE_MS, what });
}

/** Resolves with false if the bot is not allowed to write in any channel. */
export async function postAnywhere(guild: Guild, message: MessageCreateOptions, what: string): Promise<boolean> {
  const channel = writableChannel(guild);
  if (channel) await post(channel, message, what);
  return channel !== undefined;
}

/** Posts a notice if possible, and never rejects: an admin may have just removed the channel or the bot's permission to write. */
export async function postNotice(
  client: Client,
  { guildId, channelId, content }: { readonly guildId: string; readonly channelId: string; readonly content: string },
  log: Logger,
): Promise<void> {
  const me = client.guilds.cache.get(guildId)?.members.me;
  const channel = client.channels.cache.get(channelId);
  if (!me || !channel?.isSendable() || channel.isDMBased() || !mayWrite(channel, me)) return;
  try {
    await post(channel, { content, flags: [MessageFlags.SuppressNotifications] }, 'Posting a notice');
  } catch (error) {
    log[error instanceof DiscordAPIError ? 'info' : 'warn'](
      { err: error, guildId },
      'Could not post a notice in a server',
    );
  }
}

/** Asks Discord who owns the application. Rejects if the bot has not logged in yet, or if Discord does not answer. */
export async function fetchApplicationOwners(client: Client): Promise<ApplicationOwners> {
  const application = await client.application?.fetch();
  const owner = application?.owner;
  if (!owner) throw new Error('Discord names no owner of the application');
  if (!(owner instanceof Team)) return { owner: owner.id, team: [] };
  const team = owner.members
    .filter((member) => member.membershipState === TeamMemberMembershipState.Accepted)
    // Team members with the role read-only do not count as owners: they must not see the replies to owner commands.
    .filter((member) => member.role !== TeamMemberRole.ReadOnly)
    .map((member) => member.id);
  return { owner: owner.ownerId ?? owner.id, team };
}

/** Sends each owner a direct message in the owner's language. Rejects if no owner could be reached. */
export async function writeToOwners(client: Client, owners: Owners, message: Text): Promise<void> {
  const contacts = await owners.contacts();
  const sent = await Promise.allSettled(
    contacts.map(({ userId, locale }) => client.users.send(userId, { content: render(message, locale) })),
  );
  if (sent.some(({ status }) => status === 'fulfilled')) return;
  const reasons = sent.flatMap((attempt) => (attempt.status === 'rejected' ? [attempt.reason as unknown] : []));
  throw new AggregateError(reasons, 'No owner could be reached: set OWNER_IDS, or allow direct messages from the bot');
}

/** Posts why the bot has left voice, in the text channel where it was last used. Admins can turn these notices off. */
export function createLeaveNotice(client: Client, rules: ServerRulesBook, log: Logger) {
  return (leaving: Leaving): void => {
    const { guildId, textChannelId: channelId } = leaving;
    const what = leavingText(leaving);
    const { hushed, language } = rules.known(guildId);
    const locale = language ?? client.guilds.cache.get(guildId)?.preferredLocale;
    if (!what || hushed || channelId === undefined || locale === undefined) return;
    void postNotice(client, { guildId, channelId, content: render(what, locale) }, log);
  };
}

/** Undefined if members already know why the bot left voice, or if nobody is in the voice channel. */
function leavingText({ voiceChannelId, reason, obstacle }: Leaving): Text | undefined {
  const channel = `<#${voiceChannelId}>`;
  switch (reason) {
    case 'asked':
    case 'closing':
    case 'nobody-listening':
    case 'unheard':
      return undefined;
    case 'channel-gone':
      return text('left.channel-gone');
    case 'not-allowed':
      return obstacle && text('left.not-allowed', { channel, why: obstacle });
    default:
      return text(`left.${reason}`, { channel });
  }
}
