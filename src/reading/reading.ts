import type { Leaving } from '../services/playback/guild-speaker.ts';
import { createAnnouncer, type Move } from './announcer.ts';
import { createAutoJoin } from './auto-join.ts';
import { createReader, type ReadingNotes } from './reader.ts';
import { Dismissals } from './reader-memory.ts';
import type { ReadingServices } from './services.ts';

/** Everything that the bot does in voice without a command. */
export function createReading(services: ReadingServices & ReadingNotes) {
  const { speakers, channels } = services;
  const dismissals = new Dismissals(channels);
  const announcer = createAnnouncer(services);
  const autoJoin = createAutoJoin(services, dismissals);
  const reader = createReader({ ...services, dismissals, now: () => performance.now() });
  return {
    ...reader,
    moved(move: Move): void {
      announcer.moved(move);
      autoJoin.moved(move);
    },
    /** Call when a member has joined or left a voice channel of the server. */
    audienceChanged: (guildId: string) => dismissals.audienceChanged(guildId, speakers.find(guildId)?.channelId),
    /** Call when the bot's channel has no listeners: the bot may then move to the auto-join channel. */
    deserted: autoJoin.deserted,
    leftVoice(leaving: Leaving): void {
      dismissals.left(leaving);
      reader.left(leaving.guildId);
      autoJoin.left(leaving);
      announcer.forget(leaving.guildId);
    },
    close(): void {
      reader.close();
      autoJoin.close();
      announcer.close();
    },
  };
}

export type Reading = ReturnType<typeof createReading>;
