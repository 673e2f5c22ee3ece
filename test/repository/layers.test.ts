import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { read, root, trackedFiles } from './tracked-files.ts';

/** A file of src, or a folder for any file in it, and what it imports: a package, or a path within src. */
type Probe = readonly [importing: string, imported: string];

/** What lint is there to refuse. */
const REFUSED: readonly Probe[] = [
  ['discord', 'commands/say.ts'],
  ['discord', '@discordjs/voice'],
  ['discord', 'speech-service/server.ts'],
  ['commands', 'reading/ages.ts'],
  ['commands', 'playground/world.ts'],
  ['commands', '@discordjs/voice'],
  ['commands/settings', 'reading/ages.ts'],
  ['commands/settings', 'cli/main.ts'],
  ['reading', 'commands/say.ts'],
  ['reading', 'discord/layout.ts'],
  ['services', 'commands/say.ts'],
  ['services', 'discord/layout.ts'],
  ['services', 'reading/ages.ts'],
  ['services', '@discordjs/voice'],
  ['services/readable', 'services/store.ts'],
  ['services/readable', 'discord/layout.ts'],
  ['services/speech', 'services/deadline.ts'],
  ['services/speech', 'errors.ts'],
  ['services/speech', 'discord.js'],
  ['services/speech/interface', 'services/speech/client.ts'],
  ['services/a-new-folder', 'commands/say.ts'],
  ['services/a-new-folder', '@discordjs/voice'],
  ['audio', 'reading/ages.ts'],
  ['audio', 'services/deadline.ts'],
  ['audio', 'texts/catalogue.ts'],
  ['audio', 'discord.js'],
  ['texts', 'services/settings.ts'],
  ['config', 'services/guild-speaker.ts'],
  ['doctor', 'commands/index.ts'],
  ['doctor', 'discord/client.ts'],
  ['conformance', 'commands/index.ts'],
  ['conformance/rules', 'services/deadline.ts'],
  ['speech-service', 'services/deadline.ts'],
  ['speech-service/api', 'services/speech/client.ts'],
  ['cli', 'log.ts'],
  ['cli', 'reading/ages.ts'],
  ['cli/speech', 'services/deadline.ts'],
  ['cli/speech', 'discord.js'],
  ['playground', 'discord.js'],
  ['playground/people', 'commands/index.ts'],
  ['playground/voice/dave', 'services/speech/client.ts'],
  ['errors.ts', 'commands/say.ts'],
  ['explanation.ts', 'discord/layout.ts'],
  ['config.ts', 'services/deadline.ts'],
  ['version.ts', 'config.ts'],
];

/** What every layer needs. */
const ALLOWED: readonly Probe[] = [
  ['discord', 'reading/reader.ts'],
  ['commands', 'discord/layout.ts'],
  ['commands/settings', 'commands/command.ts'],
  ['commands/settings', 'services/settings.ts'],
  ['reading', 'services/settings.ts'],
  ['services', 'audio/clip.ts'],
  ['services', 'services/speech/client.ts'],
  ['services/readable', 'texts/catalogue.ts'],
  ['services/speech', 'services/speech/interface/models.ts'],
  ['services/a-new-folder', 'audio/clip.ts'],
  ['speech-service/api', 'services/speech/interface/models.ts'],
  ['cli/speech', 'services/speech/client.ts'],
  ['playground/voice/dave', 'playground/voice/types.ts'],
];

const sources = trackedFiles().filter((file) => /^src\/.+\/.+\.ts$/.test(file));
const folders = [...new Set(sources.map((file) => relative('src', dirname(file))))];
/** Nothing in a folder may import the composition root: where that is let through, no rule covers the folder. */
const COMPOSITION_ROOT = 'app.ts';

const isFile = (path: string) => path.endsWith('.ts');

function specifier([importing, imported]: Probe): string {
  if (!isFile(imported)) return imported;
  const path = relative(isFile(importing) ? dirname(importing) : importing, imported);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Which of the probes lint refuses: all of them are looked at by one start of it. */
function refusedOf(probes: readonly Probe[]): Probe[] {
  const place = mkdtempSync(join(tmpdir(), 'layers-'));
  const nameOf = (probe: Probe) => join('src', probe[0], isFile(probe[0]) ? '' : `probe-${probes.indexOf(probe)}.ts`);
  try {
    const { $schema: _, vcs: __, ...rules } = JSON.parse(read('biome.json'));
    writeFileSync(join(place, 'biome.json'), JSON.stringify(rules));
    for (const probe of probes) {
      mkdirSync(join(place, dirname(nameOf(probe))), { recursive: true });
      writeFileSync(join(place, nameOf(probe)), `import '${specifier(probe)}';\n`);
    }
    const biome = join(root, 'node_modules/.bin/biome');
    const rule = '--only=style/noRestrictedImports';
    const { stdout } = spawnSync(biome, ['lint', rule, '--reporter=json', '--max-diagnostics=none', 'src'], {
      cwd: place,
      encoding: 'utf8',
    });
    const { summary, diagnostics } = JSON.parse(stdout) as {
      readonly summary: { readonly unchanged: number };
      readonly diagnostics: readonly { readonly location: { readonly path: string } }[];
    };
    expect(summary.unchanged).toBe(probes.length);
    const paths = new Set(diagnostics.map(({ location }) => location.path));
    return probes.filter((probe) => paths.has(nameOf(probe)));
  } finally {
    rmSync(place, { recursive: true });
  }
}

describe('lint', () => {
  const everywhere = folders.map((folder): Probe => [folder, COMPOSITION_ROOT]);
  const refused = new Set(refusedOf([...REFUSED, ...ALLOWED, ...everywhere]));

  test('refuses what a layer must not know', () => {
    expect(REFUSED.filter((probe) => !refused.has(probe))).toEqual([]);
  });

  test('lets every layer import what comes after it', () => {
    expect(ALLOWED.filter((probe) => refused.has(probe))).toEqual([]);
  });

  test('has a rule for every folder of the sources', () => {
    expect(everywhere.filter((probe) => !refused.has(probe)).map(([folder]) => folder)).toEqual([]);
  });
});
