import { createVoiceSessions } from '../audio/connection/voice-sessions.ts';
import { createAudioPipeline } from '../audio/making/pipeline.ts';
import type { Announcement } from '../commands/framework/announcement.ts';
import { createDispatcher } from '../commands/framework/dispatch.ts';
import { commands } from '../commands/index.ts';
import { offerCommands } from '../commands/register.ts';
import type { Config } from '../config/config.ts';
import { isLoopback } from '../config/environment.ts';
import { countListeners, obstacleIn } from '../discord/channels/voice-access.ts';
import { createDiscordClient } from '../discord/client/client.ts';
import { connectionProblem, connectionState } from '../discord/client/connection.ts';
import { routeEvents } from '../discord/client/events.ts';
import { logIn } from '../discord/client/login.ts';
import { createReading } from '../discord/messages/reading.ts';
import { readingProblem } from '../discord/messages/reading-problem.ts';
import { createModerationLog } from '../discord/moderation/moderation-log.ts';
import { notesOfReading } from '../discord/moderation/moderation-notes.ts';
import { createAllowedServers } from '../discord/servers/allowed-servers.ts';
import { createLeaveNotice } from '../discord/servers/leave-notice.ts';
import { createServerLife } from '../discord/servers/server-life.ts';
import { createBotStatus } from '../services/monitoring/bot-status.ts';
import { startHeartbeat } from '../services/monitoring/heartbeat.ts';
import { startSelfWatch } from '../services/monitoring/self-monitoring.ts';
import { watchSpeech } from '../services/monitoring/speech-watch.ts';
import { createGuildSpeakers } from '../services/playback/guild-speakers.ts';
import type { SpeechOrder } from '../services/playback/speech-order.ts';
import { listKeptData } from '../services/privacy/stored-data.ts';
import { createOptOuts } from '../services/servers/opt-outs.ts';
import { createServerRules, speakerLimitsOf } from '../services/servers/server-rules.ts';
import { createSettings } from '../services/servers/server-settings.ts';
import { createTextCooldown } from '../services/servers/text-cooldown.ts';
import { openDataFolder } from '../services/storage/data-folder.ts';
import { openSqliteStore, storeProblem } from '../services/storage/store.ts';
import { createServerDictionaries } from '../services/text/server-dictionaries.ts';
import { createSpokenTexts } from '../services/text/spoken-text.ts';
import { abortable } from '../services/time/deadline.ts';
import { createPending } from '../services/time/pending.ts';
import { createMemberSettings } from '../services/voices/member-settings.ts';
import { createVoiceCatalogue } from '../services/voices/voice-catalogue.ts';
import { openVoiceLoudness } from '../services/voices/voice-loudness.ts';
import { createSpeechClient } from '../speech/client/client.ts';
import { text } from '../texts/catalogue.ts';
import { createClosing } from './closing.ts';
import type { Log } from './log.ts';
import { reachSpeech } from './speech-source.ts';
import { openMoney } from './spending.ts';
import { openSynthesiser } from './synthesis.ts';

export interface App {
  /** Resolves when the bot answers commands; rejects with an error whose message tells the operator what to do. */
  start(): Promise<void>;
  /**
   * Takes no more texts, and resolves when what is being made or spoken has been heard to its end: after
   * `config.drainTimeoutMs` at the latest. Never rejects. Idempotent.
   */
  drain(): Promise<void>;
  /** Leaves every channel now, tells nobody, and closes nothing else: for a process that ends at once. */
  leave(): Promise<void>;
  /** Leaves every channel and closes what was opened, the last first. Works at any time. Idempotent. */
  close(): Promise<void>;
}

interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  /** Something failed that only a new start, or somebody's hand, can mend. */
  readonly onFatal: (error: Error) => void;
}

const LAST_ANSWERS_MS = 2_000;
/** While it drains, a file that is being made has this long after the last word. */
const LAST_FILES_MS = 10_000;

