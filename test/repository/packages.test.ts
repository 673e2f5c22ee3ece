import { expect, it } from 'vitest';
import { read } from './tracked-files.ts';

const manifest: Readonly<Record<string, object>> = JSON.parse(read('package.json'));

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
