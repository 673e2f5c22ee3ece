import { type Client, Events } from 'discord.js';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VoiceSession } from '../../../src/audio/connection/voice-session-types.ts';
import { createVoiceSessions } from '../../../src/audio/connection/voice-sessions.ts';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { leaveStaleVoice } from '../../../src/discord/client/stale-voice.ts';
import { startWorld, type World } from '../../../src/playground/world/world.ts';
import { trust } from '../../playground/voice/parties.ts';

const log = pino({ level: 'silent' });
const SOON = { timeoutMs: 10_000 };

let world: World;
let client: Client;
let sessions: ReturnType<typeof createVoiceSessions>;

beforeEach(async () => {
  world = await startWorld();
  trust(world.voiceServer);
  sessions = createVoiceSessions({ log });
  client = await logIn();
});
afterEach(async () => {
  await sessions.closeAll();
  await client.destroy();
  await world.close();
});

async function logIn(): Promise<Client> {
  const apiUrl = new URL(world.botEnv.DISCORD_API_URL ?? '');
  const token = world.botEnv.DISCORD_TOKEN ?? '';
  const made = createDiscordClient({ token, apiUrl, readsMessages: false } as never).client;
  leaveStaleVoice(made, sessions, log);
  const ready = new Promise((resolve) => made.once(Events.ClientReady, resolve));
  await made.login(token);
  await ready;
  return made;
}

function join(): Promise<VoiceSession> {
  const guild = client.guilds.cache.get(world.guildId);
  const channel = guild?.channels.cache.find(({ name }) => name === 'General');
  if (!guild || !channel) throw new Error('The client does not know the channel');
  return sessions.join({ guildId: guild.id, channelId: channel.id, adapterCreator: guild.voiceAdapterCreator });
}

const next = (event: string) => new Promise<void>((resolve) => void client.once(event, () => resolve()));
/** Whatever was asked of the gateway before has been done, or was not heard. */
const answered = async () =>
  void (await client.guilds.cache.get(world.guildId)?.members.fetch({ user: [world.bot.userId] }));
const gone = () => world.until(() => world.bot.voiceChannel === undefined, { ...SOON, what: 'the bot to leave' });

describe('a bot that Discord still has in a voice channel', () => {
  it('leaves it when it left while the gateway reconnected', async () => {
    const session = await join();
    const reconnecting = next(Events.ShardReconnecting);
    world.faults.dropGateway();
    await reconnecting;
    await session.leave();
    expect(world.bot.voiceChannel).toBe('General');
    await gone();
  });

  it('leaves it when it left during an outage of the server', async () => {
    const session = await join();
    const unavailable = next(Events.GuildUnavailable);
    const end = world.outage();
    await unavailable;
    await session.leave();
    await answered();
    expect(world.bot.voiceChannel).toBe('General');
    end();
    await gone();
  });

  it('leaves it when it is its turn: the requests of the sessions share its budget', async () => {
    await client.destroy();
    const perMs = 2_500;
    sessions = createVoiceSessions({ log, requestBudget: { limit: 1, perMs } });
    client = await logIn();
    const askedAtMs = performance.now();
    const session = await join();
    const reconnecting = next(Events.ShardReconnecting);
    world.faults.dropGateway();
    await reconnecting;
    await session.leave();
    await gone();
    expect(performance.now() - askedAtMs).toBeGreaterThanOrEqual(perMs);
  });

  it('stays where it is at work', async () => {
    const session = await join();
    const resumed = next(Events.ShardResume);
    world.faults.dropGateway();
    await resumed;
    const available = next(Events.GuildAvailable);
    world.outage()();
    await available;
    await answered();
    expect([world.bot.voiceChannel, session.state.status]).toEqual(['General', 'ready']);
  });
});
