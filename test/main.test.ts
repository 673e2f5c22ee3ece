import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startWorld } from '../src/playground/world/world.ts';
import { programEnv } from './program-environment.ts';

/** Of the right form: nobody accepts it. */
const TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token';
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crier-main-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** The bot as a process of its own in an empty folder, with nothing but these settings. */
function start(settings: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], {
    cwd: folder,
    env: { ...programEnv, LOG_FORMAT: 'json', METRICS_PORT: 'off', ...settings },
  });
  let output = '';
  const seen = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
      for (const look of seen) look();
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  const says = (words: string) =>
    new Promise<void>((resolve) => {
      const look = () => output.includes(words) && resolve();
      seen.add(look);
      look();
    });
  return { child, ended, says };
}

const lastLine = (output: string) => output.trimEnd().split('\n').at(-1);

describe('the bot’s process', () => {
  it('lists everything that is missing or wrong at once, without a stack or a value, and ends with 78', async () => {
    const lines = [
      'DISCORD_TOKEN: secret.of=mine',
      'VOICE_API_KEY=only-the-key',
      'READ_MESSAGE=on',
      'LOG_LEVEL=loud',
      'COLOUR=red',
    ];
    writeFileSync(join(folder, '.env'), lines.join('\n'));
    writeFileSync(join(folder, 'file'), '');
    const { code, output } = await start({ DISCORD_TOKNE: 'a.b.c', DATA_DIR: 'file' }).ended;
    expect(code).toBe(78);
    expect(output).toContain('In .env, line 1 has a colon after DISCORD_TOKEN.');
    expect(output).toContain('DISCORD_TOKEN is missing');
    expect(output).toContain('VOICE_API_URL');
    expect(output).toContain('READ_MESSAGE is not a setting of Crier: did you mean READ_MESSAGES?');
    expect(output).toContain('DISCORD_TOKNE is not a setting of Crier: did you mean DISCORD_TOKEN?');
    expect(output).toContain('COLOUR is not a setting of Crier\n');
    expect(output).toContain('LOG_LEVEL must be');
    expect(output).toContain(`DATA_DIR is a file, not a folder: ${join(folder, 'file')}`);
    expect(output).not.toContain('There is no .env');
    expect(output).not.toContain('PATH is');
    expect(output).not.toMatch(/secret|mine|only-the-key|loud|\n\s+at /);
    expect(lastLine(output)).toMatch(/^Crier cannot start: 5 settings need attention \(.*DISCORD_TOKEN/);
  });

  it.each(['@snazzah/davey-', 'discord.js'])(
    'names a package that is missing here, and ends with 78: %s…',
    async (missing) => {
      const hide = new URL('without-package.mjs', import.meta.url).href;
      const { code, output } = await start({ NODE_OPTIONS: `--import ${hide}`, MISSING_PACKAGE: missing }).ended;
      expect(output).toBe(
        `Crier cannot start: the package ${missing.replace(/-$/, '')} is missing, or its binary for ${process.platform} ${process.arch}, which --omit=optional leaves out. Run npm ci.\n`,
      );
      expect(code).toBe(78);
    },
  );

  it('says where it looked for a .env that is not there, and does not ask Discord with a token that is none', async () => {
    const { code, output } = await start({ DISCORD_TOKEN: '100000000000000001' }).ended;
    expect(code).toBe(78);
    expect(output).toContain(`There is no .env in ${realpathSync(folder)}, the folder in which`);
    expect(output).toContain('DISCORD_TOKEN is not a bot token: ');
    expect(lastLine(output)).toBe('Crier cannot start: one setting needs attention (DISCORD_TOKEN).');
    expect(output).not.toContain('100000000000000001');
  });

  it.skipIf(process.platform === 'win32')('reads a .env that is a pipe, which can be read once', async () => {
    execFileSync('mkfifo', [join(folder, '.env')]);
    const written = writeFile(join(folder, '.env'), 'READ_MESSAGE=on\nLOG_LEVEL=loud\nLOG_LEVEL=louder\n');
    const { code, output } = await start({}).ended;
    await written;
    expect(code).toBe(78);
    expect(output).toContain('READ_MESSAGE is not a setting of Crier');
    expect(output).toContain('line 3 sets LOG_LEVEL again');
  });

  it('says so when .env is no file, as a container makes it of a mount that is missing', async () => {
    mkdirSync(join(folder, '.env'));
    const { code, output } = await start({ DISCORD_TOKEN: TOKEN }).ended;
    expect(code).toBe(78);
    expect(output).toContain('.env cannot be read (E');
    expect(output).not.toContain('at loadConfig');
  });

  it('names settings that are no database, with what to do, leaves them as they are, and ends with 1', async () => {
    const file = join(folder, 'crier.sqlite');
    writeFileSync(file, 'rubbish '.repeat(999));
    const { code, output } = await start({ DISCORD_TOKEN: TOKEN, DATA_DIR: folder, LOG_LEVEL: 'error' }).ended;
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain(file);
    expect(output).toContain('move it away, and the bot starts with empty settings; or put a backup in its place');
    expect(output).not.toContain('stack');
    expect(readFileSync(file, 'utf8')).toBe('rubbish '.repeat(999));
  });

  it('says what to do when Discord does not accept the token, and ends with 78', async () => {
    const world = await startWorld();
    const token = 'MTAwMDAwMDAwMDAwMDAwMDAx.wrong.token-of-somebody-else';
    const { code, output } = await start({ ...world.botEnv, DISCORD_TOKEN: token }).ended;
    await world.close();
    expect(code).toBe(78);
    expect(output).toContain('Discord does not accept DISCORD_TOKEN');
    expect(output).not.toMatch(/"stack"|speech service call failed|Reconnecting/);
    expect(output).not.toContain(token);
  });

  it('says so when Discord closes for good while it runs, and ends with 78 without coming back', async () => {
    const world = await startWorld();
    const bot = start(world.botEnv);
    await bot.says('Crier is ready');
    world.faults.closeGateway(4004);
    const { code, output } = await bot.ended;
    await world.close();
    expect(code).toBe(78);
    expect(lastLine(output)).toContain('Discord does not accept DISCORD_TOKEN any more');
    expect(output).not.toMatch(/Reconnecting to Discord|"stack"/);
    expect(world.bot.identifies).toBe(1);
  });

  it('says in its last line where to let the bot read messages, when Discord does not', async () => {
    const world = await startWorld();
    const { code, output } = await start({ ...world.botEnv, READ_MESSAGES: 'on' }).ended;
    await world.close();
    expect(code).toBe(78);
    expect(lastLine(output)).toMatch(/Message Content Intent, or set READ_MESSAGES=off/);
    expect(output).not.toContain('"stack"');
  });

  it('says what to look at when Discord cannot be reached, and ends with 1', async () => {
    const settings = { DISCORD_TOKEN: TOKEN, DISCORD_API_URL: 'http://127.0.0.1:9/api' };
    const { code, output } = await start(settings).ended;
    expect(code).toBe(1);
    expect(lastLine(output)).toContain('check the network and DISCORD_API_URL (http://127.0.0.1:9)');
    expect(output).not.toContain('Crier has stopped');
  });

  it('says at the start which settings to look at when the speech service does not accept the key', async () => {
    const world = await startWorld();
    const refusing = createServer((_, answer) => {
      answer.statusCode = 401;
      answer.end('{"error":{"message":"no","type":"authentication_error","code":"invalid_api_key"}}');
    }).listen(0, '127.0.0.1');
    await once(refusing, 'listening');
    const { port } = refusing.address() as AddressInfo;
    const bot = start({ ...world.botEnv, VOICE_API_URL: `http://127.0.0.1:${port}`, VOICE_API_KEY: 'wrong-key-1' });
    await bot.says(
      'The speech service cannot speak: it does not accept the key. Check VOICE_API_URL and VOICE_API_KEY',
    );
    await bot.says('Crier is ready');
    bot.child.kill('SIGINT');
    const { code, output } = await bot.ended;
    refusing.close();
    await world.close();
    expect(code).toBe(0);
    expect(output).not.toContain('wrong-key-1');
  });

  it('stopped while it is still starting, it ends well', async () => {
    // A Discord that never answers.
    const silent = createServer(() => undefined).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const bot = start({ DISCORD_TOKEN: TOKEN, DISCORD_API_URL: `http://127.0.0.1:${port}/api` });
    await bot.says('The voice is local');
    bot.child.kill('SIGTERM');
    const { code, output } = await bot.ended;
    silent.closeAllConnections();
    silent.close();
    expect(code).toBe(0);
    expect(output).toContain('Crier has stopped');
  });

  it('told twice at once, as by Ctrl-C under npm, it still leaves in order', async () => {
    const world = await startWorld();
    const bot = start(world.botEnv);
    await bot.says('Crier is ready');
    bot.child.kill('SIGINT');
    bot.child.kill('SIGINT');
    const { code, output } = await bot.ended;
    await world.close();
    expect(code).toBe(0);
    expect(output).toContain('Crier has stopped');
    expect(output).not.toContain('Reconnecting');
  });

  it('whose log nobody reads any more still leaves in order and in time, instead of logging that for ever', async () => {
    const world = await startWorld();
    const bot = start(world.botEnv);
    await bot.says('Crier is ready');
    // The last that it says of its own accord: the next line is about the signal.
    await bot.says('/api/v1/billing');
    bot.child.stdout.destroy();
    const startedAtMs = performance.now();
    bot.child.kill('SIGTERM');
    const { code } = await bot.ended;
    await world.close();
    expect(code).toBe(0);
    expect(performance.now() - startedAtMs).toBeLessThan(10_000);
  });
});
