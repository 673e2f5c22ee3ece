import { existsSync } from 'node:fs';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isPostgresMissing, type PostgresServer, startPostgres } from './postgres-server.ts';

describe.skipIf(isPostgresMissing)('the PostgreSQL that tests start', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());

  async function ask(url: string, query: string): Promise<unknown> {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query({ text: query, rowMode: 'array' })).rows[0]?.[0];
    } finally {
      await client.end();
    }
  }

  it('keeps what was committed when it is ended as by a crash, and has databases apart from each other', async () => {
    const [one, other] = [await server.createDatabase(), await server.createDatabase()];
    await ask(one, 'CREATE TABLE notes AS SELECT 5 AS number');
    await server.restart();
    expect(await ask(one, 'SELECT number FROM notes')).toBe(5);
    await expect(ask(other, 'SELECT number FROM notes')).rejects.toThrow('does not exist');
  });

  it('answers nothing while it stands still, and everything afterwards', async () => {
    const client = new pg.Client({ connectionString: server.url, query_timeout: 100 });
    await client.connect();
    server.pause();
    await expect(client.query('SELECT 1').finally(server.resume)).rejects.toThrow('timeout');
    expect(await ask(server.url, 'SELECT 1')).toBe(1);
    await client.end();
  });

  it('leaves nothing behind', async () => {
    const another = await startPostgres();
    const folder = decodeURIComponent(another.url.split('host=')[1] ?? '');
    expect(existsSync(folder)).toBe(true);
    await another.stop();
    expect(existsSync(folder)).toBe(false);
  });
});
