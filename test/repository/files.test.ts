import { extname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { lockedPackages, manifest, read, trackedFiles } from './tracked-files.ts';

const BINARY = new Set(['.png', '.gif', '.jpg', '.ico', '.wav', '.mp3', '.wasm']);
const texts = trackedFiles().filter((file) => !BINARY.has(extname(file)));

describe('the files of the repository', () => {
  test('hold no folder of the machine they were written on', () => {
    const folders = /\/(?:root|Users\/\w+|home\/(?!node\b)\w+)\//;
    const found = texts.filter((file) => folders.test(read(file)) || read(file).includes(`${process.cwd()}/`));
    expect(found).toEqual([]);
  });

  test('never include settings, data or sound that someone produced here', () => {
    const private_ = trackedFiles().filter(
      (file) => /(^|\/)\.env$|^data\/|\.(wav|mp3|log|sqlite|db)$/.test(file) && !file.startsWith('docs/audio/'),
    );
    expect(private_).toEqual([]);
  });
});

describe('the dependencies', () => {
  test('come from whichever registry npm is set up with', () => {
    expect(lockedPackages().filter(([, { resolved }]) => resolved?.startsWith('http'))).toEqual([]);
  });

  test('that bring an install script are decided upon by name', () => {
    const { allowScripts } = JSON.parse(read('package.json')) as { allowScripts: Record<string, boolean> };
    const undecided = lockedPackages().filter(([name, locked]) => locked.hasInstallScript && !(name in allowScripts));
    expect(undecided.map(([name]) => name)).toEqual([]);
  });

  test('under other than permissive terms are named in NOTICE', () => {
    const permissive = /^(MIT|ISC|Apache-2\.0|BSD-[23]-Clause|0BSD|BlueOak-1\.0\.0|MIT OR Apache-2\.0)$/;
    // Their manifests name no license; the LICENSE files in them do.
    const unstated = new Map([['parse-cache-control', 'BSD-3-Clause']]);
    const notice = read('NOTICE');
    const unnamed = lockedPackages().filter(
      ([name, { dev, license }]) =>
        !dev && !permissive.test(license ?? unstated.get(name) ?? '') && !notice.includes(`package ${name}:`),
    );
    expect(unnamed.map(([name, { license }]) => `${name} (${license})`)).toEqual([]);
  });

  test('under the GPL are optional, and only the speech service knows the synthesizer', () => {
    const gpl = lockedPackages().filter(([, { dev, license }]) => !dev && /(^|[^L])GPL/.test(license ?? ''));
    const optional = Object.keys(manifest().optionalDependencies);
    expect(optional).toEqual(expect.arrayContaining(gpl.map(([name]) => name)));
    const importing = texts.filter(
      (file) => file.startsWith('src/') && /(from|import\(|require\()\s*'espeak-ng/.test(read(file)),
    );
    expect(importing.filter((file) => !file.startsWith('src/speech-service/'))).toEqual([]);
  });
});
