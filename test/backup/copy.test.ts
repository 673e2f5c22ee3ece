import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { saveBackup } from '../../src/backup/copy.ts';
import { openDataFolder } from '../../src/services/storage/data-folder.ts';
import { openDatabase } from '../../src/services/storage/database.ts';
import { createLedger } from '../../src/speech-service/store/account.ts';
import { openLedgerDatabase } from '../../src/speech-service/store/database.ts';
import { canMount, onSmallDisk } from '../faults/disk-troubles.ts';
import { runProgram } from '../program-environment.ts';
import { silentLog } from '../silent-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';

let root: string;
let dataDir: string;
let folder: string;
beforeEach(() => {
  root = temporaryFolder();
  dataDir = join(root, 'data');
  folder = join(root, 'first.backup');
});

/** The database of a bot, still open, as while it runs. */
function runningBot() {
  const database = openDatabase(openDataFolder(dataDir).privateFile('crier.sqlite'), silentLog);
  const set = (namespace: string, value: string) =>
    database.prepare('INSERT OR REPLACE INTO entries VALUES (?, ?, ?, NULL)').run(namespace, 'guild', value);
  set('settings', 'before');
  return { database, set };
}

function write(...names: readonly string[]): void {
  for (const name of names) {
    mkdirSync(join(dataDir, name, '..'), { recursive: true });
    writeFileSync(join(dataDir, name), 'x');
  }
}

describe('a backup', () => {
  it('is made while the bot and its speech service write, and takes the place of the data afterwards', () => {
    const { database, set } = runningBot();
    set('accepted-words', 'a text that waits');
    write('speech-key');
    const ledgerIn = (data: string) => {
      const opened = openLedgerDatabase(join(data, 'speech'));
      return { opened, ledger: createLedger(opened, { startingCredits: 100, now: () => new Date() }) };
    };
    const running = ledgerIn(dataDir);
    running.ledger.topUp(23, 'before');
    expect(saveBackup(dataDir, folder).names.toSorted()).toEqual([
      'crier.sqlite',
      'speech-key',
      'speech/speech-service.sqlite',
    ]);
    set('settings', 'after');
    running.ledger.topUp(1_000, 'after');
    database.close();
    running.opened.close();

    rmSync(dataDir, { recursive: true });
    cpSync(folder, dataDir, { recursive: true });
    const back = openDatabase(join(dataDir, 'crier.sqlite'), silentLog);
    expect(back.prepare('SELECT value FROM entries').all()).toEqual([{ value: 'before' }]);
    back.close();
    expect(readFileSync(join(dataDir, 'crier.sqlite'), 'latin1')).not.toContain('a text that waits');
    expect(readFileSync(join(dataDir, 'speech-key'), 'utf8')).toBe('x');
    const { opened, ledger } = ledgerIn(dataDir);
    expect(ledger.account().creditsLeft).toBe(123);
    opened.close();
  });

  it('leaves out what can be made again, what belongs to a process, and earlier backups', () => {
    runningBot().database.close();
    write(
      'mine/speech/key',
      'mine/clips/a',
      'clips/a',
      'playground/bot-1.log',
      'voices/kokoro/model.onnx',
      'heartbeat',
    );
    saveBackup(dataDir, join(dataDir, 'earlier.backup'));
    // What a killed backup beside the data left, and what a restore of version 0.1.0 put aside.
    write('.crier-a1b2c3/crier.sqlite', 'replaced-2026-11-01/crier.sqlite');
    const { names, leftOut } = saveBackup(dataDir, folder);
    expect(names.toSorted()).toEqual(['crier.sqlite', 'mine/speech/key']);
    const others = ['clips/', 'earlier.backup/', 'mine/clips/', 'playground/', 'voices/'];
    const unfinished = ['.crier-a1b2c3/', 'replaced-2026-11-01/'];
    expect(leftOut.toSorted()).toEqual([...unfinished, ...others].toSorted());
    expect(() => saveBackup(dataDir, join(dataDir, 'copy'))).toThrow(/is in DATA_DIR: name a folder elsewhere/);
  });

  it('is readable by its owner only', () => {
    runningBot().database.close();
    saveBackup(dataDir, folder);
    for (const path of [folder, join(folder, 'crier.sqlite')]) expect(statSync(path).mode & 0o077).toBe(0);
  });

  it('never takes the place of another folder, needs a bot’s data, and leaves nothing half done', () => {
    expect(() => saveBackup(dataDir, folder)).toThrow(/has no data of a bot: check DATA_DIR/);
    runningBot().database.close();
    expect(() => saveBackup(dataDir, join(root, 'none', 'x'))).toThrow(/cannot be written \(ENOENT.*: name a folder/);
    writeFileSync(join(dataDir, 'damaged.sqlite'), 'rubbish '.repeat(999));
    expect(() => saveBackup(dataDir, folder)).toThrow(/damaged\.sqlite cannot be read .*: run this with the account/);
    expect(readdirSync(root)).toEqual(['data']);
    mkdirSync(folder);
    expect(() => saveBackup(dataDir, folder)).toThrow(/is there already: name a new folder/);
  });
});

const run = (args: readonly string[], { env = {}, prefix = [] as readonly string[] } = {}) =>
  runProgram([join(import.meta.dirname, '../../src/backup/main.ts'), ...args], {
    ...{ cwd: root, env: { DATA_DIR: dataDir, ...env }, prefix },
  });

describe('npm run backup', () => {
  it('says what it did, without any other setting', async () => {
    const { database } = runningBot();
    const { code, stdout, stderr } = await run([folder]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Saved .*data to .*first\.backup \(one file: crier\.sqlite\)\.\nNot in it: \.env .*\n.*private/,
    );
    database.close();
  });

  it('says that the data is in PostgreSQL where it is, and nothing of its password', async () => {
    runningBot().database.close();
    const { code, stderr } = await run([folder], { env: { STORE_URL: 'postgres://crier:secret-word@db/crier' } });
    expect([code, existsSync(folder)]).toEqual([1, false]);
    expect(stderr).toMatch(/^the data is in the PostgreSQL of STORE_URL: use its own tools[^\n]*\n$/);
    expect(stderr).not.toContain('secret-word');
  });

  it('does nothing where .env, which may name the folder, cannot be read, or where no folder is named', async () => {
    runningBot().database.close();
    expect(await run([])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Usage: npm run -s backup -- FOLDER'),
    });
    writeFileSync(join(root, '.env'), Buffer.from(`\ufeffDATA_DIR=${dataDir}\n`, 'utf16le'));
    expect(await run([folder])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^\.env is in UTF-16: save it as UTF-8/),
    });
    expect(existsSync(folder)).toBe(false);
  });

  it.runIf(canMount()).each(['crier.sqlite', 'speech-key'])(
    'says that the disk of the copy is full, not that %s is broken',
    async (name) => {
      const { database, set } = runningBot();
      const large = 'x'.repeat(8_000_000);
      if (name === 'speech-key') writeFileSync(join(dataDir, name), large);
      else set('settings', large);
      database.close();
      const small = join(root, 'small');
      const { code, stderr } = await run([join(small, 'x.backup')], { prefix: onSmallDisk(small) });
      expect(code).toBe(1);
      expect(stderr).toMatch(/small\/x\.backup cannot be written \(.*: name a folder in one that has room/);
    },
  );
});
