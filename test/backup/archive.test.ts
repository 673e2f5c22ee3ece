import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { restoreBackup, saveBackup } from '../../src/backup/archive.ts';
import { lockFolder, openDataFolder } from '../../src/services/storage/data-folder.ts';
import { openDatabase } from '../../src/services/storage/database.ts';
import { lockDataDir, openLedgerDatabase } from '../../src/speech-service/store/database.ts';
import { createLedger } from '../../src/speech-service/store/ledger.ts';
import { programEnv } from '../program-environment.ts';

let root: string;
let dataDir: string;
let file: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'crier-backup-test-'));
  dataDir = join(root, 'data');
  file = join(root, 'crier.backup');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folderOf = () => openDataFolder(dataDir);

/** A database of the bot's with one setting, still open, as while it runs. */
function runningBot(value: string) {
  const database = openDatabase(folderOf().privateFile('crier.sqlite'));
  const set = (key: string, content: string) =>
    database.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?, ?, NULL)').run('settings', key, content);
  set('guild', value);
  return { database, set };
}

function settingIn(folder: string): unknown {
  const database = new DatabaseSync(join(folder, 'crier.sqlite'), { readOnly: true });
  try {
    return database.prepare("SELECT value FROM entries WHERE key = 'guild'").get()?.value;
  } finally {
    database.close();
  }
}

/** A backup whose entries are changed behind its back. */
async function tamperedBackup(statement: string): Promise<void> {
  runningBot('a').database.close();
  await saveBackup(dataDir, file);
  const archive = new DatabaseSync(file);
  archive.exec(statement);
  archive.close();
}

