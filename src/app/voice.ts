import { join } from 'node:path';
import type { Client } from 'discord.js';
import * as z from 'zod';
import { createVoiceSessions } from '../audio/connection/voice-sessions.ts';
import { createAudioPipeline } from '../audio/making/pipeline.ts';
import { countListeners, followOwnMute, obstacleIn } from '../discord/channels/permissions.ts';
import { createLeaveNotice } from '../discord/channels/post.ts';
import { endForbidden } from '../discord/servers/changed-rules.ts';
import { refusal, UserError } from '../errors/user-errors.ts';
import { commandOf } from '../process/package.ts';
import { createVoiceWatch, whyUnusable } from '../services/monitoring/speech-watch.ts';
import { createGuildSpeakers } from '../services/playback/guild-speakers.ts';
import {
  type AcceptedText,
  createUnspokenKeeper,
  type KeptWords,
  ORIGIN_KEPT_MS,
  WORDS_KEPT_MS,
} from '../services/playback/unspoken.ts';
import { speakerLimitsOf } from '../services/servers/admission.ts';
import { createValueCipher, openKeptRows } from '../services/storage/kept-rows.ts';
import type { Table } from '../services/storage/store.ts';
import { openDiskCache } from '../services/synthesis/disk-cache.ts';
import {
  cacheSecret,
  createCacheKey,
  createPurchases,
  createSoundStore,
  type KeptPurchase,
  PURCHASES_KEPT_MS,
  type SoundScope,
} from '../services/synthesis/sound-store.ts';
import { createSynthesizer } from '../services/synthesis/synthesis.ts';
import { isLoopback } from '../speech/base-url.ts';
import type { Credits, SpeechStage } from './speech.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';

export type VoiceStage = Awaited<ReturnType<typeof openVoice>>;

/** The caller must close the returned `speakers`, the queues that speak the texts of each server. */
export async function openVoice(
  startup: Startup,
  storage: StorageStage,
  { source, voices }: SpeechStage,
  client: Client,
  { speech, spending, paidAudio }: Credits,
) {
  const { config, log, closeLater, stopping, metrics, readiness } = startup;
  const { settings: rules, texts, optOuts, ownership } = storage;
  const pipeline = createAudioPipeline({ log, allowLoopback: isLoopback(source.baseUrl()), ...config.audio });
  closeLater('the audio pipeline', pipeline.close);
  const scope = { service: config.speech.soundService, apiKey: source.apiKey };
  const { unspoken, purchases } = await openUnspoken(startup, storage, scope);
  const { memoryBytes } = config.audioCache;
  const store = createSoundStore({ memoryBytes, disk: openDisk(startup), log });
  const synthesizer = createSynthesizer({
    pipeline,
    speech,
    spending,
    paidAudio,
    purchases,
    store,
    stopping,
    keyOf: createCacheKey(scope),
    onPartAudio: (ms) => metrics.firstAudio({ kind: 'part', ms }),
    models: () => voices.known()?.models,
    isFree: config.speech.isFree,
  });
  closeLater('the synthesis', synthesizer.close);
  const watch = createVoiceWatch({ metrics });
  readiness.check('joining', watch.problem);
  const sessions = createVoiceSessions({
    log,
    onPlayed: metrics.played,
    onJoin: watch.joinEnded,
    onUnheard: metrics.unheard,
    maySpeak: () => ownership.owns(),
  });
  closeLater('the voice sessions', sessions.closeAll);

  const wasMuted = followOwnMute(client);
  const speakers = createGuildSpeakers({
    unspoken,
    sessions,
    synthesizer,
    log,
    metrics,
    limitsOf: (guildId) => speakerLimitsOf(rules.known(guildId)),
    channels: {
      listeners: (...where) => countListeners(client, ...where),
      exists: (channelId) => client.channels.cache.has(channelId),
      obstacle: (guildId, channelId) => obstacleIn(client, guildId, channelId),
      joinsFirst: (guildId) => watch.isInDoubt() || wasMuted(guildId),
    },
  });
  speakers.onLeft(createLeaveNotice(client, rules, log));
  rules.onChanged((guildId, before) => {
    speakers.find(guildId)?.limitsChanged();
    if (!before) return;
    const changed = { before, after: rules.known(guildId) };
    endForbidden({ client, speakers, spokenTexts: texts }, guildId, changed).catch((error: unknown) =>
      log.warn({ err: error, guildId }, 'Queued texts not checked against new settings: speaking them anyway'),
    );
  });
  // When a member opts out of being read aloud, other members' requests to speak that member's messages are dropped.
  optOuts.onOptedOut((userId) => {
    const why = new UserError(refusal('opted-out'));
    speakers.forgetAuthor(userId, why);
    speakers.files.end((file) => file.authorId === userId && file.userId !== userId, why);
  });
  metrics.watch({
    cache: store.use,
    speakers: sessions.census,
    queues: speakers.census,
    lostAudio: paidAudio.models,
    circuits: () => (voices.known()?.models ?? []).map(({ id }) => [id, speech.quotaRetryAfterMs(id) !== undefined]),
  });

  // A failed warm-up only delays the first text. If speech does not work at all, the text's own error reports it.
  const prepare = (work: Promise<unknown>) =>
    work.catch((error: unknown) => {
      if (stopping.aborted) return;
      const why = whyUnusable(error);
      if (why === undefined || config.speech.kind !== 'service') {
        log.warn({ err: error }, 'Could not warm up speech: the first text takes longer');
      } else {
        log.error(
          {
            err: error,
            remedy: `Check VOICE_API_URL and VOICE_API_KEY with ${commandOf('doctor')}. The bot runs on, and each text tries again.`,
          },
          `Speech service unusable: ${why}`,
        );
      }
    });
  let isPreparedForLongTexts = false;
  void prepare(pipeline.warmUp());
  void prepare(voices.list());
  return {
    voices,
    synthesizer,
    sessions,
    speakers,
    /** Prepares joining audio clips for long texts. Must be called only when speech is likely soon, because it takes 2 MB and 30 ms. */
    prepareLongTexts() {
      if (isPreparedForLongTexts) return;
      isPreparedForLongTexts = true;
      void prepare(synthesizer.warmUp());
    },
    encoderName: pipeline.encoderName,
  };
}

