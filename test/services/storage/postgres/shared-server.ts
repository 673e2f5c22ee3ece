import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { prepareDatabase } from '../../../../src/services/storage/postgres/connections.ts';
import { type PostgresServer, startPostgres } from './postgres-server.ts';

/** One PostgreSQL for all tests of a suite, and for each of them a database of its own. */
export function sharePostgres() {
  let server: PostgresServer;
  let url: string;
  const closers: (() => unknown)[] = [];
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    url = await server.createDatabase();
    await prepareDatabase(url);
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });
  return {
    get server() {
      return server;
    },
    /** Of a database that is prepared. */
    get url() {
      return url;
    },
    /** Called after the test, the last ones first. */
    closeLater: (...more: (() => unknown)[]) => void closers.push(...more),
  };
}
