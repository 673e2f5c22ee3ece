import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, Events, type Guild, type WebSocketShard } from 'discord.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { VoiceSessionsOptions } from '../../../src/audio/connection/voice-session-types.ts';
import { createVoiceSessions } from '../../../src/audio/connection/voice-sessions.ts';
import { voicePlace } from '../../../src/discord/channels/permissions.ts';
import { leaveStaleVoice } from '../../../src/discord/client/events.ts';
import type { World } from '../../../src/playground/world/world.ts';
import { FREELY, UNWATCHED } from '../../audio/connection/voice-world.ts';
import { trust } from '../../playground/voice/parties.ts';
import { silentLog as log } from '../../silent-log.ts';
import { loggedIn, openWorld } from '../logged-in.ts';

const SOON = { timeoutMs: 10_000 };

let world: World;
let client: Client;
let sessions: ReturnType<typeof createVoiceSessions>;

beforeEach(async () => {
  world = await openWorld();
  trust(world.voiceServer);
  sessions = createVoiceSessions({ log, ...UNWATCHED });
  client = await logIn();
});
afterEach(() => sessions.closeAll());

const logIn = () => loggedIn(world, (made) => leaveStaleVoice(made, sessions, log));

/** Other sessions, and a client that knows of them, instead of those there were. */
async function configure(times: VoiceSessionsOptions['times']): Promise<void> {
  await client.destroy();
  sessions = createVoiceSessions({ log, ...UNWATCHED, times });
  client = await logIn();
}

function placeIn(guild: Guild | undefined) {
  const channel = guild?.channels.cache.find(({ name }) => name === 'General');
  if (!channel?.isVoiceBased()) throw new Error('The client does not know the channel');
  return { guildId: channel.guild.id, ...voicePlace(channel) };
}

const join = () => sessions.join(placeIn(client.guilds.cache.get(world.guildId)), FREELY);

const next = (event: string) => new Promise<void>((resolve) => void client.once(event, () => resolve()));
/** Whatever was asked of the gateway before has been done, or was not heard: paced time passes when nothing is on its way. */
const answered = () => sleep(1_000);
const gone = () => world.until(() => world.bot.voiceChannel === undefined, { ...SOON, what: 'the bot to leave' });

describe('a bot that Discord still has in a voice channel', () => {
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

  it('leaves it when it left while the gateway reconnected, and when it is its turn: the sessions share its budget', async () => {
    const perMs = 2_500;
    await configure({ requestBudget: { limit: 1, perMs } });
    const askedAtMs = performance.now();
    const session = await join();
    const reconnecting = next(Events.ShardReconnecting);
    world.faults.dropGateway();
    await reconnecting;
    await session.leave();
    expect(world.bot.voiceChannel).toBe('General');
    await gone();
    expect(performance.now() - askedAtMs).toBeGreaterThanOrEqual(perMs);
  });

  it('stays there when the voice server changes while the gateway is away for longer than a reason is waited for', async () => {
    await configure({ explanationTimeoutMs: 500 });
    const session = await join();
    world.faults.refuseGateway(true);
    world.faults.dropGateway();
    world.faults.changeVoiceServer(world.guildId, { afterMs: 0 });
    await expect.poll(() => session.state).toMatchObject({ status: 'reconnecting', step: 'asking-why' });
    await sleep(1_000);
    expect(session.state).toMatchObject({ step: 'asking-why' });
    world.faults.refuseGateway(false);
    await expect.poll(() => session.state.status).toBe('ready');
    await session.leave();
  });
});

it('after a new main session, more voice sessions than the budget has room for all come back, one window after the other', async () => {
  const budget = { limit: 16, perMs: 4_000 };
  for (let n = 1; n < 24; n += 1) world.newServer(`Server ${n}`);
  await configure({ requestBudget: budget });
  const sentAtMs: number[] = [];
  const shard = client.ws.shards.first() as WebSocketShard;
  const send = shard.send.bind(shard);
  vi.spyOn(shard, 'send').mockImplementation((payload) => {
    sentAtMs.push(performance.now());
    send(payload);
  });
  const joined = await Promise.all(client.guilds.cache.map((guild) => sessions.join(placeIn(guild), FREELY)));
  expect(sentAtMs).toHaveLength(24);

  world.faults.invalidateSession({ resumable: false });
  await expect.poll(() => sessions.census().joined).toBe(0);
  await expect.poll(() => sessions.census().joined).toBe(24);
  expect(joined.every(({ state }) => state.status === 'ready')).toBe(true);
  const within = (fromMs: number) => sentAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + budget.perMs).length;
  expect(Math.max(...sentAtMs.map(within))).toBeLessThanOrEqual(budget.limit);
});
