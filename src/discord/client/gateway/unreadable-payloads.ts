import { type ClientOptions, SimpleShardingStrategy } from 'discord.js';
import { type ResumingShard, resumeElsewhere } from './resume-address.ts';

type BuildStrategy = NonNullable<NonNullable<ClientOptions['ws']>['buildStrategy']>;

/**
 * discord.js reads the gateway's payloads without checking them, and waits for none of its handlers: one field that is
 * missing would be an unhandled rejection, which would end the process. Such a payload is reported and left out. Besides, no shard
 * asks for ever where it is refused.
 */
export const strategyToSurvive =
  (report: (error: Error) => void): BuildStrategy =>
  (manager) => {
    const strategy = new SimpleShardingStrategy(manager);
    const spawn = strategy.spawn.bind(strategy);
    strategy.spawn = async (shardIds) => {
      await spawn(shardIds);
      for (const shard of shardsOf(strategy)) {
        guard(shard, report);
        resumeElsewhere(shard);
      }
    };
    return strategy;
  };

interface Shard extends ResumingShard {
  readonly id: number;
  onMessage(...message: unknown[]): Promise<void>;
}

function shardsOf(strategy: SimpleShardingStrategy): Iterable<Shard> {
  const shards: unknown = Reflect.get(strategy, 'shards');
  return shards instanceof Map ? (shards as Map<number, Shard>).values() : [];
}

function guard(shard: Shard, report: (error: Error) => void): void {
  const onMessage = shard.onMessage.bind(shard);
  shard.onMessage = (...message) =>
    onMessage(...message).catch((cause: unknown) =>
      report(new Error(`A payload of the gateway could not be handled on shard ${shard.id}`, { cause })),
    );
}
