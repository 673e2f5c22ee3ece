import type pg from 'pg';
import type { ShardRange } from './cell-lease.ts';

/** A voice channel that the bot was in when its process was told to stop. */
export interface LeftPlace {
  readonly guildId: string;
  readonly channelId: string;
  /** The channel's own chat is read there since somebody brought the bot with /join. */
  readonly readsChat: boolean;
}

/** What a cell that ends in order tells its successor, so that nobody has to bring the bot back. */
export interface LeftPlaces {
  leave(places: readonly LeftPlace[]): Promise<void>;
  /** Those of the last minutes, once. */
  take(): Promise<readonly LeftPlace[]>;
}

interface LeftPlacesOptions {
  /** Of a database that is prepared; stays open. */
  readonly pool: pg.Pool;
  readonly cellId: number;
  readonly shards: ShardRange | undefined;
}

export function createLeftPlaces({ pool, cellId, shards }: LeftPlacesOptions): LeftPlaces {
  return {
    async leave(places) {
      if (places.length === 0) return;
      await pool.query(
        `INSERT INTO crier.places
         SELECT place."guildId", place."channelId", place."readsChat", clock_timestamp()
         FROM json_to_recordset($2) AS place("guildId" TEXT, "channelId" TEXT, "readsChat" BOOLEAN)
         WHERE crier.writes_as($1)
         ON CONFLICT (guild_id) DO UPDATE
         SET channel_id = excluded.channel_id, reads_chat = excluded.reads_chat, left_at = excluded.left_at`,
        [cellId, JSON.stringify(places)],
      );
    },
    async take() {
      const { rows } = await pool.query<LeftPlace & { readonly isRecent: boolean }>(
        `DELETE FROM crier.places WHERE crier.is_of_shards(guild_id, $1, $2, $3)
         RETURNING guild_id AS "guildId", channel_id AS "channelId", reads_chat AS "readsChat",
           left_at > clock_timestamp() - INTERVAL '10 minutes' AS "isRecent"`,
        [shards?.first ?? 0, shards?.last ?? null, shards?.count ?? null],
      );
      return rows.filter(({ isRecent }) => isRecent);
    },
  };
}
