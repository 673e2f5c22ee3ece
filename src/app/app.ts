import { commands } from '../commands/index.ts';
import type { Config } from '../config/config.ts';
import { onVoiceArrival } from '../discord/channels/permissions.ts';
import { createDiscordClient } from '../discord/client/client.ts';
import { routeEvents } from '../discord/client/events.ts';
import { connectionProblem, connectionState, createSessionStarts, logIn } from '../discord/client/login.ts';
import { createModerationLog } from '../discord/moderation/moderation-log.ts';
import { leaveOtherServers } from '../discord/servers/server-life.ts';
import { openCommands } from './commands.ts';
import type { Log } from './log.ts';
import { openCredits, openSpeech } from './speech.ts';
import { beginStartup, createClosing, type Startup } from './startup.ts';
import { openStorage } from './storage.ts';
import { openVoice } from './voice.ts';

interface AppOptions {
  readonly config: Config;
  readonly log: Log;
  /** Called after a failure that only a restart or the operator can fix. The callback must end the process. */
  readonly onFatal: (error: Error) => void;
}

type Stages = Awaited<ReturnType<typeof openStages>>;

async function openStages(startup: Startup) {
  const storage = await openStorage(startup);
  const service = await openSpeech(startup, storage);
  const { config, log, closeLater, metrics, readiness } = startup;
  const { settings, ownership } = storage;
  const starts = createSessionStarts({ takeTurn: ownership.takeIdentifyTurn, log });
  const { client, attempts, isRefused } = createDiscordClient(config.discord, {
    shards: config.shards,
    mayAct: () => ownership.owns(),
    buildThrottler: starts.buildThrottler,
  });
  closeLater('the connection to Discord', () => client.destroy());
  readiness.check('discord', () => connectionProblem(client));
  metrics.watch({ discord: () => connectionState(client) });
  const moderation = createModerationLog({ client, rules: settings, localVoice: config.speech.isFree, log });
  closeLater('the moderation log', moderation.close);
  const discord = { client, attempts, moderation, isWaiting: () => isRefused() || starts.isWaiting() };
  const credits = await openCredits(startup, storage, service.speech, client);
  const voice = await openVoice(startup, storage, service, client, credits);
  const answering = openCommands(startup, storage, discord, credits, voice);
  return { source: service.source, readiness, storage, discord, credits, voice, answering };
}

export function createApp({ config, log: { log, conceal }, onFatal }: AppOptions) {
  const opened = createClosing(log);
  const stopping = new AbortController();
  let stages: Stages | undefined;
  let opening: Promise<Stages> | undefined;
  let starting: Promise<void> | undefined;
  let closing: Promise<void> | undefined;

  async function openAll(): Promise<Stages> {
    conceal(config.discord.token);
    const { later: closeLater } = opened;
    const beginning = { config, log, conceal, closeLater, onLeaseLost, stopping: stopping.signal };
    stages = await openStages(await beginStartup(beginning));
    return stages;
  }

  function open(): Promise<Stages> {
    opening ??= openAll();
    return opening;
  }

  async function start(): Promise<void> {
    const { source, readiness, storage, discord, credits, voice, answering } = await open();
    const { client, isWaiting } = discord;
    const { sessions, speakers } = voice;
    const handleInteraction: typeof answering.handle = async (interaction) => {
      if (storage.ownership.owns()) await answering.handle(interaction);
    };
    routeEvents({ client, speakers, sessions, handleInteraction, onFatal, stopping: stopping.signal, log });
    const loggedIn = await logIn(client, config.discord, stopping.signal, isWaiting);
    onVoiceArrival(loggedIn, () => {
      source.wake?.();
      voice.prepareLongTexts();
    });
    void answering.comeBack(loggedIn);
    leaveOtherServers(loggedIn, config.access.allowedServers, log);
    void answering.catchUp();
    const registered = await answering.offer(loggedIn);
    readiness.check('commands', () => (registered ? undefined : 'could not be registered'));
    void credits.checkAccount().catch((error: unknown) => {
      if (!stopping.signal.aborted)
        log.info({ err: error }, 'Account balance unknown: the next speech response will report it');
    });
    log.info(
      {
        servers: client.guilds.cache.size,
        commands: commands.length,
        voice: config.speech.kind === 'local' ? 'local' : source.baseUrl().origin,
        opus: voice.encoderName,
      },
      'Crier is ready',
    );
  }

  function onLeaseLost(error: Error): void {
    // Leaving voice channels over Discord's gateway could end the voice connections of the successor process.
    void stages?.discord.client.destroy();
    void stages?.voice.sessions.closeAll();
    onFatal(error);
  }

  async function finishAll(): Promise<void> {
    const { drainTimeoutMs } = config;
    const timeout = AbortSignal.timeout(drainTimeoutMs);
    void stages?.storage.ownership.ending().catch((error: unknown) => {
      log.warn({ err: error }, 'Shutdown not recorded: the next process may refuse to start');
    });
    try {
      await stages?.answering.drain(AbortSignal.any([timeout, stopping.signal]));
      log.info('Shutdown: every text being spoken was finished, none cut off');
    } catch (error) {
      if (timeout.aborted) log.warn({ drainTimeoutMs }, 'Shutdown cuts off texts: the next start may speak them');
      else if (!stopping.signal.aborted)
        log.warn({ err: error }, 'Last texts not spoken: the next start may speak them');
    }
  }

  async function closeAll(): Promise<void> {
    stopping.abort(new Error('Crier is being stopped'));
    // While the bot is being closed, an error of its start is ignored here, because the caller of start() gets it.
    await opened.inTime('the start', async () => {
      await opening?.catch(() => undefined);
      await starting?.catch(() => undefined);
    });
    await opened.all();
  }

  return {
    /** Opens every part of the bot that works without Discord. Optional: start() does it first if needed. */
    open,
    /** Resolves once the bot is logged in and can answer commands. Rejects with an error that tells the operator what to do. */
    start(): Promise<void> {
      starting ??= start();
      return starting;
    },
    /** Resolves when current texts are finished, or after `config.drainTimeoutMs`. Never rejects. */
    drain: finishAll,
    /** Leaves every voice channel without a notice, because the process must end at once. */
    async leave(): Promise<void> {
      await stages?.voice.sessions.closeAll();
      await stages?.discord.client.destroy();
    },
    /** Closes all parts of the bot, in reverse order of opening. May be called at any time, even during the start. */
    close(): Promise<void> {
      closing ??= closeAll();
      return closing;
    },
  };
}