describe('a backup', () => {
  it('is made while the bot writes, and brings everything back but the kept sound', async () => {
    const { database, set } = runningBot('before');
    writeFileSync(join(dataDir, 'speech-key'), 'local_abc\n');
    writeFileSync(join(dataDir, 'heartbeat'), '1');
    mkdirSync(join(dataDir, 'clips'));
    writeFileSync(join(dataDir, 'clips', 'a'), 'sound');
    mkdirSync(join(dataDir, 'speech'));
    new DatabaseSync(join(dataDir, 'speech', 'speech-service.sqlite')).close();
    writeFileSync(join(dataDir, 'speech', 'dashboard-address'), 'http://127.0.0.1/once');
    const saved = await saveBackup(dataDir, file);
    expect(saved.names.toSorted()).toEqual(['crier.sqlite', 'speech-key', 'speech/speech-service.sqlite']);
    set('guild', 'after');
    database.close();

    const restored = restoreBackup(dataDir, file);
    expect(settingIn(dataDir)).toBe('before');
    expect(readFileSync(join(dataDir, 'speech-key'), 'utf8')).toBe('local_abc\n');
    expect(existsSync(join(dataDir, 'clips', 'a'))).toBe(true);
    expect(settingIn(restored.replaced ?? '')).toBe('after');
    expect(readdirSync(dataDir).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(Math.abs(restored.madeAtMs - Date.now())).toBeLessThan(60_000);
  });

  it('leaves out an earlier backup that was written into DATA_DIR', async () => {
    runningBot('a').database.close();
    const first = join(dataDir, 'first.backup');
    await saveBackup(dataDir, first);
    const { names, leftOut } = await saveBackup(dataDir, file);
    expect({ names, leftOut }).toEqual({ names: ['crier.sqlite'], leftOut: ['first.backup'] });
    restoreBackup(dataDir, first);
    expect(existsSync(first)).toBe(true);
  });

  it('of a folder in which only a speech service has run is refused with what to do', async () => {
    openLedgerDatabase(join(dataDir, 'speech-service')).close();
    await expect(saveBackup(dataDir, file)).rejects.toThrow(
      `${dataDir} has no data of a bot, only of a speech service: check DATA_DIR; of a speech service alone, end it and copy ${join(dataDir, 'speech-service')}`,
    );
  });

  it('holds a speech service on its own, with keys and balance, while that runs, and restores it only after its end', async () => {
    runningBot('a').database.close();
    const folder = join(dataDir, 'speech-service');
    const ledgerOf = (database: ReturnType<typeof openLedgerDatabase>) =>
      createLedger(database, { startingCredits: 100, now: () => new Date() });
    const running = openLedgerDatabase(folder);
    const lock = lockDataDir(folder);
    ledgerOf(running).topUp(23, 'before');
    expect((await saveBackup(dataDir, file)).names.toSorted()).toEqual([
      'crier.sqlite',
      'speech-service/speech-service.sqlite',
    ]);
    ledgerOf(running).topUp(1000, 'after');
    expect(() => restoreBackup(dataDir, file)).toThrow(/^a speech service is running .*: end that one first$/);
    expect(ledgerOf(running).account().creditsLeft).toBe(1123);
    running.close();
    lock.release();

    restoreBackup(dataDir, file);
    const restored = openLedgerDatabase(folder);
    expect(ledgerOf(restored).account().creditsLeft).toBe(123);
    restored.close();
  });

  it.skipIf(process.getuid?.() !== 0)(
    'belongs to the owner of DATA_DIR once root has restored it (skipped: root alone can give files away)',
    async () => {
      const { database } = runningBot('a');
      database.close();
      mkdirSync(join(dataDir, 'speech'));
      writeFileSync(join(dataDir, 'speech', 'key'), 'k');
      await saveBackup(dataDir, file);
      const entries = (folder: string) => readdirSync(folder, { recursive: true }) as string[];
      const others = (folder: string) =>
        ['', ...entries(folder)].filter((name) => {
          const { uid, gid } = statSync(join(folder, name));
          return uid !== 65_534 || gid !== 65_534;
        });
      for (const name of ['', ...entries(dataDir)]) chownSync(join(dataDir, name), 65_534, 65_534);
      restoreBackup(dataDir, file);
      expect(entries(dataDir)).toContain(join('speech', 'key'));
      expect(others(dataDir)).toEqual([]);

      const home = join(root, 'home');
      mkdirSync(home);
      chownSync(home, 65_534, 65_534);
      restoreBackup(join(home, 'crier', 'data'), file);
      expect(entries(home)).toContain(join('crier', 'data', 'crier.sqlite'));
      expect(others(home)).toEqual([]);
    },
  );

  it('leaves folders alone that it does not have', async () => {
    runningBot('a').database.close();
    await saveBackup(dataDir, file);
    mkdirSync(join(dataDir, 'mine', 'speech'), { recursive: true });
    writeFileSync(join(dataDir, 'mine', 'speech', 'key'), 'made later');
    restoreBackup(dataDir, file);
    expect(readFileSync(join(dataDir, 'mine', 'speech', 'key'), 'utf8')).toBe('made later');
  });

  it('holds folders in folders, and names what it leaves out', async () => {
    runningBot('a').database.close();
    for (const folder of [
      'mine/speech',
      'mine/clips',
      'playground',
      'voices/kokoro',
      'clips',
      'replaced-2026-11-23T10-00-00-000Z',
    ])
      mkdirSync(join(dataDir, folder), { recursive: true });
    for (const name of [
      'mine/speech/key',
      'mine/clips/a',
      'playground/bot-1.log',
      'voices/kokoro/model.onnx',
      'odd name',
      'heartbeat',
    ])
      writeFileSync(join(dataDir, name), 'x');
    const { names, leftOut } = await saveBackup(dataDir, file);
    expect(names.toSorted()).toEqual(['crier.sqlite', 'mine/speech/key']);
    expect(leftOut.toSorted()).toEqual([
      'clips/',
      'mine/clips/',
      'odd name',
      'playground/',
      'replaced-2026-11-23T10-00-00-000Z/',
      'voices/',
    ]);
    const other = join(root, 'other');
    restoreBackup(other, file);
    expect(readFileSync(join(other, 'mine', 'speech', 'key'), 'utf8')).toBe('x');
  });

  it('is readable by its owner only, and by the tools of SQLite', async () => {
    runningBot('a').database.close();
    await saveBackup(dataDir, file);
    expect(statSync(file).mode & 0o077).toBe(0);
    const archive = new DatabaseSync(file, { readOnly: true });
    expect(archive.prepare('SELECT name, mode FROM sqlar').all()).toMatchObject([
      { name: 'crier.sqlite', mode: 0o100600 },
    ]);
    archive.close();
  });

  it('moves the journal of a database that is gone aside, which would be applied to the restored one', async () => {
    runningBot('a').database.close();
    await saveBackup(dataDir, file);
    rmSync(join(dataDir, 'crier.sqlite'));
    writeFileSync(join(dataDir, 'crier.sqlite-wal'), 'frames of another database');
    const { replaced } = restoreBackup(dataDir, file);
    expect(existsSync(join(dataDir, 'crier.sqlite-wal'))).toBe(false);
    expect(readFileSync(join(replaced ?? '', 'crier.sqlite-wal'), 'utf8')).toBe('frames of another database');
    expect(settingIn(dataDir)).toBe('a');
  });

  it('never takes the place of another file, and needs a bot’s data', async () => {
    await expect(saveBackup(dataDir, file)).rejects.toThrow(/has no data of a bot: check DATA_DIR/);
    runningBot('a').database.close();
    writeFileSync(file, 'an older backup');
    await expect(saveBackup(dataDir, file)).rejects.toThrow(/is there already: name a new file/);
    expect(readFileSync(file, 'utf8')).toBe('an older backup');
    await expect(saveBackup(dataDir, join(root, 'none', 'x'))).rejects.toThrow(/cannot be written \(ENOENT\)/);
    expect(readdirSync(root).toSorted()).toEqual(['crier.backup', 'data']);
  });

  it('is not restored while a bot runs with that data', async () => {
    runningBot('a').database.close();
    await saveBackup(dataDir, file);
    const lock = lockFolder(folderOf());
    expect(() => restoreBackup(dataDir, file)).toThrow(
      /another Crier is running with the data in .*: end that one first/,
    );
    lock.release();
    restoreBackup(dataDir, file);
  });

  it.each([
    ['no SQLite file', () => writeFileSync(file, 'rubbish '.repeat(999)), /cannot be read as a backup/],
    ['another program’s database', () => new DatabaseSync(file).close(), /is no backup of Crier's/],
    ['a file that is missing', () => undefined, /there is no file/],
    ['a newer format', () => tamperedBackup('PRAGMA user_version = 99'), /was made by a newer version/],
    [
      'a name that leads out of the folder',
      () => tamperedBackup("UPDATE sqlar SET name = '../crier.sqlite'"),
      /a file named/,
    ],
    [
      'a backup without the database',
      () => tamperedBackup("UPDATE sqlar SET name = 'other'"),
      /it has no crier\.sqlite/,
    ],
    ['damaged content', () => tamperedBackup('UPDATE sqlar SET sz = sz + 1'), /cannot be read as a backup/],
    [
      'a damaged database',
      () => tamperedBackup("UPDATE sqlar SET sz = 3, data = x'616263'"),
      /is damaged, or is no database/,
    ],
  ])('that is %s is refused, and the data stays as it is', async (_what, make, message) => {
    await make();
    const { database } = runningBot('present');
    database.close();
    expect(() => restoreBackup(dataDir, file)).toThrow(message);
    expect(settingIn(dataDir)).toBe('present');
    expect(readdirSync(dataDir).filter((name) => /^(?:\.|replaced)/.test(name))).toEqual([]);
  });
});

async function run(...args: string[]) {
  return runWith({}, ...args);
}

async function runWith(env: Readonly<Record<string, string>>, ...args: string[]) {
  const main = join(import.meta.dirname, '../../src/backup/main.ts');
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', main, ...args], {
    cwd: root,
    env: { ...programEnv, DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 30_000,
  });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status: status as number | null, stdout, stderr };
}

