import { type Text, text } from '../../texts/catalogue.ts';
import type { Leaving } from './guild-speaker-types.ts';

/** What to tell those who used the bot; undefined where somebody is told anyway, or nobody is left to tell. */
export function leavingText({ voiceChannelId, reason, obstacle }: Leaving): Text | undefined {
  const channel = `<#${voiceChannelId}>`;
  switch (reason) {
    case 'asked':
    case 'closing':
      return undefined;
    case 'channel-gone':
      return text('left.channel-gone');
    case 'not-allowed':
      return obstacle && text('left.not-allowed', { channel, why: obstacle });
    default:
      return text(`left.${reason}`, { channel });
  }
}
