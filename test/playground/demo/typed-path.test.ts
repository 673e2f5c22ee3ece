import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { typedPath } from '../../../src/playground/demo/typed-path.ts';

it.each([
  ['~', homedir()],
  ['~/Music/new', join(homedir(), 'Music', 'new')],
  ['~bob/x', '~bob/x'],
  ['a/~', 'a/~'],
  ['/tmp', '/tmp'],
])('%s leads to %s, as in a shell', (typed, path) => {
  expect(typedPath(typed)).toBe(path);
});
