import type { Client } from 'discord.js';
import type { Services } from '../commands/framework/command.ts';
import { createDispatcher } from '../commands/framework/dispatch.ts';
import { commands, offerCommands } from '../commands/index.ts';
import { comeBack, returnToPlaces } from '../commands/playback/after-restart.ts';
import { createChannels, createReadingPlaces, routeReading } from '../discord/messages/message-reading.ts';
import { type ModerationLog, notesOfReading } from '../discord/moderation/moderation-log.ts';
import { createServerLife } from '../discord/servers/server-life.ts';
import { refusal } from '../errors/user-errors.ts';
import { createReading } from '../reading/auto-join.ts';
import { createPrivacy } from '../services/privacy/stored-data.ts';
import { isUnlimited } from '../services/spending/limits.ts';
import { abortable, createPending, withDeadline } from '../services/time/timers.ts';
import type { Credits } from './speech.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';
import type { VoiceStage } from './voice.ts';

const LAST_ANSWERS_MS = 2_000;
/** At shutdown, the bot waits this long for audio files that are still being made after the last text. */
const LAST_FILES_MS = 10_000;

interface DiscordStage {
  readonly client: Client;
  readonly attempts: { readonly repeated: (interactionId: string) => boolean };
  readonly moderation: ModerationLog;
}

export function openCommands(
  { config, log, closeLater, stopping, metrics, readiness, status }: Startup,
  { store, settings, texts, optOuts, ownership }: StorageStage,
  { client, attempts, moderation }: DiscordStage,
  { speech, spending, owners }: Credits,
  { voices, synthesizer, speakers }: VoiceStage,
) {
  const { allowedServers: allowed, directUse } = config.access;

  const pending: Services['pending'] = createPending();
  const privacy = createPrivacy({
    store,
    settings,
    members: voices.members,
    dictionaries: texts.dictionaries,
    optOuts,
    spending,
    speakers,
    pending,
    ownership,
    keepsAudio: config.audioCache.diskBytes > 0,
    isFree: config.speech.isFree,
    isLimited: !isUnlimited(config.limits),
    log,
  });
  const commandIds = new Map<string, string>();
  const life = createServerLife({ client, store, rules: settings, kept: privacy.kept, allowed, commandIds, log });
  closeLater('the server data', life.close);
  const reading = createReadingPlaces(client, config.discord.readsMessages);
  speakers.onLeft(({ guildId }) => reading.left(guildId));
  const services: Services = {
    bot: {
      owners,
      status,
      billing: speech.billing,
      localVoice: config.speech.isFree,
      isSpeechMadeHere: config.speech.isMadeHere,
      topUp: config.credits.topUp,
      showsBalance: config.credits.showsBalance,
      directUse,
      commandIds,
    },
    voices,
    settings,
    texts,
    speakers,
    synthesizer,
    spending,
    moderation,
    reading,
    privacy,
    pending,
    log,
  };
  const dispatcher = createDispatcher({
    commands,
    services,
    allowedServers: allowed,
    repeated: attempts.repeated,
    onAnswered: metrics.commandAnswered,
  });
  const reader = createReading({
    ...services,
    optOuts,
    joinedChats: reading,
    channels: createChannels(client, log),
    circumstances: services.bot,
    ...notesOfReading(services),
  });
  routeReading({ client, allowed, reading: reader, spokenNames: voices.spokenNames });
  // Parts close in reverse order: closing the message reader before the speakers would delete queued messages that a restart should resume.
  closeLater('the message reader', reader.close);
  speakers.onLeft(reader.leftVoice);
  speakers.onDeserted(reader.deserted);
  // The last replies report how texts ended, so the bot waits for them after closing the speakers, which ends all remaining texts.
  const resumed = new Set<Promise<void>>();
  const lastAnswers = async (timeoutMs: number) => {
    const replies = withDeadline(Promise.all(resumed), { timeoutMs, what: 'Replying to texts of before the start' });
    await Promise.all([
      dispatcher.drain(timeoutMs),
      replies.catch((error: unknown) =>
        log.warn({ err: error }, 'Replies about restored texts not sent: the next start retries'),
      ),
    ]);
  };
  closeLater('the last replies', () => lastAnswers(LAST_ANSWERS_MS));
  closeLater('the speakers', () => speakers.close(refusal('stopping')));
  closeLater('the list of voice channels', async () => {
    const places = speakers.places().map((place) => {
      return { ...place, readsChat: reading.isRead(place.guildId, place.channelId) };
    });
    await ownership.leave(places);
  });
  return {
    handle: dispatcher.handle,
    /** Registers the commands with Discord. Resolves with false if that fails for any reason, and never rejects. */
    async offer(loggedIn: Client<true>): Promise<boolean> {
      const ids = await offerCommands(loggedIn, directUse, log);
      for (const [name, id] of ids ?? []) commandIds.set(name, id);
      return ids !== undefined;
    },
    /** Welcomes servers that added the bot while it was off, and marks servers that removed it. Never rejects. */
    catchUp: life.start,
    /** After a restart, speaks texts that were accepted before, and rejoins the voice channels. Never rejects. */
    async comeBack(loggedIn: Client<true>): Promise<void> {
      const options = {
        client: loggedIn,
        services,
        allowed,
        followMessage: reader.follow,
        underWay: resumed,
      };
      await comeBack(options).catch((error: unknown) => {
        if (!stopping.aborted)
          log.error({ err: error }, 'Queued texts not restored: still stored, the next start retries');
      });
      try {
        await returnToPlaces(await ownership.taken(), options);
      } catch (error) {
        if (!stopping.aborted)
          log.warn({ err: error }, 'Could not load the previous voice channels: not rejoining them');
      }
    },
    /** Resolves when no text is spoken and no audio file is made. Rejects with the signal's reason if it aborts. */
    async drain(signal: AbortSignal): Promise<void> {
      readiness.startDraining();
      await speakers.drain(refusal('stopping'), signal);
      await abortable(lastAnswers(LAST_FILES_MS), signal);
      // The audio of a skipped text may still be generating. Waiting lets the bot cache the audio and record the audio's cost.
      await abortable(synthesizer.finished(), signal);
    },
  };
}
