import { admissionRefusal, placeRefusal } from '../services/servers/admission.ts';
import type { ServerRules } from '../services/servers/server-rules.ts';
import { isListed } from '../services/servers/server-settings.ts';
import type { Author, Posted } from './posted-message.ts';

/** The bot's situation in a server, with the facts needed for reading. */
export interface Surroundings {
  /** The voice channel the bot is in or on its way to. */
  readonly botChannelId: string | undefined;
  /** Human members in that channel. */
  readonly listeners: number;
  /** A member has dismissed the bot, so messages do not bring it back. */
  readonly isDismissed: boolean;
  /** The age of the message. */
  readonly ageMs: number;
  /** Whether a member brought the bot to this voice channel with /join, which has its chat read. */
  readonly isJoinedChat: (channelId: string) => boolean;
  /** False for a text channel and for one that is gone. */
  readonly isVoiceChannel: (channelId: string) => boolean;
}

/** Whether a message is read, and in which voice channel; otherwise the reason for the log. */
export type Decision =
  | { readonly kind: 'read'; readonly voiceChannelId: string }
  | { readonly kind: 'skip'; readonly why: SkipReason };

type SkipReason =
  | 'not-chosen'
  | 'silent'
  | 'old'
  | 'command'
  | 'bot'
  | 'muted'
  | 'not-admitted'
  | 'dismissed'
  | 'nobody-listening';

/** A resumed session replays messages from before the interruption; older ones than this are out of date. */
const OLDEST_MS = 2 * 60_000;

/** A command for another bot: one of the usual prefixes right before a word. ':)', '-5' and '...' are not. */
const COMMAND = /^(?:[!$%?;.,~&+=-]|!!|\?\?)[a-z]{2}/iu;

const skip = (why: SkipReason): Decision => ({ kind: 'skip', why });

export function decide(posted: Posted, rules: ServerRules, surroundings: Surroundings): Decision {
  const { author } = posted;
  const voiceChannelId = placeFor(posted, rules, surroundings);
  if (voiceChannelId === 'not-chosen') return skip('not-chosen');
  if (posted.isSilent) return skip('silent');
  if (surroundings.ageMs > OLDEST_MS) return skip('old');
  if (author.kind !== 'member' && !rules.autoReadBots) return skip('bot');
  if (author.kind === 'member' && COMMAND.test(posted.content)) return skip('command');
  // Also for members exempt from the other rules: this list names them.
  if (isListed(rules.mutedMembers, author.id)) return skip('muted');
  if (!isAdmitted(posted, rules, voiceChannelId)) return skip('not-admitted');
  if (voiceChannelId === undefined) return skip('nobody-listening');
  const { isVoiceChannel } = surroundings;
  if (placeRefusal(rules, { isAdmin: author.isAdmin, voiceChannelId, isVoiceChannel })) return skip('not-admitted');
  // A member who dismissed the bot does not want it to return by itself.
  if (surroundings.isDismissed && surroundings.botChannelId === undefined) return skip('dismissed');
  return { kind: 'read', voiceChannelId };
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
  return admissionRefusal(rolesFor(author, rules), speaker) === undefined;
}

/** Webhooks have no roles, and bots have roles for other reasons: admins have chosen to hear them. */
function rolesFor({ kind }: Author, rules: ServerRules): ServerRules {
  if (kind === 'member') return rules;
  const { allowedRoles: _, ...others } = rules;
  return others;
}
