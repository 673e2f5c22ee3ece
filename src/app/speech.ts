import type { Client } from 'discord.js';
import { isFree, pricesOf, topUpOf } from '../config/config.ts';
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
import { createSpeechClient, type SpeechClient } from '../speech/client/client.ts';
import type { Text } from '../texts/catalog.ts';
import type { Startup } from './startup.ts';
import type { StorageStage } from './storage.ts';

/** Voices come and go with the engines of one's own, and asking for them costs nothing and next to no time. */
const OF_ENGINES = { ttlMs: 15_000, waitsForFresh: true };

export type SpeechStage = Awaited<ReturnType<typeof openSpeech>>;

/** The client of the speech service, whose calls are counted, and its voices; the built-in voice is started where it speaks. */
export async function openSpeech(startup: Startup, { store, texts }: StorageStage) {
  const { config, log, closeLater, metrics, readiness } = startup;
  const source = await reachSpeech(startup);
  const client = createSpeechClient({ ...source, requestTimeoutMs: config.speechTimeoutMs, log });
  closeLater('the speech client', client.close);
  const { speech, problem } = watchSpeech({ speech: client, metrics });
  readiness.check('speech', problem);
  const hasEngines = config.speech.kind === 'local' && config.speech.engines.length > 0;
  const isBlocked = async (name: string, guildId: string) => (await texts.blockedIn(name, guildId)) !== undefined;
  const voices = createVoices({ speech, store, isBlocked, log, ...(hasEngines && OF_ENGINES) });
  closeLater('the voice list', voices.close);
  return { source, speech, voices };
}

/** The address and key of the speech service; without a configured one, of the embedded one, which is started. */
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
    environment: { ...childEnvironment(), ...engine, SPEECH_TIMEOUT_MS: String(config.speechTimeoutMs) },
    log,
    signal: stopping,
  });
  closeLater('the built-in voice', embedded.close);
  log.info(
    {
      speechUrl: embedded.url.origin,
      dashboardUrl: dashboard ? embedded.dashboardUrl : undefined,
      dashboardAddressIn: dashboard ? `${dataPath}/dashboard-address` : undefined,
    },
    engines.length === 0
      ? 'The built-in voice speaks: set VOICE_API_URL and VOICE_API_KEY to speak through a service'
      : 'The speech service on this machine is ready: it hands texts to the engines that are set',
  );
  return {
    /** Changes when the built-in voice had to be restarted on another port. */
    baseUrl: () => embedded.url,
    serverEnd: embedded.currentEnd,
    /** For when a member may soon ask for speech. */
    wake: embedded.wake,
    apiKey,
  };
}

export type Credits = Awaited<ReturnType<typeof openCredits>>;

export async function openCredits(
  { config, log, closeLater, metrics }: Startup,
  { sql, store, settings }: StorageStage,
  speech: SpeechClient,
  client: Client,
) {
  const owners = createOwners({
    configured: config.access.ownerIds,
    fetchOwners: () => fetchApplicationOwners(client),
    log,
  });
  const notify = (message: Text) => writeToOwners(client, owners, message);
  const { warnBelow } = config.credits;
  const watch = createAccountWatch({ warnBelow, topUp: topUpOf(config), store, notify, log, speech });
  closeLater('the balance watch', watch.close, { keepsData: true });
  const { allowedServers } = config.access;
  const limitsFor = async (guildId: string) => {
    // Should such a server be on its way out, or not let the bot go: nothing is spent there in any case.
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
    prices: pricesOf(config.speech),
    limits: config.limits,
    onBilled: metrics.creditsUsed,
    onLost: metrics.creditsLost,
  });
  closeLater('what was spent', spending.close, { keepsData: true });
  return {
    /** The client given, whose answers are watched for the balance. */
    speech: watch.speech,
    spending,
    owners,
    paidAudio: createLostAudioWatch({ notify, log, isFree: isFree(config.speech) }),
    /** Asks for the balance once, so that an account that ran low meanwhile is noticed. Rejects with a SpeechError. */
    checkAccount: watch.check,
  };
}
