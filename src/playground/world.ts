import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from './clock.ts';
import { createFaults } from './faults.ts';
import { applicationFlags } from './gateway/intents.ts';
import { attachGateway } from './gateway/server.ts';
import {
  addMember,
  inviteBot,
  leaveGuild,
  publishChannel,
  publishMember,
  publishRole,
  removeMember,
} from './guilds.ts';
import { createHub, createIdSource, waitUntil } from './hub.ts';
import { createInteractions } from './interactions.ts';
import { commandsOf } from './model.ts';
import { findMember } from './people/command-data.ts';
import { createPerson } from './people/person.ts';
import { permissionBits } from './permissions.ts';
import { applicationRoutes } from './rest/application-routes.ts';
import { channelRoutes } from './rest/channel-routes.ts';
import { guildRoutes } from './rest/guild-routes.ts';
import { interactionRoutes } from './rest/interaction-routes.ts';
import { startRestServer } from './rest/server.ts';
import { webhookRoutes } from './rest/webhook-routes.ts';
import { createStartingModel, newChannel, newMember, newUser } from './starting-model.ts';
import { startVoiceServer } from './voice/server.ts';
import { createEars, personJoins } from './voice-states.ts';
import { createWorldChannel } from './world-channel.ts';
import type { Person, World, WorldOptions } from './world-types.ts';

export { createManualClock } from './clock.ts';
export { CommandRefused } from './people/command-line.ts';
export type * from './world-types.ts';

/** Discord's own: https://discord.com/developers/docs/events/gateway#hello-event */
const HEARTBEAT_INTERVAL_MS = 41_250;

/**
 * Starts a loopback Discord with one server: `general` (text), `General` and `Lounge`, `Full` (one place, taken by frank),
 * `Locked` (the bot may not connect), `Quiet` (the bot may not speak), `Stage`; members `alice`, `bob` and `olga`, who owns it.
 */
export async function startWorld(options: WorldOptions = {}): Promise<World> {
  const clock = options.clock ?? systemClock;
  const newId = createIdSource(clock);
  const { model, guild, botRole } = createStartingModel(
    clock,
    newId,
    applicationFlags(options.privilegedIntents ?? []),
  );
  const { application } = model;
  const voice = await startVoiceServer(options.voice);
  const hub = createHub({ model, clock, voice, newId });
  const interactions = createInteractions(hub);
  const ears = createEars();
  const routes = [...applicationRoutes, ...channelRoutes, ...guildRoutes, ...interactionRoutes, ...webhookRoutes];
  const rest = await startRestServer({ hub, interactions, routes, port: options.port ?? 0 });
  hub.origin = `http://127.0.0.1:${rest.port}`;
  const heartbeatIntervalMs = options.heartbeatIntervalMs ?? HEARTBEAT_INTERVAL_MS;
  const gateway = attachGateway(rest.http, hub, { heartbeatIntervalMs });
  const folder = await mkdtemp(join(tmpdir(), 'crier-world-'));
  const certificateFile = join(folder, 'voice-ca.pem');
  await writeFile(certificateFile, voice.caCertificatePem);

  const people = new Map<string, Person>();
  const botState = () => guild.voiceStates.get(application.botId);
  const member = (name: string): Person => {
    const known = people.get(name);
    if (known) return known;
    const found = findMember(hub, guild, name);
    if (!found || found.userId === application.botId) throw new Error(`There is no member ${name}`);
    const person = createPerson({ hub, interactions, ears, guild }, found, name);
    people.set(name, person);
    return person;
  };
  const channelNamed = (name: string) => {
    const found = [...guild.channels.values()].find((channel) => channel.name === name);
    if (!found) throw new Error(`There is no channel ${name}`);
    return found;
  };
  const frank = findMember(hub, guild, 'frank');
  if (frank) personJoins(hub, ears, guild, channelNamed('Full'), frank.userId);

  let closing: Promise<void> | undefined;
  const close = async () => {
    interactions.close();
    await Promise.all([gateway.close(), voice.close()]);
    await Promise.all([rest.close(), rm(folder, { recursive: true, force: true })]);
  };

  const world: World = {
    botEnv: {
      DISCORD_TOKEN: application.token,
      DISCORD_API_URL: `${hub.origin}/api`,
      NODE_EXTRA_CA_CERTS: certificateFile,
    },
    guildId: guild.id,
    bot: {
      userId: application.botId,
      applicationId: application.id,
      get voiceChannel() {
        return guild.channels.get(botState()?.channelId ?? '')?.name;
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
      get selfDeafened() {
        return botState()?.selfDeaf ?? false;
      },
      get suppressed() {
        return botState()?.suppress ?? false;
      },
    },
    clock,
    voiceServer: voice,
    faults: createFaults({ hub, guild, rest, gateway }),
    restCalls: rest.calls,
    async botReady({ timeoutMs, signal, commands = true }) {
      // The end of a process killed just now may still be on its way: its session is not the one to wait for.
      await nextTurn();
      const isReady = () =>
        [...gateway.sessions.all.values()].some((session) => session.ready && session.socket) &&
        (!commands || commandsOf(model, guild.id).length > 0);
      await waitUntil(hub, isReady, { what: 'the bot to log in and register its commands', timeoutMs, signal });
    },
    member,
    newMember(name, { nick, permissions } = {}) {
      const user = newUser(newId, name);
      model.users.set(user.id, user);
      const joined = newMember(clock, guild.id, user.id);
      joined.nick = nick ?? null;
      addMember(hub, guild, joined);
      if (permissions) world.giveRole(name, `${name}'s role`, permissions);
      return member(name);
    },
    removeMember(name) {
      const leaving = findMember(hub, guild, member(name).id);
      people.delete(name);
      if (leaving) removeMember(hub, ears, guild, leaving);
    },
    giveRole(name, roleName, permissions = []) {
      const found = [...guild.roles.values()].find((role) => role.name === roleName);
      const role = found ?? {
        id: newId(),
        name: roleName,
        permissions: permissionBits(permissions),
        position: guild.roles.size,
      };
      guild.roles.set(role.id, role);
      if (!found) publishRole(hub, guild, role, 'GUILD_ROLE_CREATE');
      const holder = findMember(hub, guild, member(name).id);
      if (!holder) throw new Error(`There is no member ${name}`);
      holder.roles = [...new Set([...holder.roles, role.id])];
      publishMember(hub, holder);
      return role.id;
    },
    channel: (name) => createWorldChannel({ hub, ears, guild }, channelNamed(name)),
    newChannel(name, kind, { userLimit = 0 } = {}) {
      const channel = newChannel(newId, guild, name, kind, userLimit);
      publishChannel(hub, guild, channel, 'CHANNEL_CREATE');
      return createWorldChannel({ hub, ears, guild }, channel);
    },
    setBotPermissions(permissions) {
      botRole.permissions = permissionBits(permissions);
      publishRole(hub, guild, botRole, 'GUILD_ROLE_UPDATE');
    },
    removeBot: () => leaveGuild(hub, guild),
    inviteBot: () => inviteBot(hub, guild, newMember(clock, guild.id, application.botId, [botRole.id])),
    until: (condition, wait) => waitUntil(hub, condition, wait),
    close: () => (closing ??= close()),
  };
  return world;
}
