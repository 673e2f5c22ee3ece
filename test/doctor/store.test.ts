import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { checkSharedStore } from '../../src/doctor/store.ts';
import { prepareDatabase } from '../../src/services/storage/postgres/connections.ts';
import { createDatabase, isPostgresMissing } from '../services/storage/postgres/postgres-server.ts';

const { signal } = new AbortController();

test('the doctor names a PostgreSQL that does not answer, and not its password', async () => {
  const finding = await checkSharedStore('postgres://crier:secret-word@127.0.0.1:1/settings', signal);
  expect(finding).toMatchObject({
    verdict: 'blocking',
    found: 'database settings at 127.0.0.1:1: PostgreSQL cannot be reached',
  });
  expect(JSON.stringify(finding)).not.toContain('secret-word');
});

describe.skipIf(isPostgresMissing)('the doctor on a PostgreSQL', () => {
  test('says its version, before and after the bot has made its tables, and leaves it as it was', async () => {
    const url = await createDatabase();
    const good = {
      verdict: 'good',
      found: expect.stringMatching(/^PostgreSQL \d+.*, database crier_\w+ at localhost$/),
    };
    expect(await checkSharedStore(url, signal)).toMatchObject(good);
    await prepareDatabase(url);
    expect(await checkSharedStore(url, signal)).toMatchObject(good);
  });

  test('finds a user that may make no tables, and a database that is not there', async () => {
    const url = await createDatabase();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN');
    await client.end();
    const blocking = (words: string) => ({ verdict: 'blocking', found: expect.stringContaining(words) });
    const ofGuest = await checkSharedStore(url.replace('//crier@', '//guest@'), signal);
    expect(ofGuest).toMatchObject(blocking('the user may make no tables there'));
    const missing = await checkSharedStore(url.replace('/crier_', '/missing_'), signal);
    expect(missing).toMatchObject(blocking('PostgreSQL has no such database'));
  });
});
