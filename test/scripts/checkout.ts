import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryFolder } from '../temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');

export type Checkout = ReturnType<typeof makeCheckout>;

/** A folder with this project's scripts and nothing installed, on a machine of the test's making. */
export function makeCheckout({ name = 'crier' } = {}) {
  const parent = temporaryFolder();
  const folder = join(parent, name);
  cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  /** Puts a file there (with parents); `executable` for commands. */
  const write = (path: string, text: string, { executable = false } = {}) => {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    if (executable) chmodSync(file, 0o755);
  };
  write('package.json', '{"private":true,"type":"module"}\n');
  return {
    folder,
    write,
    /** Runs one of the scripts with the commands of `bin/` and the given environment, and nothing else of this machine. */
    run(script: string, { args = [] as string[], env = {}, node = '' } = {}) {
      // An older Node cannot be had everywhere: the script is told that it runs on one.
      const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${node}' } });`;
      const imports = node === '' ? [] : ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`];
      const { status, stdout, stderr } = spawnSync(process.execPath, [...imports, join('scripts', script), ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: { PATH: join(folder, 'bin'), ...env },
      });
      return { status, stdout, stderr };
    },
  };
}
