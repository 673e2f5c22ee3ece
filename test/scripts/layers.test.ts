import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
// @ts-expect-error A script without declarations; the used parts are typed here.
import * as script from '../../scripts/layers.mjs';

interface Refusal {
  readonly file: string;
  readonly imported: string;
  readonly why: string;
}

const { ORDER, readImports, refusals, roomOf } = script as {
  readonly ORDER: readonly string[];
  refusals(files: Iterable<{ readonly file: string; readonly imports: readonly string[] }>): Refusal[];
  roomOf(file: string): string | undefined;
  readImports(folder: string): { readonly file: string; readonly imports: readonly string[] }[];
};
const PROGRAM = join(import.meta.dirname, '../../scripts/layers.mjs');
const SOURCES = join(import.meta.dirname, '../../src');

/** Why a file of this folder must not import that file or package; undefined where it may. */
function whyNot(folder: string, imported: string): string | undefined {
  const path = relative(folder, imported);
  const specifier = imported.endsWith('.ts') ? (path.startsWith('.') ? path : `./${path}`) : imported;
  return refusals([{ file: `${folder}/probe.ts`, imports: [specifier] }])[0]?.why;
}

describe('the order of the folders', () => {
  test('is kept by every source', () => {
    const files = readImports(SOURCES);
    expect(files.length).toBeGreaterThan(400);
    expect(files.flatMap(({ imports }) => imports).length).toBeGreaterThan(1_500);
    expect(refusals(files)).toEqual([]);
  });

  test('names only folders that exist, and has a place for each', () => {
    expect(ORDER.filter((room) => !existsSync(join(SOURCES, room)))).toEqual([]);
    const names = new Set(readImports(SOURCES).map(({ file }) => dirname(file)));
    names.delete('.');
    expect([...names].filter((name) => roomOf(`${name}/probe.ts`) === undefined)).toEqual([]);
  });

  test.each([
    ['services/queue', 'services/playback/guild-speaker.ts', 'services/queue stands below services/playback'],
    ['services/time', 'commands/say/say.ts', 'services/time stands below commands/say'],
    ['audio/playing', 'audio/connection/voice-session.ts', 'audio/playing stands below audio/connection'],
    ['discord/replies', 'commands/index.ts', 'discord/replies stands below commands'],
    ['commands/framework', 'commands/say/say.ts', 'commands/framework stands below commands/say'],
    ['process', 'app/app.ts', 'process stands below app'],
    ['commands/say', 'reading/reader.ts', 'A command answers an interaction'],
    ['reading', 'discord/replies/layout.ts', 'reading stands below discord/replies'],
    ['reading', 'audio/clips/clip.ts', 'Reading decides over plain data'],
    ['texts', 'audio/clips/clip.ts', 'The catalogues hold words'],
    ['audio/making', 'speech/errors.ts', 'Audio turns bytes into packets'],
    ['speech', 'process/version.ts', 'a library of its own'],
    ['services/text/readable', 'services/storage/store.ts', 'a pure function'],
    ['playground/people', 'speech/errors.ts', 'reached over its sockets'],
    ['speech-service/api', 'speech/client/client.ts', 'shares the schemas'],
    ['cli/speech', 'services/time/deadline.ts', 'packed without the bot'],
    ['doctor', 'commands/index.ts', 'doctor stands below commands'],
    ['services/queue', '@discordjs/voice', 'Only audio/connection talks to the voice library'],
    ['audio/connection', 'discord.js', 'handed plain data'],
    ['a-new-folder', 'process/version.ts', 'add it to scripts/layers.mjs'],
  ])('refuses that %s imports %s, and says why', (folder, imported, why) => {
    expect(whyNot(folder, imported)).toContain(why);
  });

  test.each([
    ['app', 'commands/index.ts'],
    ['commands/say', 'services/queue/utterance.ts'],
    ['discord/messages', 'reading/reader.ts'],
    ['services/playback', 'services/queue/queue-item.ts'],
    ['services/playback', 'audio/clips/clip.ts'],
    ['audio/connection', '@discordjs/voice'],
    ['speech-service/api', 'speech/interface/models.ts'],
    ['playground/voice/dave', 'playground/voice/protocol/types.ts'],
    ['cli/speech', 'speech/client/client.ts'],
  ])('lets %s import %s', (folder, imported) => {
    expect(whyNot(folder, imported)).toBeUndefined();
  });
});

test('an import in the wrong direction fails the lint, however it is written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'layers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const imports = {
    'audio/playing/static.ts': `import {\n  a,\n  b,\n} from '../../app/app.ts';`,
    'audio/playing/effect.ts': `import '../../app/app.ts';`,
    'audio/playing/type.ts': `import type { App } from '../../app/app.ts';`,
    'audio/playing/passed-on.ts': `export * from '../../app/app.ts';`,
    'audio/playing/dynamic.ts': `const app = await import('../../app/app.ts');`,
    'audio/playing/allowed.ts': `import { clip } from '../clips/clip.ts';`,
  };
  for (const [file, code] of Object.entries(imports)) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), code);
  }
  const { status, stderr } = spawnSync(process.execPath, [PROGRAM, folder], { encoding: 'utf8' });
  expect(status).toBe(1);
  const refused = [...stderr.matchAll(/^src\/(\S+) imports /gm)].map(([, file]) => file);
  expect(refused.sort()).toEqual(
    Object.keys(imports)
      .filter((file) => !file.includes('allowed'))
      .sort(),
  );
  expect(stderr).toContain('audio/playing stands below app: imports point down');
});
