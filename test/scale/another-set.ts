import type { Cluster } from './cluster.ts';
import type { Room } from './rooms.ts';

/** Of all rooms: how long each was without the bot, at most. */
interface Replaced {
  readonly mutedMs: number;
  readonly absencesMs: readonly number[];
}

/** Starts a second set of processes beside the first one, then ends that one, all of it at once. */
export async function replaceAll(cluster: Cluster, rooms: readonly Room[]): Promise<Replaced> {
  const startedAtMs = performance.now();
  const successors = await Promise.all(cluster.cells.map(cluster.startBeside));
  const mutedMs = performance.now() - startedAtMs;
  const watch = watchAbsences(cluster, rooms);
  await Promise.all(cluster.cells.map(cluster.end));
  await Promise.all(successors.map(({ takeOver }) => takeOver()));
  return { mutedMs, absencesMs: await watch.over() };
}

const BACK_WITHIN_MS = 20_000;

function watchAbsences({ world }: Cluster, rooms: readonly Room[]) {
  const isThere = ({ server }: Room) => server.channel('General').members.includes('bot');
  const longestMs = new Map<Room, number>(rooms.map((room) => [room, 0]));
  const leftAtMs = new Map<Room, number>();
  const look = () => {
    for (const room of rooms) {
      const since = leftAtMs.get(room);
      if (!isThere(room)) leftAtMs.set(room, since ?? performance.now());
      else if (since !== undefined) {
        longestMs.set(room, Math.max(longestMs.get(room) ?? 0, performance.now() - since));
        leftAtMs.delete(room);
      }
    }
  };
  const stop = world.onChange(look);
  return {
    /** Resolves when the bot is back in all of them, or has not been for long. */
    async over(): Promise<readonly number[]> {
      await world
        .until(() => rooms.every(isThere), { what: 'the bot in all rooms', timeoutMs: BACK_WITHIN_MS })
        .catch(() => undefined);
      stop();
      return rooms.map((room) => (leftAtMs.has(room) ? Number.POSITIVE_INFINITY : (longestMs.get(room) ?? 0)));
    },
  };
}
