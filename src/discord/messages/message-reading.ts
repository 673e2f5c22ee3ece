import { type Client, Events } from 'discord.js';
import type { TopUp } from '../../errors/explain.ts';
import { createAnnouncer } from '../../reading/announcer.ts';
import { createAutoJoin } from '../../reading/auto-join.ts';
import { createReader, type ReaderOptions } from '../../reading/reader.ts';
import type { Leaving } from '../../services/playback/guild-speaker-types.ts';
import { render } from '../../texts/catalogue.ts';
import { countListeners } from '../channels/voice-access.ts';
import { moveOf, placeIn, routeMessages } from './message-events.ts';
import { postNotice } from './notice.ts';

interface ReadingOptions extends Omit<ReaderOptions, 'circumstances' | 'listeners' | 'notify' | 'now' | 'placeIn'> {
  readonly client: Client;
  readonly localVoice: boolean;
  readonly topUp: TopUp;
  /** ALLOWED_SERVERS; undefined: all. */
  readonly allowed: readonly string[] | undefined;
}

/** What nobody asked for: messages of chosen channels, announcements of members joining and leaving, joining by itself. */
export function createReading({ client, allowed, localVoice, topUp, ...options }: ReadingOptions) {
  const { log } = options;
  const common = {
    ...options,
    circumstances: { localVoice, topUp },
    listeners: (guildId: string, channelId: string) => countListeners(client, guildId, channelId),
    placeIn: (guildId: string, channelId: string) => placeIn(client, guildId, channelId),
  };
  const announcer = createAnnouncer(common);
  const autoJoin = createAutoJoin(common);
  const reader = createReader({
    ...common,
    notify: (where, words, locale) => void postNotice(client, { ...where, content: render(words, locale) }, log),
  });
  const isAllowed = (guildId: string) => allowed === undefined || allowed.includes(guildId);

  routeMessages({ client, isAllowed, reader, spokenNames: options.spokenNames });
  client.on(Events.VoiceStateUpdate, (before, after) => {
    reader.audienceChanged(after.guild.id);
    autoJoin.audienceChanged(after.guild.id);
    const move = moveOf(before, after);
    if (!move || !isAllowed(move.guildId)) return;
    announcer.moved(move);
    autoJoin.moved(move);
  });

  return {
    follow: reader.follow,
    /** To be called whenever nobody has listened to the bot for a moment. */
    deserted: autoJoin.deserted,
    /** To be called whenever the bot leaves a voice channel. */
    left(leaving: Leaving): void {
      reader.left(leaving);
      autoJoin.left(leaving);
      announcer.forget(leaving.guildId);
    },
    /** Idempotent. */
    close() {
      reader.close();
      autoJoin.close();
      announcer.close();
    },
  };
}
