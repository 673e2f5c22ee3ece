import { expect, it, onTestFinished, vi } from 'vitest';
import { passwordsOf } from '../../../../src/services/storage/postgres/connections.ts';

it.each([
  ['postgres://crier:a%2Fb@db.example/crier', ['a%2Fb', 'a/b']],
  // Not encoded, as people write it.
  ['postgres://crier:100%safe@db.example/crier', ['100%safe']],
  ['postgres://crier@db.example/crier?password=in-the-query', ['in-the-query']],
])('finds what has to be concealed in %j', (url, passwords) => {
  expect(new Set(passwordsOf(url))).toEqual(new Set(passwords));
});

it.each([
  ['postgres://crier@db.example/crier', ['of-the-environment']],
  ['postgres://crier:its-own@db.example/crier', ['its-own', 'of-the-environment']],
])('finds the password of PGPASSWORD, used with %j or not', (url, passwords) => {
  vi.stubEnv('PGPASSWORD', 'of-the-environment');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(new Set(passwordsOf(url))).toEqual(new Set(passwords));
});
