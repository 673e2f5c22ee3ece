/**
 * What a cell leaves to its successor, as in SQLite (unspoken-file.ts): texts that were accepted and not spoken, sealed, and
 * what was paid; besides, the channels it was in. Only a cell whose lease lasts writes: its row is locked meanwhile, so that
 * the successor sees all of it or none.
 */
export const HANDOVER = `
  CREATE TABLE crier.unspoken_texts (
    guild_id TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    cell BIGINT NOT NULL,
    number BIGINT NOT NULL,
    accepted_at_ms BIGINT NOT NULL,
    state TEXT NOT NULL,
    heard_ms BIGINT NOT NULL,
    position INTEGER NOT NULL,
    comebacks INTEGER NOT NULL,
    words BYTEA,
    origin BYTEA NOT NULL,
    PRIMARY KEY (guild_id, id)
  ) WITH (fillfactor = 50);
  CREATE INDEX unspoken_texts_by_user ON crier.unspoken_texts (user_id);
  CREATE TABLE crier.purchases (
    key TEXT NOT NULL,
    cell BIGINT NOT NULL,
    at_ms BIGINT NOT NULL,
    paid BYTEA,
    PRIMARY KEY (key, cell)
  );
  CREATE TABLE crier.places (
    guild_id TEXT PRIMARY KEY,
    channel_id TEXT NOT NULL,
    reads_chat BOOLEAN NOT NULL,
    left_at TIMESTAMPTZ NOT NULL
  );
  CREATE FUNCTION crier.writes_as(holder BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      PERFORM FROM crier.cells WHERE id = holder AND lease_until > clock_timestamp() FOR SHARE;
      RETURN FOUND;
    END $$;
  -- False where the lease is over: nothing is written then.
  CREATE FUNCTION crier.keep_unspoken(
    holder BIGINT, texts JSON, progressed JSON, texts_gone JSON, bought JSON, purchases_gone TEXT[]
  ) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      IF NOT crier.writes_as(holder) THEN RETURN false; END IF;
      INSERT INTO crier.unspoken_texts
      SELECT guild_id, id, user_id, holder, number, accepted_at_ms, state, heard_ms, position, comebacks,
        decode(words, 'base64'), decode(origin, 'base64')
      FROM json_to_recordset(texts) AS kept(guild_id TEXT, id TEXT, user_id TEXT, number BIGINT, accepted_at_ms BIGINT,
        state TEXT, heard_ms BIGINT, position INTEGER, comebacks INTEGER, words TEXT, origin TEXT)
      ON CONFLICT (guild_id, id) DO UPDATE SET cell = holder, number = excluded.number, state = excluded.state, heard_ms = excluded.heard_ms,
        position = excluded.position, comebacks = excluded.comebacks, words = excluded.words, origin = excluded.origin;
      UPDATE crier.unspoken_texts AS known
      SET state = one.state, heard_ms = one.heard_ms, position = one.position
      FROM json_to_recordset(progressed) AS one(guild_id TEXT, id TEXT, state TEXT, heard_ms BIGINT, position INTEGER)
      WHERE known.guild_id = one.guild_id AND known.id = one.id AND known.cell = holder;
      DELETE FROM crier.unspoken_texts AS known USING json_to_recordset(texts_gone) AS gone(guild_id TEXT, id TEXT)
      WHERE known.guild_id = gone.guild_id AND known.id = gone.id;
      INSERT INTO crier.purchases
      SELECT key, holder, at_ms, decode(paid, 'base64')
      FROM json_to_recordset(bought) AS one(key TEXT, at_ms BIGINT, paid TEXT)
      ON CONFLICT (key, cell) DO UPDATE SET at_ms = excluded.at_ms, paid = excluded.paid;
      -- Those of an earlier process as well: it was paid for, or not, anew.
      DELETE FROM crier.purchases
      WHERE key = ANY(purchases_gone) AND (cell = holder OR NOT crier.holds_lease(cell));
      RETURN true;
    END $$;
  CREATE FUNCTION crier.is_of_shards(guild TEXT, first INTEGER, last INTEGER, of_count INTEGER)
    RETURNS BOOLEAN LANGUAGE sql IMMUTABLE AS
    'SELECT of_count IS NULL OR (guild::bigint >> 22) % of_count BETWEEN first AND coalesce(last, of_count - 1)';
  -- What cells left behind whose lease is over. Waits for what they are still writing.
  CREATE FUNCTION crier.take_unspoken(holder BIGINT, first INTEGER, last INTEGER, of_count INTEGER)
    RETURNS SETOF crier.unspoken_texts LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      PERFORM FROM crier.cells WHERE lease_until <= clock_timestamp() ORDER BY id FOR UPDATE;
      RETURN QUERY UPDATE crier.unspoken_texts SET cell = holder
        WHERE NOT crier.holds_lease(cell) AND crier.is_of_shards(guild_id, first, last, of_count) RETURNING *;
    END $$;
  -- No words longer than ten minutes, whether or not a process comes for them.
  CREATE FUNCTION crier.drop_old_unspoken(words_until_ms BIGINT, texts_until_ms BIGINT, purchases_until_ms BIGINT)
    RETURNS void LANGUAGE sql VOLATILE AS $$
      UPDATE crier.unspoken_texts SET words = NULL WHERE words IS NOT NULL AND accepted_at_ms <= words_until_ms;
      DELETE FROM crier.unspoken_texts WHERE accepted_at_ms <= texts_until_ms;
      DELETE FROM crier.purchases WHERE at_ms <= purchases_until_ms;
      DELETE FROM crier.places WHERE left_at < clock_timestamp() - INTERVAL '10 minutes' $$;`;
