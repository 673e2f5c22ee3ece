import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { attachGateway } from '../gateway/server.ts';
import type { World, WorldOptions, WorldServer } from '../interface/world-types.ts';
import { applicationRoutes } from '../rest/routes/application-routes.ts';
import { channelRoutes, guildRoutes } from '../rest/routes/guild-routes.ts';
import { interactionRoutes, webhookRoutes } from '../rest/routes/interaction-routes.ts';
import { startRestServer } from '../rest/server.ts';
import { publishGuildCreate } from '../state/guilds.ts';
import {
  createHub,
  createIdSource,
  createNamedIdSource,
  createSessionStarts,
  systemClock,
  waitUntil,
} from '../state/hub.ts';
import { applicationFlags } from '../state/intents.ts';
import { createInteractions } from '../state/interactions.ts';
import { commandsOf } from '../state/model.ts';
import { createServer, createStartingModel } from '../state/starting-model.ts';
import { startVoiceServer } from '../voice/server.ts';
import { createFaults } from './faults.ts';
import { createWorldServer } from './world-server.ts';

export type * from '../interface/world-types.ts';
export { CommandRefused } from '../people/typed-command.ts';
export { createManualClock } from '../state/hub.ts';

/** Discord's own: https://discord.com/developers/docs/events/gateway#hello-event */
const HEARTBEAT_INTERVAL_MS = 41_250;

/**
 * Starts a loopback Discord with one server: `general` (text), `General` and `Lounge`, `Full` (one place, taken by frank),
 * `Locked` (the bot may not connect), `Quiet` (the bot may not speak), `Stage`; members `alice`, `bob` and the owner `olga`.
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const clock = options.clock ?? systemClock;
  const newId = options.sameIds ? createNamedIdSource(clock) : createIdSource(clock);
  const started = createStartingModel(clock, newId, {
    flags: applicationFlags(options.privilegedIntents ?? []),
    team: options.team,
  });
  const { model, guild } = started;
  const { application } = model;
  const voice = await startVoiceServer(options.voice);
  const sessionStarts = createSessionStarts(clock, options.sessionStarts);
  const hub = createHub({ model, clock, voice, newId, recommendedShards: options.shards ?? 1, sessionStarts });
  const interactions = createInteractions(hub);
  const routes = [...applicationRoutes, ...channelRoutes, ...guildRoutes, ...interactionRoutes, ...webhookRoutes];
  const rest = await startRestServer({
    hub,
    interactions,
    routes,
    port: options.port ?? 0,
    onCall: options.onRestCall,
  }).catch(async (error) => {
    // A port that is taken, say: nothing is left running.
    await voice.close();
    throw error;
  });
  hub.origin = `http://127.0.0.1:${rest.port}`;
  const heartbeatIntervalMs = options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS;
  const gateway = attachGateway(rest.http, hub, {
    heartbeatIntervalMs,
    strictIdentify: options.strictIdentify ?? false,
  });
  const folder = await mkdtemp(join(tmpdir(), 'crier-world-'));
  const certificateFile = join(folder, 'voice-ca.pem');
  await writeFile(certificateFile, voice.caCertificatePem);

  const server = createWorldServer({ hub, interactions }, started);
  const botState = () => guild.voiceStates.get(application.botId);
  const hasSession = () => [...gateway.sessions.all.values()].some((session) => session.ready && session.socket);

  let closing: Promise<void> | undefined;
  const close = async () => {
    interactions.close();
    await Promise.all([gateway.close(), voice.close()]);
    await Promise.all([rest.close(), rm(folder, { recursive: true, force: true })]);
  };

  const world: Omit<World, keyof WorldServer> = {
    botEnv: {
      DISCORD_TOKEN: application.token,
      DISCORD_API_URL: `${hub.origin}/api`,
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
    bot: {
      userId: application.botId,
      applicationId: application.id,
      get voiceChannel() {
        return guild.channels.get(botState()?.channelId ?? '')?.name;
      },
      get online() {
        return hasSession();
      },
      get commands() {
        return commandsOf(model, guild.id);
      },
      get resumes() {
        return gateway.counts.resumes;
      },
      get identifies() {
        return hub.identifies;
      },
      get refusedIdentifies() {
        return gateway.counts.refusedIdentifies;
      },
      get selfDeafened() {
        return botState()?.selfDeaf ?? false;
      },
      get suppressed() {
        return botState()?.suppress ?? false;
      },
      get requestsToSpeak() {
        return (botState()?.requestToSpeakAt ?? null) !== null;
      },
    },
    clock,
    voiceServer: voice,
    faults: createFaults({ hub, rest, gateway }),
    restCalls: rest.calls,
    rateLimitHits: rest.rateLimitHits,
    async botReady({ timeoutMs, signal, commands = true }) {
      // The end of a process killed just now may still be on its way: its session is not the one to wait for.
      await nextTurn();
      const isReady = () => hasSession() && (!commands || commandsOf(model, guild.id).length > 0);
      await waitUntil(hub, isReady, { what: 'the bot to log in and register its commands', timeoutMs, signal });
    },
    newServer(name, serverOptions = {}) {
      const added = createServer(model, clock, newId, name, serverOptions);
      if (serverOptions.bot !== false) publishGuildCreate(hub, added.guild);
      return createWorldServer({ hub, interactions }, added, serverOptions);
    },
    until: (condition, wait) => waitUntil(hub, condition, wait),
    onChange: hub.onChange,
    close: () => (closing ??= close()),
  };
  return Object.assign(server, world);
}
