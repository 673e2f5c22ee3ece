/** The channel on which a written or deleted entry is announced, by its table and key. */
export const ENTRIES_CHANNEL = 'crier_entries';

/** The values of the store, as in SQLite (database.ts). Probes, the gains of voices and texts that wait concern no other process. */
export const ENTRIES = `
  CREATE TABLE crier.entries (
    namespace TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    value TEXT NOT NULL,
    expires_at BIGINT,
    PRIMARY KEY (namespace, key)
  );
  CREATE INDEX entries_expiry ON crier.entries (expires_at) WHERE expires_at IS NOT NULL;
  CREATE FUNCTION crier.announce_entry() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE changed crier.entries := CASE TG_OP WHEN 'DELETE' THEN OLD ELSE NEW END;
    BEGIN
      IF changed.namespace NOT IN ('health', 'voice-loudness') AND changed.namespace NOT LIKE 'accepted-%' THEN
        PERFORM pg_notify('${ENTRIES_CHANNEL}', changed.namespace || ':' || changed.key);
      END IF;
      RETURN NULL;
    END $$;
  CREATE TRIGGER announce AFTER INSERT OR UPDATE OR DELETE ON crier.entries
    FOR EACH ROW EXECUTE FUNCTION crier.announce_entry();`;

/**
 * A cell is one process with a range of shards; its id, which only grows, is the epoch of its lease. Without an end, the
 * range has all further shards; without a count, the cell alone is the whole bot.
 */
export const CELLS = `
  CREATE TABLE crier.cells (
    id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    first_shard INTEGER NOT NULL,
    last_shard INTEGER,
    shard_count INTEGER,
    lease_until TIMESTAMPTZ NOT NULL,
    -- It was told to stop, and gives its lease back soon.
    ending BOOLEAN NOT NULL DEFAULT false
  );
  -- The clock of the statement, not of the transaction: it may have waited for a lock.
  CREATE FUNCTION crier.holds_lease(cell BIGINT) RETURNS BOOLEAN LANGUAGE sql VOLATILE AS
    'SELECT EXISTS (SELECT FROM crier.cells WHERE id = cell AND lease_until > clock_timestamp())';
  -- When the next session of a bucket may begin: https://docs.discord.com/developers/events/gateway#sharding-max-concurrency
  CREATE TABLE crier.identify_buckets (bucket INTEGER PRIMARY KEY, next_at TIMESTAMPTZ NOT NULL);
  -- Either the new cell, or the one that is in its way, with how long its lease lasts.
  CREATE FUNCTION crier.claim_shards(
    cell_name TEXT, first INTEGER, last INTEGER, of_count INTEGER, lease INTERVAL,
    OUT claimed BIGINT, OUT rival BIGINT, OUT rival_name TEXT, OUT rival_left_ms BIGINT, OUT rival_ending BOOLEAN
  ) LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      PERFORM pg_advisory_xact_lock(1131571557, 2);
      DELETE FROM crier.cells WHERE lease_until < clock_timestamp() - INTERVAL '1 day';
      SELECT id, name, ceil(extract(epoch FROM lease_until - clock_timestamp()) * 1000), ending
      INTO rival, rival_name, rival_left_ms, rival_ending FROM crier.cells
      WHERE lease_until > clock_timestamp()
        AND (shard_count IS DISTINCT FROM of_count
          OR (first_shard <= coalesce(last, 2147483647) AND coalesce(last_shard, 2147483647) >= first))
      ORDER BY lease_until DESC LIMIT 1;
      IF rival IS NOT NULL THEN RETURN; END IF;
      INSERT INTO crier.cells (name, first_shard, last_shard, shard_count, lease_until)
      VALUES (cell_name, first, last, of_count, clock_timestamp() + lease) RETURNING id INTO claimed;
    END $$;`;

/** How PostgreSQL reports that the lease of the cell is over. */
const LEASE_LOST = 'CR001';

/**
 * What was spent, as in SQLite (spending-ledger.ts). One transaction at a time, as there: the lock is what makes the limits
 * exact and keeps two transactions from waiting for each other's rows. A cell whose lease is over reserves and sends nothing.
 */
