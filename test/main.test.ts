import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { startWorld } from '../src/playground/world/world.ts';
import { serverThat } from './loopback-server.ts';
import { programEnv } from './program-environment.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** Of the right form: nobody accepts it. */
const TOKEN = 'MTAwMDAwMDAwMDAwMDAwMDAx.fake.token';
/** A service that is not there: the built-in voice would be one more process to start. */
const NO_VOICE = { VOICE_API_URL: 'http://127.0.0.1:9', VOICE_API_KEY: 'a-key' };
const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** The bot as a process of its own in an empty folder, with nothing but these settings. */
function start(settings: Record<string, string>) {
  const child = spawn(process.execPath, [MAIN], {
    cwd: folder,
    env: { ...programEnv, LOG_FORMAT: 'json', METRICS_PORT: 'off', ...settings },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  }
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, output }));
  const says = async (words: string) => {
    while (!output.includes(words)) await once(child.stdout, 'data');
  };
  return { child, ended, says };
}

const lastLine = (output: string) => output.trimEnd().split('\n').at(-1);

describe('the bot’s process', () => {
  it('lists everything that is missing or wrong at once, without a stack or a value, and ends with 78', async () => {
    const lines =
      'DISCORD_TOKEN secret.of=mine\nVOICE_API_KEY=only-the-key\nREAD_MESSAGE=on\nLOG_LEVEL=loud\nCOLOR=red';
    const file = join(folder, '.env');
    // A pipe can be read once.
    if (process.platform !== 'win32') execFileSync('mkfifo', [file]);
    writeFileSync(join(folder, 'file'), '');
    const { ended } = start({ DISCORD_TOKNE: 'a.b.c', DATA_DIR: 'file' });
    await writeFile(file, lines);
    const { code, output } = await ended;
    expect(code).toBe(78);
    expect(output).toContain('DISCORD_TOKEN is missing');
    expect(output).toContain('VOICE_API_URL');
    expect(output).toContain('READ_MESSAGE is not a setting of Crier: did you mean READ_MESSAGES?');
    expect(output).toContain('DISCORD_TOKNE is not a setting of Crier: did you mean DISCORD_TOKEN?');
    expect(output).toContain('COLOR is not a setting of Crier\n');
    expect(output).toContain('LOG_LEVEL must be');
    expect(output).toContain(`DATA_DIR is a file, not a folder: ${join(folder, 'file')}`);
    expect(output).not.toMatch(/secret|mine|only-the-key|loud|\n\s+at |There is no \.env|PATH is/);
    expect(lastLine(output)).toMatch(/^Crier cannot start: 5 settings need attention \(.*DISCORD_TOKEN/);
  });

  it('names a package that is missing here, and ends with 78', async () => {
    const hide = new URL('without-package.mjs?@snazzah/davey-', import.meta.url).href;
    const { code, output } = await start({ NODE_OPTIONS: `--import ${hide}` }).ended;
    expect(output).toBe(
      `Crier cannot start: the package @snazzah/davey is missing, or its binary for ${process.platform} ${process.arch}, which --omit=optional leaves out. Run npm ci.\n`,
    );
    expect(code).toBe(78);
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

  it('says so when Discord closes for good while it runs, and ends with 78 without coming back', async () => {
    const world = await startWorld();
    const bot = start({ ...world.botEnv, ...NO_VOICE });
    await bot.says('Crier is ready');
    world.faults.closeGateway(4004);
    const { code, output } = await bot.ended;
    await world.close();
    expect(code).toBe(78);
    expect(lastLine(output)).toContain('Discord does not accept DISCORD_TOKEN any more');
    expect(output).not.toMatch(/Reconnecting to Discord|"stack"/);
    expect(world.bot.identifies).toBe(1);
  });

  it('stopped while it is still starting, it ends well', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    // A Discord that never answers.
    const silent = await serverThat(() => ask());
    const bot = start({ ...NO_VOICE, DISCORD_TOKEN: TOKEN, DISCORD_API_URL: `${silent}/api` });
    await asked;
    bot.child.kill('SIGTERM');
    const { code, output } = await bot.ended;
    expect(code).toBe(0);
    expect(output).toContain('Crier has stopped');
  });

  it('keeps what Node compiled while it starts, so that its end need not write all of it', async () => {
    const world = await startWorld();
    const kept = join(folder, 'compiled');
    const bot = start({ ...world.botEnv, ...NO_VOICE, NODE_COMPILE_CACHE: kept });
    await bot.says('Crier is ready');
    const files = readdirSync(kept, { recursive: true }).length;
    bot.child.kill('SIGINT');
    await bot.ended;
    await world.close();
    expect(files).toBeGreaterThan(500);
    expect(readdirSync(kept, { recursive: true }).length - files).toBeLessThan(files / 10);
  });

  it('whose log nobody reads any more still leaves in order and in time, instead of logging that for ever', async () => {
    const world = await startWorld();
    const bot = start(world.botEnv);
    await bot.says('Crier is ready');
    // The last that it says of its own accord: the next line is about the signal.
    await bot.says('/api/v1/billing');
    bot.child.stdout.destroy();
    bot.child.kill('SIGTERM');
    // Past its deadline it would end with 1.
    const { code } = await bot.ended;
    await world.close();
    expect(code).toBe(0);
  });
});