/** Where every long-lived object is made, once. */
export function createApp({ config, log: { log, conceal }, onFatal }: AppOptions): App {
  const opened = createClosing(log);
  const closeLater = opened.later;
  const stopping = new AbortController();
  let draining: Promise<void> | undefined;
  let finishWork: (signal: AbortSignal) => Promise<void> = async () => undefined;
  let leaveChannels: () => Promise<void> = async () => undefined;
  let closing: Promise<void> | undefined;
  let starting: Promise<void> | undefined;

  async function start(): Promise<void> {
    const startedAtMs = Date.now();
    conceal(config.discord.token);
    const folder = openDataFolder(config.dataDir);
    const heartbeat = startHeartbeat({ path: folder.privateFile('heartbeat'), log });
    closeLater('the heartbeat', heartbeat.close);
    const self = await startSelfWatch({ ...config.metrics, log });
    closeLater('the figures', self.close);
    const { metrics, readiness } = self;
    stopping.signal.addEventListener('abort', readiness.startDraining);
    const databasePath = folder.privateFile('crier.sqlite');
    const store = openSqliteStore({ path: databasePath, log, onFailure: metrics.storeFailed });
    closeLater('the store', store.close, { keepsData: true });
    readiness.check('store', () => storeProblem(store));
    const { settings, rules } = createServerRules(createSettings(store), log);
    const dictionaries = createServerDictionaries(store, log);

    const localVoice = config.speech.kind === 'local';
    const service = await reachSpeech({ config, folder, conceal, closeLater, signal: stopping.signal, log });
    const account = createSpeechClient({ ...service, requestTimeoutMs: config.speechTimeoutMs, log });
    closeLater('the speech client', account.close);
    const speechWatch = watchSpeech({ speech: account, metrics });
    readiness.check('speech', speechWatch.problem);
    const { client, attempts } = createDiscordClient(config.discord);
    closeLater('the connection to Discord', () => client.destroy());
    readiness.check('discord', () => connectionProblem(client));
    const moderation = createModerationLog({ client, rules, log });
    closeLater('the moderation log', moderation.close);
    const money = await openMoney({ config, databasePath, store, settings, speech: speechWatch.speech, client, log });
    closeLater('what counts the credits', money.close, { keepsData: true });
    const { speech, spending, owners, paidAudio } = money;
    const voices = createVoiceCatalogue({ speech, log });
    closeLater('the voice list', voices.close);

    const gains = await openVoiceLoudness({ store, log });
    const pipeline = createAudioPipeline({ log, gains, allowLoopback: isLoopback(service.baseUrl), ...config.audio });
    closeLater('the audio pipeline', pipeline.close);
    const synthesiser = openSynthesiser({
      config,
      folder,
      pipeline,
      speech,
      voices,
      spending,
      paidAudio,
      apiKey: service.apiKey,
      metrics,
      log,
    });
    closeLater('what was spoken before', synthesiser.close);
    const sessions = createVoiceSessions({ log, onPlayed: metrics.played });
    closeLater('the voice sessions', sessions.closeAll);

    const tellWhyLeft = createLeaveNotice({ client, rules, log });
    const speakers = createGuildSpeakers({
      sessions,
      synthesiser,
      log,
      listeners: (...where) => countListeners(client, ...where),
      channelExists: (channelId) => client.channels.cache.has(channelId),
      obstacle: (guildId, channelId) => obstacleIn(client, guildId, channelId),
      limitsOf: (guildId) => speakerLimitsOf(rules.known(guildId)),
      onLeft(leaving) {
        tellWhyLeft(leaving);
        reading.left(leaving);
      },
      onFirstAudio: metrics.firstAudio,
    });
    rules.onChanged((guildId) => speakers.find(guildId)?.limitsChanged());
    const members = createMemberSettings(store);
    const optOuts = createOptOuts(store);
    const waiting = { pending: createPending<SpeechOrder>(), announcements: createPending<Announcement>() };
    const pending = Object.values(waiting);
    const kept = listKeptData({ store, settings, members, dictionaries, optOuts, spending, speakers, pending });
    const life = createServerLife({ client, store, rules, kept, allowed: config.access.allowedServers, log });
    closeLater('what is kept of servers', life.close);
    const services = {
      speech,
      voices,
      settings,
      members,
      kept,
      vanishedVoices: life.vanishedVoices,
      speakers,
      synthesiser,
      spending,
      rules,
      dictionaries,
      spokenTexts: createSpokenTexts({ rules, dictionaries }),
      moderation,
      optOuts,
      textCooldown: createTextCooldown(),
      ...waiting,
      status: createBotStatus({ metrics, readiness, startedAtMs }),
      owners,
      localVoice,
      topUpUrl: config.credits.topUpUrl,
      directUse: config.access.directUse,
      readsMessages: config.discord.readsMessages,
      readingProblem: (guildId: string, channelIds: readonly string[]) => readingProblem(client, guildId, channelIds),
      log,
    };
    finishWork = async (signal) => {
      readiness.startDraining();
      await speakers.drain({ reason: text('refused.stopping'), signal });
      // Files are made without a speaker.
      await abortable(dispatcher.drain(LAST_FILES_MS), signal);
    };
    leaveChannels = async () => {
      await sessions.closeAll();
      await client.destroy();
    };
    const dispatcher = createDispatcher({
      commands,
      services,
      repeated: attempts.repeated,
      onAnswered: metrics.commandAnswered,
      log,
    });
    // The other way round in time: the speakers end first, and then the people who waited for them are told.
    closeLater('the last answers', () => dispatcher.drain(LAST_ANSWERS_MS));
    closeLater('the speakers', () => speakers.close(text('refused.stopping')));
    const reading = createReading({
      ...services,
      client,
      allowed: config.access.allowedServers,
      ...notesOfReading(services),
    });
    closeLater('reading', reading.close);

    warmUp([pipeline.warmUp(), synthesiser.warmUp(), speech.warmUp(), voices.list()]);
    const servers = createAllowedServers({ allowed: config.access.allowedServers, log });
    const handleInteraction = servers.only(dispatcher.handle);
    routeEvents({ client, speakers, sessions, handleInteraction, onFatal, stopping: stopping.signal, log });
    metrics.watch({
      discord: () => connectionState(client),
      speakers: sessions.census,
      queues: speakers.census,
      circuits: () => (voices.known()?.models ?? []).map(({ id }) => [id, speech.quotaRetryAfterMs(id) !== undefined]),
      draining: () => readiness.draining,
    });
    const loggedIn = await logIn(client, config.discord, stopping.signal);
    servers.guard(loggedIn);
    void life.start();
    const registered = await offerCommands({ client: loggedIn, config, store, log });
    readiness.check('commands', () => (registered ? undefined : 'could not be registered'));
    void money.checkAccount().catch((error: unknown) => {
      if (!stopping.signal.aborted) log.info({ err: error }, 'What is left in the account is not known yet');
    });
    log.info(
      {
        servers: client.guilds.cache.size,
        commands: commands.length,
        voice: localVoice ? 'local' : service.baseUrl.origin,
        opus: pipeline.encoderName,
      },
      'Crier is ready',
    );
  }

  /** What the first utterance would otherwise wait for. Speaking works, or says why not, without it. */
  function warmUp(work: readonly Promise<unknown>[]): void {
    for (const each of work) {
      each.catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn({ err: error }, 'Could not prepare for the first utterance');
      });
    }
  }

  async function finishAll(): Promise<void> {
    const { drainTimeoutMs } = config;
    const timeout = AbortSignal.timeout(drainTimeoutMs);
    try {
      await finishWork(AbortSignal.any([timeout, stopping.signal]));
      log.info('Everything that was begun has been finished');
    } catch (error) {
      if (timeout.aborted)
        log.warn({ drainTimeoutMs }, 'Not everything was finished in time: the rest is told to its askers');
      else if (!stopping.signal.aborted) log.warn({ err: error }, 'Finishing what was begun failed');
    }
  }

  async function closeAll(): Promise<void> {
    stopping.abort(new Error('Crier is being stopped'));
    // Whoever awaits the start hears why it failed; here it only must be over.
    await opened.inTime('the start', async () => starting?.catch(() => undefined));
    await opened.all();
    log.info('Crier has stopped');
  }

  return {
    start() {
      starting ??= start();
      return starting;
    },
    drain() {
      draining ??= finishAll();
      return draining;
    },
    leave: () => leaveChannels(),
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}
