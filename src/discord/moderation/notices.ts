import { type Client, DiscordAPIError, type Guild, type SendableChannels } from 'discord.js';
import type { Logger } from 'pino';
import * as z from 'zod';
import type { Leaving } from '../../services/playback/guild-speaker-types.ts';
import type { ServerRulesBook } from '../../services/servers/server-rules.ts';
import type { VoiceChoice } from '../../services/servers/server-settings.ts';
import type { Store } from '../../services/storage/store.ts';
import { render, type Text, text } from '../../texts/catalogue.ts';
import { mayWrite, writableChannel } from '../channels/permissions.ts';
import { post, postNotice } from '../channels/post.ts';
import { voiceLabel } from '../replies/quote.ts';

interface LeaveNoticeOptions {
  readonly client: Client;
  readonly rules: ServerRulesBook;
  readonly log: Logger;
}

/** Posts why the bot has left voice into the text channel of its last use, unless the server has muted such notices. */
export function createLeaveNotice({ client, rules, log }: LeaveNoticeOptions): (leaving: Leaving) => void {
  return (leaving) => {
    const { guildId, textChannelId: channelId } = leaving;
    const what = leavingText(leaving);
    const { hushed, language } = rules.known(guildId);
    const locale = language ?? client.guilds.cache.get(guildId)?.preferredLocale;
    if (!what || hushed) return;
    if (channelId === undefined || locale === undefined) return;
    void postNotice(client, { guildId, channelId, content: render(what, locale) }, log);
  };
}

/** The notice for the members; undefined where they know the reason already, or nobody is left in the channel. */
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

export interface VanishedVoices {
  /** An utterance used a substitute for this voice. Returns at once and never throws. */
  noticed(guildId: string, voice: VoiceChoice): void;
}

interface VanishedVoicesOptions {
  readonly client: Client;
  readonly store: Store;
  readonly rules: ServerRulesBook;
  readonly log: Logger;
}

/** A server has two voices that can vanish, and seldom chooses others. */
const REMEMBERED = 25;

/** Tells the admins of a server that a voice they chose no longer exists: once for each voice and server. */
export function createVanishedVoices({ client, store, rules, log }: VanishedVoicesOptions): VanishedVoices {
  const reported = store.table('vanished-voices', z.object({ voiceIds: z.array(z.string()) }));
  /** Avoids a store query for each utterance. */
  const known = new Set<string>();
  let last: Promise<void> = Promise.resolve();

  async function tell(guildId: string, voice: VoiceChoice): Promise<void> {
    const { voiceId } = voice;
    const { voiceIds } = (await reported.get(guildId)) ?? { voiceIds: [] };
    if (voiceIds.includes(voiceId)) return;
    // Stored before sending: rather never than twice.
    await reported.set(guildId, { voiceIds: [...voiceIds, voiceId].slice(-REMEMBERED) });
    const guild = client.guilds.cache.get(guildId);
    const { moderationChannel, language } = await rules.of(guildId);
    const channel = guild && (moderationIn(guild, moderationChannel) ?? writableChannel(guild));
    log.info({ guildId, voiceId, told: channel !== undefined }, 'A voice chosen by a server’s admins no longer exists');
    if (!channel) return;
    const content = render(text('vanished.told', { voice: voiceLabel(voice) }), language ?? guild.preferredLocale);
    await post(channel, { content }, 'Reporting a voice that no longer exists');
  }

  return {
    noticed(guildId, voice) {
      const key = `${guildId} ${voice.voiceId}`;
      if (known.has(key)) return;
      known.add(key);
      last = last
        .then(() => tell(guildId, voice))
        .catch((error: unknown) => {
          // The requester is told in any case; after a failure of the store the next utterance retries this.
          if (!(error instanceof DiscordAPIError)) known.delete(key);
          log.warn({ err: error, guildId }, 'Could not tell the admins that their voice no longer exists');
        });
    },
  };
}

/** The channel that admins chose for such notices, if the bot may write in it. */
function moderationIn(guild: Guild, channelId: string | undefined): SendableChannels | undefined {
  const channel = channelId === undefined ? undefined : guild.channels.cache.get(channelId);
  const { me } = guild.members;
  return me && channel?.isSendable() && mayWrite(channel, me) ? channel : undefined;
}