describe('npm run backup and npm run restore', () => {
  it('say what they did, without any other setting', async () => {
    const { database } = runningBot('a');
    const saved = await run('save', file);
    expect(saved).toMatchObject({ status: 0, stderr: '' });
    expect(saved.stdout.startsWith(`Saved ${dataDir} to ${file} (`)).toBe(true);
    expect(saved.stdout).toMatch(
      /^Saved .*crier\.backup \(one file: crier\.sqlite\)\.\nNot in it: \.env .*\n.*keep it as private.*\n$/,
    );
    database.close();
    const restored = await run('restore', file);
    expect(restored.stdout).toMatch(
      /^Restored the backup of 20.*\nThe data that was there before is in .*replaced-.*\nCredits used since .*\n$/,
    );
    expect(restored.status).toBe(0);
  });

  it('say that the data is in PostgreSQL where it is, and nothing of its password', async () => {
    const { database } = runningBot('a');
    database.close();
    const { status, stderr } = await runWith({ STORE_URL: 'postgres://crier:secret-word@db/crier' }, 'save', file);
    expect([status, existsSync(file)]).toEqual([1, false]);
    expect(stderr).toMatch(/^the data is in the PostgreSQL of STORE_URL: use its own tools[^\n]*\n$/);
    expect(stderr).not.toContain('secret-word');
  });

  it('say what is wrong in one line', async () => {
    expect(await run('restore', file)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^there is no file [^\n]*\n$/),
    });
    expect(await run('save')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Usage: npm run -s backup -- FILE'),
    });
    expect(await run('save', file, '--now')).toMatchObject({ status: 2, stderr: expect.stringContaining('--now') });
  });

  it('change nothing where .env, which may name the folder, cannot be read', async () => {
    runningBot('a').database.close();
    await saveBackup(dataDir, file);
    writeFileSync(join(root, '.env'), Buffer.from(`\ufeffDATA_DIR=${dataDir}\n`, 'utf16le'));
    rmSync(dataDir, { recursive: true });
    const { status, stderr } = await run('restore', file);
    expect(status).toBe(1);
    expect(stderr).toMatch(/^\.env is in UTF-16: save it as UTF-8/);
    expect(existsSync(dataDir)).toBe(false);
  });
});
