import type { Client } from 'discord.js';
import { fetchApplicationOwners, writeToOwners } from '../discord/channels/post.ts';
import { childEnvironment } from '../process/child-environment.ts';
import { startEmbeddedSpeech } from '../services/local-voice/embedded-speech.ts';
import { watchSpeech } from '../services/monitoring/speech-watch.ts';
import { createAccountWatch } from '../services/spending/balance-watch.ts';
import { isUnlimited } from '../services/spending/limits.ts';
import { createLostAudioWatch } from '../services/spending/lost-audio-watch.ts';
import { createOwners } from '../services/spending/owners.ts';
import { openSpending } from '../services/spending/spending.ts';
import { createVoices } from '../services/voices/voices.ts';
import { createSpeechClient } from '../speech/client/client.ts';
import type { Text } from '../texts/catalog.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';

export type SpeechStage = Awaited<ReturnType<typeof openSpeech>>;

/** If VOICE_API_URL names no speech service, starts the built-in speech service in a child process. */
export async function openSpeech(startup: Startup, { store, texts }: StorageStage) {
  const { config, log, closeLater, metrics, readiness } = startup;
  const source = await reachSpeech(startup);
  const client = createSpeechClient({ ...source, requestTimeoutMs: config.speechTimeoutMs, log });
  closeLater('the speech client', client.close);
  const { speech, problem } = watchSpeech({ speech: client, metrics });
  readiness.check('speech', problem);
  const hasEngines = config.speech.kind === 'local' && config.speech.engines.length > 0;
  const isBlocked = async (name: string, guildId: string) => (await texts.blockedIn(name, guildId)) !== undefined;
  const voices = createVoices({ speech, store, isBlocked, log, hasEngines });
  closeLater('the voice list', voices.close);
  return { source, speech, voices };
}

async function reachSpeech({ config, conceal, closeLater, stopping, log, folder }: Startup) {
  if (config.speech.kind === 'service') {
    const { url, key, authHeaderPrefix } = config.speech;
    conceal(key);
    return { baseUrl: () => url, apiKey: key, authHeaderPrefix };
  }
  const { engine, engines, engineKeys, dashboard } = config.speech;
  for (const key of engineKeys) conceal(key);
  const apiKey = folder.secret('speech-key', 'local_');
  conceal(apiKey);
  const dataPath = `${folder.path}/speech`;
  const embedded = await startEmbeddedSpeech({
    dataPath,
    dashboard,
    apiKey,
    environment: {
      ...childEnvironment(),
      ...engine,
      DATA_DIR: folder.path,
      SPEECH_TIMEOUT_MS: String(config.speechTimeoutMs),
    },
    log,
    signal: stopping,
  });
  closeLater('the built-in voice', embedded.close);
  log.info(
    {
      speechUrl: embedded.url.origin,
      dashboardUrl: dashboard ? embedded.dashboardUrl : undefined,
      dashboardAddressFile: dashboard ? `${dataPath}/dashboard-address` : undefined,
    },
    engines.length === 0
      ? 'Using the built-in voice: set VOICE_API_URL to use a service'
      : 'The built-in speech service is ready: using the configured engines',
  );
  const { installed } = embedded;
  if (installed.length > 0) log.info({ voices: installed }, 'Offering installed voices beside the built-in voice');
  return {
    baseUrl: () => embedded.url,
    serverEnd: embedded.currentEnd,
    /** The built-in synthesizer unloads after 15 minutes without use. A text that has to load it starts late. */
    wake: embedded.wake,
    apiKey,
  };
}

export type Credits = Awaited<ReturnType<typeof openCredits>>;

export async function openCredits(
  { config, log, closeLater, metrics }: Startup,
  { sql, store, settings }: StorageStage,
  speech: SpeechStage['speech'],
  client: Client,
) {
  const owners = createOwners({
    configured: config.access.ownerIds,
    fetchOwners: () => fetchApplicationOwners(client),
    log,
  });
  const notify = (message: Text, failure: string) =>
    writeToOwners(client, owners, message).catch((error: unknown) => log.warn({ err: error }, failure));
  const watch = createAccountWatch({
    warnBelow: config.credits.warnBelow,
    topUp: config.credits.topUp,
    isFree: config.speech.isFree,
    store,
    notify,
    log,
    speech,
  });
  closeLater('the balance watch', watch.close, { keepsData: true });
  const { allowedServers } = config.access;
  const limitsFor = async (guildId: string) => {
    // A server outside ALLOWED_SERVERS must not spend credits, even if the bot is still a member, for example because leaving failed.
    if (allowedServers?.includes(guildId) === false) return { perServer: 0, perMember: undefined };
    if (isUnlimited(config.limits)) return { perServer: undefined, perMember: undefined };
    const { creditsPerServer, creditsPerMember } = await settings.get(guildId);
    return { perServer: creditsPerServer, perMember: creditsPerMember };
  };
  const isIn = (guildId: string) => client.guilds.cache.has(guildId);
  const spending = await openSpending({
    sql,
    limitsFor,
    isIn,
    notify,
    log,
    prices: config.speech.prices,
    limits: config.limits,
    onBilled: metrics.creditsUsed,
    onLost: metrics.creditsLost,
  });
  closeLater('the spending records', spending.close, { keepsData: true });
  return {
    speech: watch.speech,
    spending,
    owners,
    paidAudio: createLostAudioWatch({ notify, log, isFree: config.speech.isFree }),
    /** Reads the account balance once, to notice that it ran low while the bot was off. Rejects with a SpeechError. */
    checkAccount: watch.check,
  };
}
