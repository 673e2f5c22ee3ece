import { expect, it, vi } from 'vitest';
import { passwordsOf } from '../../../../src/services/storage/postgres/connections.ts';

it.each([
  ['postgres://crier:a%2Fb@db.example/crier', '', ['a%2Fb', 'a/b']],
  // Not encoded, as people write it.
  ['postgres://crier:100%safe@db.example/crier', '', ['100%safe']],
  ['postgres://crier@db.example/crier?password=in-the-query', '', ['in-the-query']],
  ['postgres://crier:its-own@db.example/crier', 'of-the-environment', ['its-own', 'of-the-environment']],
])('finds what has to be concealed in %j, and in PGPASSWORD (%j)', (url, ofEnvironment, passwords) => {
  vi.stubEnv('PGPASSWORD', ofEnvironment);
  expect(new Set(passwordsOf(url))).toEqual(new Set(passwords));
});
