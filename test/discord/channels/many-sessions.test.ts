import { ChannelType } from 'discord.js';
import { pino } from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { createVoiceSessions } from '../../../src/audio/connection/voice-sessions.ts';
import { voicePlace } from '../../../src/discord/channels/voice-access.ts';
import { startWorld } from '../../../src/playground/world/world.ts';
import { trust } from '../../playground/voice/parties.ts';
import { loggedIn } from '../logged-in.ts';

const SERVERS = 24;
const BUDGET = { limit: 16, perMs: 4_000 };

it('after a new main session, more voice sessions than the budget has room for all come back, one window after the other', async () => {
  const world = await startWorld();
  onTestFinished(() => world.close());
  trust(world.voiceServer);
  for (let n = 1; n < SERVERS; n += 1) world.newServer(`Server ${n}`);
  const client = await loggedIn(world);

  const sentAtMs: number[] = [];
  const sessions = createVoiceSessions({ log: pino({ level: 'silent' }), times: { requestBudget: BUDGET } });
  onTestFinished(() => sessions.closeAll());
  const joined = await Promise.all(
    client.guilds.cache.map((guild) => {
      const channel = guild.channels.cache.find(({ name }) => name === 'General');
      if (channel?.type !== ChannelType.GuildVoice) throw new Error('The client does not know the channel');
      const { adapterCreator, ...place } = voicePlace(channel);
      return sessions.join({
        guildId: guild.id,
        ...place,
        adapterCreator(methods) {
          const adapter = adapterCreator(methods);
          return {
            destroy: () => adapter.destroy(),
            sendPayload(payload) {
              const wasSent = adapter.sendPayload(payload);
              if (wasSent) sentAtMs.push(performance.now());
              return wasSent;
            },
          };
        },
      });
    }),
  );
  expect(joined).toHaveLength(SERVERS);
  expect(sentAtMs).toHaveLength(SERVERS);

  world.faults.invalidateSession({ resumable: false });
  await expect.poll(() => sessions.census().joined, { timeout: 10_000 }).toBe(0);
  await expect.poll(() => sessions.census().joined, { timeout: 40_000 }).toBe(SERVERS);
  expect(joined.every(({ state }) => state.status === 'ready')).toBe(true);
  const within = (fromMs: number) => sentAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + BUDGET.perMs).length;
  expect(Math.max(...sentAtMs.map(within))).toBeLessThanOrEqual(BUDGET.limit);
});