/** Undefined if the audio cache on disk is off or cannot be opened. */
function openDisk({ config, folder, log }: Startup) {
  const { diskBytes } = config.audioCache;
  if (diskBytes === 0) return undefined;
  try {
    return openDiskCache({ path: join(folder.path, 'clips'), maxBytes: diskBytes, log });
  } catch (error) {
    log.warn({ err: error }, 'Could not open the disk cache: caching in memory only');
    return undefined;
  }
}

/** Opens the stored texts and paid requests, with which the bot speaks accepted texts after a restart without paying twice. */
async function openUnspoken(
  { config, log, closeLater }: Startup,
  { store, ownership }: StorageStage,
  scope: SoundScope,
) {
  // Stored texts and records of paid audio are encrypted, so that no other account can read them.
  const seal = createValueCipher(cacheSecret(scope));
  const isKept = config.resumesTexts;

  async function open<Value>(table: Table<string>, keptMs: number) {
    const rows = await openKeptRows<Value>({ table, seal, keptMs, owns: ownership.owns, log });
    closeLater('the queued texts', rows.close, { keepsData: true });
    if (!isKept) for (const [key] of rows.entries()) rows.delete(key);
    return rows;
  }

  const unspoken = createUnspokenKeeper({
    texts: await open<AcceptedText>(store.table('accepted-texts', z.string()), ORIGIN_KEPT_MS),
    words: await open<KeptWords>(store.table('accepted-words', z.string()), WORDS_KEPT_MS),
    isKept,
  });
  const paid = await open<KeptPurchase>(store.table('accepted-purchases', z.string()), PURCHASES_KEPT_MS);
  const purchases = createPurchases({
    rows: isKept && !config.speech.isFree ? paid : undefined,
    // After a restart, even paid audio of the built-in speech service cannot be downloaded again: the service forgets the addresses.
    addressesLast: config.speech.kind === 'service',
  });
  return { unspoken, purchases };
}
