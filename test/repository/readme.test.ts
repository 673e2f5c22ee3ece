import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/playground/state/hub.ts';
import { PERMISSIONS } from '../../src/playground/state/permissions.ts';
import { createStartingModel } from '../../src/playground/state/starting-model.ts';
import { TOP_UP_COMMAND } from '../../src/services/spending/balance-watch.ts';
import { de } from '../../src/texts/de.ts';
import { en } from '../../src/texts/en.ts';
import { es } from '../../src/texts/es.ts';
import { read, trackedFiles } from './tracked-files.ts';

const readme = read('README.md');

describe('the README', () => {
  it('invites the bot with the permissions that it is tested with, and names them', () => {
    const { botRole } = createStartingModel(systemClock, () => randomUUID(), 0);
    const oneLine = readme.replaceAll(/\s+/g, ' ');
    const asked = BigInt(/[?&]permissions=(\d+)/.exec(oneLine)?.[1] ?? 0);
    expect(asked).toBe(botRole.permissions);
    const named = /The permissions are (.*?)\. /.exec(oneLine)?.[1]?.split(/, | and /);
    const names = Object.entries(PERMISSIONS).filter(([, bit]) => asked & bit);
    const words = names.map(([name]) => name.replace('ViewChannel', 'ViewChannels').replaceAll(/(?<!^)[A-Z]/g, ' $&'));
    expect(named?.map((name) => name.toLowerCase()).sort()).toEqual(words.map((name) => name.toLowerCase()).sort());
  });

  it.each(Object.entries({ en, es, de }))(
    'leaves topping up the built-in voice to the page and section that the texts name (%s)',
    (_, texts) => {
      const [page = ''] = /docs\/[\w/-]+\.md/.exec(texts['account.remedy-local']) ?? [];
      const [, heading] = /[“„](.+?)[”“]/.exec(texts['account.remedy-local']) ?? [];
      const section = read(page)
        .split(/^## /m)
        .find((part) => part.startsWith(`${heading}\n`));
      expect(section).toContain(TOP_UP_COMMAND);
    },
  );

  it('leads to every page of docs, link by link', () => {
    const pages = trackedFiles().filter((file) => /^docs\/.*\.md$/.test(file));
    expect(pages.length).toBeGreaterThan(15);
    const reached = new Set(['README.md']);
    for (const page of reached) {
      for (const [, link = ''] of read(page).matchAll(/\]\(([\w./-]+\.md)[)#]/g)) reached.add(join(page, '..', link));
    }
    expect(pages.filter((page) => !reached.has(page))).toEqual([]);
  });
});
