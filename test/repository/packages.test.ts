import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

it.each([
  'discord.js',
  '@discordjs/voice',
  '@discordjs/opus',
  'prism-media',
  'ffmpeg-static',
  'undici',
  'zod',
  'keyv',
  'pino',
  'vitest',
])('the project is built on %s', (name) => {
  const kinds = ['dependencies', 'optionalDependencies', 'devDependencies'];
  expect(kinds.filter((kind) => Object.hasOwn(manifest[kind] ?? {}, name))).toHaveLength(1);
});
