import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Events } from 'discord.js';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { VoiceSession, VoiceSessionsOptions } from '../../../src/audio/connection/voice-session-types.ts';
import { createVoiceSessions } from '../../../src/audio/connection/voice-sessions.ts';
import { voicePlace } from '../../../src/discord/channels/voice-access.ts';
import { createDiscordClient } from '../../../src/discord/client/client.ts';
import { leaveStaleVoice } from '../../../src/discord/client/events.ts';
import { startWorld, type World } from '../../../src/playground/world/world.ts';
import { trust } from '../../playground/voice/parties.ts';

const log = pino({ level: 'silent' });
const SOON = { timeoutMs: 10_000 };
const SOON_POLLED = { timeout: 20_000 };

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

/** Other sessions, and a client that knows of them, instead of those there were. */
async function configure(times: VoiceSessionsOptions['times']): Promise<void> {
  await client.destroy();
  sessions = createVoiceSessions({ log, times });
  client = await logIn();
}

function join(): Promise<VoiceSession> {
  const guild = client.guilds.cache.get(world.guildId);
  const channel = guild?.channels.cache.find(({ name }) => name === 'General');
  if (!guild || !channel?.isVoiceBased()) throw new Error('The client does not know the channel');
  return sessions.join({ guildId: guild.id, ...voicePlace(channel) });
}

const next = (event: string) => new Promise<void>((resolve) => void client.once(event, () => resolve()));
/** Whatever was asked of the gateway before has been done, or was not heard: paced time passes when nothing is on its way. */
const answered = () => sleep(1_000);
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
    const perMs = 2_500;
    await configure({ requestBudget: { limit: 1, perMs } });
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

  it('stays there when the voice server changes while the gateway is away for longer than a reason is waited for', async () => {
    await configure({ explanationTimeoutMs: 500 });
    const session = await join();
    world.faults.refuseGateway(true);
    world.faults.dropGateway();
    world.faults.changeVoiceServer(world.guildId, { afterMs: 0 });
    await expect.poll(() => session.state, SOON_POLLED).toMatchObject({ status: 'reconnecting', step: 'asking-why' });
    await sleep(1_000);
    expect(session.state).toMatchObject({ step: 'asking-why' });
    world.faults.refuseGateway(false);
    await expect.poll(() => session.state.status, SOON_POLLED).toBe('ready');
    await session.leave();
  });
});
