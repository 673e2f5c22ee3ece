import type { Client } from 'discord.js';
import type { Logger } from 'pino';
import type { Leaving } from '../../services/playback/guild-speaker-types.ts';
import type { ServerRulesBook } from '../../services/servers/server-rules.ts';
import { render, type Text, text } from '../../texts/catalog.ts';
import { postNotice } from '../channels/post.ts';

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

/** The notice for the members; undefined if they know the reason already, or if the channel is empty. */
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
