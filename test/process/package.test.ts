import { execFileSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FlagsError, parseFlags } from '../../src/process/package.ts';
import { root } from '../repository/tracked-files.ts';
import { temporaryFolder } from '../temporary-folder.ts';

test('programs are named as they are called: by npm in a checkout, by Node in the image, which has no npm', () => {
  const folder = temporaryFolder();
  cpSync(join(root, 'package.json'), join(folder, 'package.json'));
  cpSync(join(root, 'src/process'), join(folder, 'src/process'), { recursive: true });
  const script = `import * as commands from './src/process/package.ts';
    const { commandOf, usualDataDir, howToInstall, howToGetFfmpeg } = commands;
    const named = [commandOf('doctor', '--live'), commandOf('backup'), usualDataDir];
    console.log(JSON.stringify([...named, howToInstall, howToGetFfmpeg]));`;
  const named = () => {
    const args = ['--input-type=module', '--eval', script];
    return JSON.parse(execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' }));
  };
  expect(named().slice(0, 3)).toEqual(['node src/doctor/main.ts --live', 'node src/backup/main.ts', '/data']);
  expect(named().join()).not.toMatch(/npm|apt-get/);
  cpSync(join(root, 'package-lock.json'), join(folder, 'package-lock.json'));
  expect(named().slice(0, 3)).toEqual(['npm run -s doctor -- --live', 'npm run -s backup', 'data']);
});

const read = (...args: string[]) =>
  parseFlags({ args, options: { json: { type: 'boolean', default: false }, port: { type: 'string' } } }).values;

test('every program has --help beside its own options', () => {
  expect(read('--port', '1')).toEqual({ json: false, port: '1' });
  expect([read('--help').help, read('-h').help]).toEqual([true, true]);
});

test.each([
  [['--prot', '1'], 'There is no option --prot: did you mean --port? --help lists all options.'],
  [['--foo'], 'There is no option --foo. --help lists all options.'],
  [['--port'], "Option '--port <value>' argument missing. --help lists all options."],
  [['--port', '-5'], '--port needs a value; one that begins with - is written --port=VALUE. --help lists all options.'],
  [['a'], "Unexpected argument 'a'. --help lists all options."],
])('%j is refused in words that help', (args, words) => {
  expect(() => read(...args)).toThrow(new FlagsError(words));
});
