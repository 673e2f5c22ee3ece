import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../src/config/environment.ts';
import { systemClock } from '../../src/playground/state/clock.ts';
import { PERMISSIONS } from '../../src/playground/state/permissions.ts';
import { createStartingModel } from '../../src/playground/state/starting-model.ts';

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');

/** The table of settings as the README shows it. */
function settingsTable(): string {
  const rows = Object.entries(SETTINGS).map(([variable, { about, fallback, required }]) => {
    const preset = required ? 'must be set' : fallback ? `\`${fallback}\`` : '';
    return `| \`${variable}\` | ${about} | ${preset} |`;
  });
  return ['| variable | what it is for | default |', '|---|---|---|', ...rows].join('\n');
}

describe('the documents', () => {
  it('list the settings in the README as the configuration knows them', () => {
    const shown = /<!-- settings:begin -->\n([\s\S]*?)\n?<!-- settings:end -->/.exec(read('README.md'))?.[1];
    expect(shown).toBe(settingsTable());
  });

  it('invite the bot with the permissions that it is tested with, and name them', () => {
    const { botRole } = createStartingModel(systemClock, randomUUID, { flags: 0 });
    const readme = read('README.md').replaceAll(/\s+/g, ' ');
    const asked = BigInt(/[?&]permissions=(\d+)/.exec(readme)?.[1] ?? 0);
    expect(asked).toBe(botRole.permissions);
    const named = /The permissions are (.*?)\. /.exec(readme)?.[1]?.split(/, | and /);
    const names = Object.entries(PERMISSIONS).filter(([, bit]) => asked & bit);
    const words = names.map(([name]) => name.replace('ViewChannel', 'ViewChannels').replaceAll(/(?<!^)[A-Z]/g, ' $&'));
    expect(named?.map((name) => name.toLowerCase()).sort()).toEqual(words.map((name) => name.toLowerCase()).sort());
  });

  it('name only paths that exist in ARCHITECTURE.md, and stay within 150 lines', () => {
    const text = read('ARCHITECTURE.md');
    const paths = [...text.matchAll(/`((?:src|test)\/[\w./-]+)`/g)].map((match) => match[1] ?? '');
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url)))).toEqual([]);
    expect(text.split('\n').length).toBeLessThanOrEqual(150);
  });
});
