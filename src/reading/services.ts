import type { Logger } from 'pino';
import type { Circumstances } from '../errors/explain.ts';
import type { GuildSpeakers } from '../services/playback/guild-speakers.ts';
import type { VoicePlace } from '../services/presence/channel-presence.ts';
import type { JoinedChats } from '../services/presence/joined-chats.ts';
import type { OptOuts } from '../services/servers/opt-outs.ts';
import type { ServerRulesBook } from '../services/servers/server-rules.ts';
import type { Synthesizer } from '../services/synthesis/synthesis.ts';
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
  /** Returns a text if nobody could hear the bot in the voice channel; undefined if there is no such channel. */
  placeIn(guildId: string, channelId: string): VoicePlace | Text | undefined;
  notify(guildId: string, channelId: string, words: Text, locale: string): void;
}