export const SPENDING = `
  CREATE TABLE crier.spending_days (
    guild_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    day TEXT NOT NULL,
    millicredits BIGINT NOT NULL,
    cached BIGINT NOT NULL,
    kept_until TEXT NOT NULL,
    PRIMARY KEY (guild_id, user_id, day)
  );
  CREATE INDEX spending_days_by_user ON crier.spending_days (user_id, day);
  CREATE TABLE crier.spending_reservations (
    id BIGINT PRIMARY KEY,
    cell BIGINT NOT NULL,
    day TEXT NOT NULL,
    guild_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    model TEXT NOT NULL,
    characters BIGINT NOT NULL,
    millicredits BIGINT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('reserved', 'unknown')),
    sent BOOLEAN NOT NULL
  );
  CREATE TABLE crier.spending_rates (
    model TEXT PRIMARY KEY,
    characters DOUBLE PRECISION NOT NULL,
    credits DOUBLE PRECISION NOT NULL
  );
  CREATE FUNCTION crier.spending_turn() RETURNS void LANGUAGE sql VOLATILE AS
    'SELECT pg_advisory_xact_lock(1131571557, 1)';
  -- All for whom one person''s use in one place counts (subjectsOf in spending-ledger.ts).
  CREATE FUNCTION crier.spending_subjects(guild TEXT, member TEXT)
    RETURNS TABLE (guild_id TEXT, user_id TEXT) LANGUAGE sql IMMUTABLE AS $$
      SELECT '', '' UNION ALL SELECT '', member
      UNION ALL SELECT guild, '' WHERE guild <> ''
      UNION ALL SELECT guild, member WHERE guild <> '' $$;
  CREATE FUNCTION crier.spending_count(
    guild TEXT, member TEXT, on_day TEXT, amount BIGINT, texts_cached BIGINT, until_day TEXT
  ) RETURNS void LANGUAGE sql VOLATILE AS $$
    INSERT INTO crier.spending_days AS days (guild_id, user_id, day, millicredits, cached, kept_until)
    SELECT subject.guild_id, subject.user_id, on_day, amount, texts_cached, until_day
    FROM crier.spending_subjects(guild, member) AS subject
    ON CONFLICT (guild_id, user_id, day) DO UPDATE
      SET millicredits = days.millicredits + excluded.millicredits, cached = days.cached + excluded.cached $$;
  -- Null when it is made; else the number of the first cap that would be passed, and what was used of it.
  CREATE FUNCTION crier.spending_reserve(
    reservation BIGINT, holder BIGINT, guild TEXT, member TEXT, on_day TEXT, of_model TEXT,
    text_characters BIGINT, amount BIGINT, to_follow BIGINT, until_day TEXT, caps JSON,
    OUT cap INTEGER, OUT used BIGINT
  ) LANGUAGE plpgsql VOLATILE AS $$
    DECLARE one RECORD;
    BEGIN
      PERFORM crier.spending_turn();
      IF NOT crier.holds_lease(holder) THEN
        RAISE EXCEPTION 'The lease of this process is over' USING ERRCODE = '${LEASE_LOST}';
      END IF;
      FOR one IN SELECT value, ordinality - 1 AS number FROM json_array_elements(caps) WITH ORDINALITY LOOP
        SELECT coalesce((
          SELECT days.millicredits FROM crier.spending_days AS days
          WHERE days.guild_id = one.value ->> 0 AND days.user_id = one.value ->> 1 AND days.day = on_day
        ), 0) INTO used;
        -- Without a limit the third is null, and nothing is more than that.
        IF used + amount + to_follow > (one.value ->> 2)::bigint THEN
          cap := one.number;
          RETURN;
        END IF;
      END LOOP;
      PERFORM crier.spending_count(guild, member, on_day, amount, 0, until_day);
      INSERT INTO crier.spending_reservations
      VALUES (reservation, holder, on_day, guild, member, of_model, text_characters, amount, 'reserved', false);
    END $$;
  CREATE FUNCTION crier.spending_close(reservation BIGINT, amount BIGINT) RETURNS BOOLEAN LANGUAGE plpgsql VOLATILE AS $$
    DECLARE closed crier.spending_reservations;
    BEGIN
      PERFORM crier.spending_turn();
      DELETE FROM crier.spending_reservations WHERE id = reservation RETURNING * INTO closed;
      IF NOT FOUND THEN RETURN false; END IF;
      UPDATE crier.spending_days AS days SET millicredits = days.millicredits + amount - closed.millicredits
      FROM crier.spending_subjects(closed.guild_id, closed.user_id) AS subject
      WHERE days.guild_id = subject.guild_id AND days.user_id = subject.user_id AND days.day = closed.day;
      RETURN true;
    END $$;
  -- What cells left behind whose lease is over: nothing is counted for what was not sent, all else is lost.
  CREATE FUNCTION crier.spending_recover(OUT released BIGINT, OUT lost BIGINT) LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      released := 0;
      lost := 0;
      -- Mostly there is nothing, and then nobody waits for it.
      IF NOT EXISTS (
        SELECT FROM crier.spending_reservations WHERE state = 'reserved' AND NOT crier.holds_lease(cell)
      ) THEN RETURN; END IF;
      PERFORM crier.spending_turn();
      SELECT count(*) FILTER (WHERE crier.spending_close(id, 0)) INTO released FROM (
        SELECT id FROM crier.spending_reservations
        WHERE state = 'reserved' AND NOT sent AND NOT crier.holds_lease(cell) FOR UPDATE
      ) AS unsent;
      UPDATE crier.spending_reservations SET state = 'unknown'
      WHERE state = 'reserved' AND sent AND NOT crier.holds_lease(cell);
      GET DIAGNOSTICS lost = ROW_COUNT;
    END $$;
  CREATE FUNCTION crier.spending_forget(guild TEXT, member TEXT, today TEXT) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      PERFORM crier.spending_turn();
      DELETE FROM crier.spending_days
      WHERE (guild_id = guild OR guild IS NULL) AND (user_id = member OR member IS NULL) AND day < today;
      UPDATE crier.spending_days SET kept_until = today
      WHERE (guild_id = guild OR guild IS NULL) AND (user_id = member OR member IS NULL);
      DELETE FROM crier.spending_reservations
      WHERE (guild_id = guild OR guild IS NULL) AND (user_id = member OR member IS NULL) AND state = 'unknown';
    END $$;
  CREATE FUNCTION crier.spending_prune(today TEXT) RETURNS void LANGUAGE plpgsql VOLATILE AS $$
    BEGIN
      PERFORM crier.spending_turn();
      DELETE FROM crier.spending_days WHERE kept_until < today;
      DELETE FROM crier.spending_reservations WHERE state = 'unknown' AND day < today;
    END $$;`;
