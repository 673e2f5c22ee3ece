import type { Leaving } from '../services/playback/guild-speaker.ts';
import { createAnnouncer, type Move } from './announcer.ts';
import { createAutoJoin } from './auto-join.ts';
import { createReader, type Reader, type ReadingNotes } from './reader.ts';
import { Dismissals } from './reader-memory.ts';
import type { ReadingServices } from './services.ts';

/** Everything that the bot does in voice without a command. */
export interface Reading extends Reader {
  moved(move: Move): void;
  /** Call when a member has joined or left a voice channel of the server. */
  audienceChanged(guildId: string): void;
  /** Call when the bot's channel has no listeners: the bot may then move to the auto-join channel. */
  deserted(guildId: string): void;
  leftVoice(leaving: Leaving): void;
}

export function createReading(services: ReadingServices & ReadingNotes): Reading {
  const { speakers, channels } = services;
  const dismissals = new Dismissals(channels);
  const announcer = createAnnouncer(services);
  const autoJoin = createAutoJoin(services, dismissals);
  const reader = createReader({ ...services, dismissals, now: () => performance.now() });
  return {
    ...reader,
    moved(move) {
      announcer.moved(move);
      autoJoin.moved(move);
    },
    audienceChanged: (guildId) => dismissals.audienceChanged(guildId, speakers.find(guildId)?.channelId),
    deserted: autoJoin.deserted,
    leftVoice(leaving) {
      dismissals.left(leaving);
      reader.left(leaving.guildId);
      autoJoin.left(leaving);
      announcer.forget(leaving.guildId);
    },
    close() {
      reader.close();
      autoJoin.close();
      announcer.close();
    },
  };
}
