import type { Logger } from 'pino';
import type { Circumstances } from '../errors/explain.ts';
import type { GuildSpeakers } from '../services/playback/guild-speakers.ts';
import type { JoinedChats, VoicePlace } from '../services/presence/channel-presence.ts';
import {
  admissionRefusal,
  isMuted,
  type OptOuts,
  placeRefusal,
  type ServerRules,
  type ServerRulesBook,
} from '../services/servers/admission.ts';
import type { Synthesizer } from '../services/synthesis/synthesis.ts';
import type { Names, ReadableAttachment } from '../services/text/readable/readable.ts';
import type { SpokenTexts } from '../services/text/spoken-text.ts';
import type { Voices } from '../services/voices/voices.ts';
import type { Text } from '../texts/catalog.ts';

export interface ReadingServices {
  readonly settings: ServerRulesBook;
  readonly voices: Voices;
  readonly texts: SpokenTexts;
  readonly speakers: GuildSpeakers;
  readonly synthesizer: Synthesizer;
  readonly optOuts: OptOuts;
  readonly joinedChats: JoinedChats;
  readonly channels: Channels;
  readonly circumstances: Circumstances;
  readonly log: Logger;
}

export interface Channels {
  listeners(guildId: string, channelId: string): number;
  /** Returns the voice channel, or the reason why nobody could hear the bot there; undefined if the channel is gone. */
  placeIn(guildId: string, channelId: string): VoicePlace | Text | undefined;
  notify(guildId: string, channelId: string, words: Text, locale: string): void;
}

export interface Posted {
  readonly id: string;
  readonly guildId: string;
  readonly channelId: string;
  /** The parent channel of a public thread; undefined elsewhere. */
  readonly parentChannelId: string | undefined;
  readonly author: {
    readonly id: string;
    readonly name: string;
    readonly kind: 'member' | 'bot' | 'webhook';
    readonly roleIds: readonly string[];
    readonly isAdmin: boolean;
    readonly voiceChannelId: string | undefined;
  };
  readonly isSilent: boolean;
  /** When the message got its present content, by Discord's clock, in ms. */
  readonly atMs: number;
  readonly content: string;
  readonly attachments: readonly ReadableAttachment[];
  readonly stickers: readonly string[];
  /** The author of the message that this one replies to. If that message is deleted, only that this one is a reply. */
  readonly replyTo: { readonly id: string | undefined; readonly name: string } | undefined;
  readonly guildLocale: string;
  /** Looks up the names that the message mentions. Never rejects. */
  names(signal: AbortSignal): Promise<Names>;
}

export interface Surroundings {
  /** The voice channel of the bot, even while it is still joining. */
  readonly botChannelId: string | undefined;
  readonly listeners: number;
  readonly isDismissed: (channelId: string) => boolean;
  readonly ageMs: number;
  /** True if a member brought the bot to this voice channel with /join, so that its chat is read aloud. */
  readonly isJoinedChat: (channelId: string) => boolean;
  readonly isVoiceChannel: (channelId: string) => boolean;
}

type Decision =
  | { readonly kind: 'read'; readonly voiceChannelId: string }
  | { readonly kind: 'skip'; readonly why: string };

/** Messages older than this are not read aloud: after an interruption, Discord delivers all messages that the bot missed. */
const MAX_AGE_MS = 2 * 60_000;

/** Matches a command for another bot: a usual prefix right before a word. ':)', '-5' and '...' do not match. */
const COMMAND = /^(?:[!$%?;.,~&+=-]|!!|\?\?)[a-z]{2}/iu;

/** If a message is not read aloud for several reasons, the result names the first. */
export function decide(posted: Posted, rules: ServerRules, surroundings: Surroundings): Decision {
  const { author, content, isSilent } = posted;
  const { botChannelId, ageMs, isDismissed, isVoiceChannel } = surroundings;
  const isMember = author.kind === 'member';
  const place = placeFor(posted, rules, surroundings);
  const skip = (why: string): Decision => ({ kind: 'skip', why });
  if (place === 'not-chosen') return skip('not-chosen');
  if (isSilent) return skip('silent');
  if (ageMs > MAX_AGE_MS) return skip('old');
  if (!isMember && !rules.autoReadBots) return skip('bot');
  if (isMember && COMMAND.test(content)) return skip('command');
  // The list of muted members names each member, so it applies even to admins, who are exempt from the other rules.
  if (isMuted(rules, author.id)) return skip('muted');
  if (!isAdmitted(posted, rules, place)) return skip('not-admitted');
  if (place === undefined) return skip('nobody-listening');
  if (isMember && rules.autoReadOnlyInVoice && author.voiceChannelId !== place) return skip('not-in-voice');
  const where = { isAdmin: author.isAdmin, voiceChannelId: place, isVoiceChannel };
  if (placeRefusal(rules, where)) return skip('not-admitted');
  if (botChannelId === undefined && isDismissed(place)) return skip('dismissed');
  return { kind: 'read', voiceChannelId: place };
}

/** The voice channel in which to read a message, or 'not-chosen' if its text channel is not read aloud. */
function placeFor(
  { channelId, parentChannelId, author }: Posted,
  { autoReadChannels, autoReadVoiceChat }: ServerRules,
  { botChannelId, listeners, isJoinedChat, isVoiceChannel }: Surroundings,
): string | undefined {
  const place = botChannelId !== undefined && listeners > 0 ? botChannelId : author.voiceChannelId;
  const isChosen = [channelId, parentChannelId].some((id) => id !== undefined && autoReadChannels.includes(id));
  if (isChosen && !isVoiceChannel(channelId)) return place;
  const readsChat =
    isChosen ||
    autoReadVoiceChat === 'always' ||
    (autoReadVoiceChat === 'joined' && botChannelId === channelId && isJoinedChat(channelId));
  return readsChat && place === channelId ? place : 'not-chosen';
}

function isAdmitted(posted: Posted, rules: ServerRules, voiceChannelId: string | undefined): boolean {
  const { author, channelId, parentChannelId } = posted;
  const speaker = {
    ...author,
    userId: author.id,
    textChannelId: parentChannelId ?? channelId,
    voiceChannelId: author.voiceChannelId ?? voiceChannelId,
  };
  // Allowed roles do not apply to webhooks, which have none, nor to bots, whose roles have other purposes.
  const allowedRoles = author.kind === 'member' ? rules.allowedRoles : undefined;
  return admissionRefusal({ ...rules, allowedRoles }, speaker) === undefined;
}
