import type { Client } from 'discord.js';
import type { Logger } from 'pino';
import { countListeners, obstacleIn, voicePlace } from '../../discord/channels/voice-access.ts';
import type { LeftPlace } from '../../services/cells/ownership.ts';
import { withDeadline } from '../../services/time/deadline.ts';
import type { Services } from '../framework/command.ts';

interface ReturnOptions {
  /** Logged in. */
  readonly client: Client<true>;
  readonly services: Services;
  /** ALLOWED_SERVERS; undefined: all. */
  readonly allowed: readonly string[] | undefined;
  readonly log: Logger;
}

/** A server of a shard waits no longer for another one's join. */
const JOIN_DEADLINE_MS = 20_000;
/** Joins of one shard: a join takes half a second, and no channel is to wait for ten. */
const AT_ONCE = 10;

/** Goes back to the channels of the previous process that still have listeners. Never rejects. */
export async function returnToPlaces(places: readonly LeftPlace[], options: ReturnOptions): Promise<void> {
  const { client, services, allowed, log } = options;
  const { speakers, reading } = services;

  async function goBack({ guildId, channelId, readsChat }: LeftPlace): Promise<void> {
    const channel = client.guilds.cache.get(guildId)?.channels.cache.get(channelId);
    if (!channel?.isVoiceBased() || (allowed && !allowed.includes(guildId))) return;
    if (speakers.refusal || obstacleIn(client, guildId, channelId)) return;
    if (countListeners(client, guildId, channelId) === 0) return;
    const speaker = speakers.of(guildId);
    if (speaker.channelId === undefined) {
      const joining = speaker.join(voicePlace(channel));
      await withDeadline(joining, { timeoutMs: JOIN_DEADLINE_MS, what: 'Going back into a channel' });
    }
    if (readsChat && speaker.channelId === channelId) reading.read(guildId, channelId);
  }

  /** Some at a time in each shard, whose requests keep to Discord's limit by themselves (request-line.ts). */
  async function goBackTo(ofShard: readonly LeftPlace[]): Promise<void> {
    const left = ofShard.values();
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (const place of left) {
          await goBack(place).catch((error: unknown) =>
            log.warn({ err: error, guildId: place.guildId }, 'Returning to a channel failed or takes long'),
          );
        }
      }),
    );
  }

  const byShard = Map.groupBy(places, ({ guildId }) => client.guilds.cache.get(guildId)?.shardId);
  await Promise.all([...byShard.values()].map(goBackTo));
}
