import type { Text } from '../../texts/catalogue.ts';
import type { Metrics } from '../monitoring/metrics.ts';
import type { VoicePresenceOptions } from '../presence/channel-presence.ts';
import type { SpeakerLimits } from '../queue/speaker-limits.ts';
import type { Synthesiser } from '../synthesis/synthesis-types.ts';
import type { Leaving } from './guild-speaker-types.ts';

/** What the speaker of a server works with. */
export interface GuildSpeakerOptions
  extends Pick<VoicePresenceOptions, 'guildId' | 'sessions' | 'channelExists' | 'log'> {
  /** Members other than bots in a voice channel, without that one. */
  readonly listeners: (guildId: string, channelId: string, withoutUserId?: string) => number;
  readonly synthesiser: Pick<Synthesiser, 'render'>;
  /** Why the bot could not be heard in a channel; asked before joining and before speaking. */
  readonly obstacle?: (guildId: string, channelId: string) => Text | undefined;
  /** What the admins of a server have set; read at each decision. */
  readonly limitsOf?: (guildId: string) => Partial<SpeakerLimits>;
  readonly onLeft?: (leaving: Leaving) => void;
  /** Told of everything that was heard: how long it took to its first packet, and what it had to wait for. */
  readonly onFirstAudio?: Metrics['firstAudio'];
}
