import { expect, it } from 'vitest';
import { passwordsOf } from '../../../../src/services/storage/postgres/connections.ts';

it.each([
  ['postgres://crier:a%2Fb@db.example/crier', ['a%2Fb', 'a/b']],
  // Not encoded, as people write it.
  ['postgres://crier:100%safe@db.example/crier', ['100%safe']],
  ['postgres://crier@db.example/crier?password=in-the-query', ['in-the-query']],
])('finds what has to be concealed in %j', (url, passwords) => {
  expect(new Set(passwordsOf(url))).toEqual(new Set(passwords));
});
