import { admissionRefusal, placeRefusal } from '../services/servers/admission.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import { isListed } from '../services/servers/server-settings.ts';
import type { Names, ReadableAttachment } from '../services/text/readable/readable.ts';

/** A message posted in a server, with the facts needed for reading it aloud. */
export interface Posted {
  readonly id: string;
  readonly guildId: string;
  readonly channelId: string;
  /** In a public thread, its parent channel. */
  readonly parentChannelId: string | undefined;
  readonly author: Author;
  /** Sent with `@silent`. */
  readonly isSilent: boolean;
  /** The time its content arrived, by Discord's clock. */
  readonly atMs: number;
  readonly content: string;
  readonly attachments: readonly ReadableAttachment[];
  readonly stickers: readonly string[];
  /** The display name of the author it replies to. */
  readonly replyTo: string | undefined;
  readonly replyToId: string | undefined;
  /** The server's own language, one of Discord's locale codes. */
  readonly guildLocale: string;
  /** Names of the members, roles and channels it mentions, after a short lookup of unknown ones. Never rejects. */
  names(signal: AbortSignal): Promise<Names>;
}

export interface Author {
  readonly id: string;
  readonly name: string;
  readonly kind: 'member' | 'bot' | 'webhook';
  readonly roleIds: readonly string[];
  readonly isAdmin: boolean;
  readonly voiceChannelId: string | undefined;
}

/** The bot's situation in a server, with the facts needed for reading. */
export interface Surroundings {
  /** The voice channel the bot is in or on its way to. */
  readonly botChannelId: string | undefined;
  readonly listeners: number;
  /** Whether members sent the bot out of there, so that messages do not bring it back. */
  readonly isDismissed: (channelId: string) => boolean;
  readonly ageMs: number;
  /** Whether a member brought the bot to this voice channel with /join, which has its chat read. */
  readonly isJoinedChat: (channelId: string) => boolean;
  /** False for a text channel and for one that is gone. */
  readonly isVoiceChannel: (channelId: string) => boolean;
}

/** Whether a message is read, and in which voice channel; otherwise the reason for the log. */
export type Decision =
  | { readonly kind: 'read'; readonly voiceChannelId: string }
  | { readonly kind: 'skip'; readonly why: (typeof REASONS)[number][0] };

/** A resumed session replays messages from before the interruption; older ones than this are out of date. */
const MAX_AGE_MS = 2 * 60_000;

/** A command for another bot: one of the usual prefixes right before a word. ':)', '-5' and '...' are not. */
const COMMAND = /^(?:[!$%?;.,~&+=-]|!!|\?\?)[a-z]{2}/iu;

interface Facts extends Surroundings {
  readonly posted: Posted;
  readonly rules: ServerRules;
  /** The channel that it would be read in; see placeFor. */
  readonly place: string | undefined;
}

/** The first that holds is the reason why a message is not read. */
const REASONS = [
  ['not-chosen', ({ place }) => place === 'not-chosen'],
  ['silent', ({ posted }) => posted.isSilent],
  ['old', ({ ageMs }) => ageMs > MAX_AGE_MS],
  ['bot', ({ posted: { author }, rules }) => author.kind !== 'member' && !rules.autoReadBots],
  ['command', ({ posted: { author, content } }) => author.kind === 'member' && COMMAND.test(content)],
  // Also for members exempt from the other rules: this list names them.
  ['muted', ({ posted: { author }, rules }) => isListed(rules.mutedMembers, author.id)],
  ['not-admitted', ({ posted, rules, place }) => !isAdmitted(posted, rules, place)],
  ['nobody-listening', ({ place }) => place === undefined],
  [
    'not-admitted',
    ({ posted: { author }, rules, isVoiceChannel, place: voiceChannelId = '' }) =>
      placeRefusal(rules, { isAdmin: author.isAdmin, voiceChannelId, isVoiceChannel }) !== undefined,
  ],
  // A member who dismissed the bot does not want it to return by itself.
  ['dismissed', ({ isDismissed, botChannelId, place = '' }) => botChannelId === undefined && isDismissed(place)],
] as const satisfies readonly (readonly [why: string, holds: (facts: Facts) => boolean])[];

export function decide(posted: Posted, rules: ServerRules, surroundings: Surroundings): Decision {
  const place = placeFor(posted, rules, surroundings);
  const reason = REASONS.find(([, holds]) => holds({ ...surroundings, posted, rules, place }));
  return reason ? { kind: 'skip', why: reason[0] } : { kind: 'read', voiceChannelId: place ?? '' };
}

/**
 * The voice channel to read the message in: the bot's if it has listeners, else the author's. Undefined when there is
 * none, 'not-chosen' when messages of that channel are not read.
 */
function placeFor(
  { channelId, parentChannelId, author }: Posted,
  { autoReadChannels, autoReadVoiceChat }: ServerRules,
  { botChannelId, listeners, isJoinedChat, isVoiceChannel }: Surroundings,
): string | undefined {
  const place = botChannelId !== undefined && listeners > 0 ? botChannelId : author.voiceChannelId;
  const isChosen = [channelId, parentChannelId].some((id) => id !== undefined && autoReadChannels.includes(id));
  if (isChosen && !isVoiceChannel(channelId)) return place;
  // The chat of another voice channel does not concern the listeners in the bot's channel.
  const readsChat =
    isChosen ||
    autoReadVoiceChat === 'always' ||
    (autoReadVoiceChat === 'joined' && botChannelId === channelId && isJoinedChat(channelId));
  return readsChat && place === channelId ? place : 'not-chosen';
}

function isAdmitted(posted: Posted, rules: ServerRules, voiceChannelId: string | undefined): boolean {
  const { author, channelId, parentChannelId } = posted;
  const speaker = {
    userId: author.id,
    roleIds: author.roleIds,
    isAdmin: author.isAdmin,
    textChannelId: parentChannelId ?? channelId,
    voiceChannelId: author.voiceChannelId ?? voiceChannelId,
  };
  // Webhooks have no roles, and bots have roles for other reasons: admins have chosen to hear them.
  const allowedRoles = author.kind === 'member' ? rules.allowedRoles : undefined;
  return admissionRefusal({ ...rules, allowedRoles }, speaker) === undefined;
}
