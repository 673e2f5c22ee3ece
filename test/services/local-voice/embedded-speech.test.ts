import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { childEnvironment, NODE_FLAGS } from '../../../src/process/child-environment.ts';
import { startEmbeddedSpeech } from '../../../src/services/local-voice/embedded-speech.ts';
import { createSpeechClient } from '../../../src/speech/client/client.ts';
import { silentLog, writtenLog } from '../../silent-log.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

/** Starts a stand-in for the service, which notes what it was started with. */
async function start(program: string, options: Partial<Parameters<typeof startEmbeddedSpeech>[0]> = {}) {
  const entry = join(folder, 'entry.mjs');
  const preamble = `
    import { appendFileSync, readFileSync } from 'node:fs';
    appendFileSync(${JSON.stringify(join(folder, 'starts'))}, JSON.stringify({ args: process.argv.slice(2), env: process.env, pid: process.pid }) + '\\n');
    process.stdin.on('end', () => process.exit(0)).resume();
    const say = () => console.log(JSON.stringify({ url: 'http://127.0.0.1:4001', dashboardUrl: 'http://127.0.0.1:4003/' }));
  `;
  writeFileSync(entry, `${preamble}\n${program}`);
  const speech = await startEmbeddedSpeech({
    dashboard: undefined,
    dataPath: join(folder, 'speech'),
    apiKey: 'the-key',
    environment: childEnvironment(),
    log: silentLog,
    entry,
    signal: new AbortController().signal,
    ...options,
  });
  onTestFinished(() => speech.close());
  return speech;
}

function starts() {
  const lines = readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n');
  return lines.map((line): { args: string[]; env: Record<string, string>; pid: number } => JSON.parse(line));
}

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the built-in voice', () => {
  it('gets its key through its environment, and nothing of ours besides', async () => {
    const speech = await start('say();');
    expect(speech.url.href).toBe('http://127.0.0.1:4001/');
    const [started] = starts();
    expect(started?.args.join(' ')).toMatch(/^--json --data .*speech --exit-with-parent /);
    expect(started?.args.join(' ')).not.toContain('the-key');
    expect(started?.env.SPEECH_SERVICE_KEY).toBe('the-key');
    expect(Object.keys(started?.env ?? {})).not.toContain('DISCORD_TOKEN');
  });

  it('has a dashboard where and at the address that is wanted, and tells its address without the token', async () => {
    const off = await start('say();');
    const announced = {
      url: 'http://127.0.0.1:1',
      dashboardUrl: 'http://127.0.0.1:3/dashboard#token=secret',
      installed: ['tiny (about 90 MB of memory while it speaks)'],
    };
    const on = await start(`console.log(${JSON.stringify(JSON.stringify(announced))});`, {
      dashboard: { host: '0.0.0.0', port: 8642 },
    });
    expect(on.dashboardUrl).toBe('http://127.0.0.1:3/dashboard');
    expect([off.installed, on.installed]).toEqual([[], announced.installed]);
    const [without, withOne] = starts().map(({ args }) => args.join(' '));
    expect(without).toContain('--no-dashboard');
    expect(withOne).toContain('--dashboard-host 0.0.0.0 --dashboard-port 8642');
  });

  it('is told that somebody may ask for speech, once in a while', async () => {
    const told = join(folder, 'told');
    const note = `process.stdin.on('data', (data) => appendFileSync(${JSON.stringify(told)}, data));`;
    const speech = await start(`${note} say();`);
    speech.wake();
    speech.wake();
    await expect.poll(() => existsSync(told) && readFileSync(told, 'utf8')).toBe('\n');
  });

  it('is started again when it dies, and what asks meanwhile waits for its new address', async () => {
    const service = new URL('../../../src/speech-service/main.ts', import.meta.url);
    const speech = await start(`await import(${JSON.stringify(service.href)});`);
    const client = createSpeechClient({
      baseUrl: () => speech.url,
      serverEnd: speech.currentEnd,
      apiKey: 'the-key',
      log: silentLog,
      requestTimeoutMs: 30_000,
    });
    onTestFinished(() => client.close());
    const { creditsLeft } = await client.billing();
    process.kill(starts()[0]?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => isAlive(starts()[0]?.pid ?? 0)).toBe(false);
    expect(await client.billing()).toMatchObject({ creditsLeft });
    await speech.close();
    expect(starts().map(({ pid }) => isAlive(pid))).toEqual([false, false]);
  });

  it('that dies while it starts is tried again later, and closing ends the trying', async () => {
    const speech = await start(
      `if (readFileSync(${JSON.stringify(join(folder, 'starts'))}, 'utf8').match(/\\n/g).length === 1) say(); else process.exit(3);`,
    );
    process.kill(starts()[0]?.pid ?? 0, 'SIGKILL');
    await expect.poll(() => starts().length).toBeGreaterThan(2);
    await speech.close();
    const tried = starts().length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(starts()).toHaveLength(tried);
  });

  it('that cannot be started says why, with its last words', async () => {
    await expect(start('console.error("no synthesizer here"); process.exit(3);')).rejects.toThrow(
      /could not be started: it ended at once \(exit 3\)\nno synthesizer here/,
    );
  });

  it('for which no file descriptor is left does not start, and ends nobody (a child without pipes)', () => {
    const service = new URL('../../../src/services/local-voice/embedded-speech.ts', import.meta.url);
    const script = `
      import { openSync } from 'node:fs';
      import { startEmbeddedSpeech } from '${service.href}';
      try { for (;;) openSync('/dev/null'); } catch {}
      const { signal } = new AbortController();
      const options = { dataPath: '/tmp', apiKey: 'the-key', environment: {}, log: {}, signal };
      await startEmbeddedSpeech(options).catch(({ message }) => process.stdout.write(message));`;
    const limited = ['-c', 'ulimit -n 64 && exec "$0" --input-type=module -e "$1"', process.execPath, script];
    const { status, stdout, stderr } = spawnSync('sh', limited, { encoding: 'utf8', timeout: 20_000 });
    expect(status, stderr).toBe(0);
    expect(stdout).toMatch(/^The built-in voice could not be started: .*EMFILE/);
  });

  it('that says nothing in time is ended', async () => {
    const soon = AbortSignal.timeout(3_000);
    vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(soon);
    await expect(start('')).rejects.toThrow(/said nothing for 30000 ms/);
    await expect.poll(() => isAlive(starts()[0]?.pid ?? 0)).toBe(false);
  });

  it('that does not heed is killed before the bot itself must end', async () => {
    const speech = await start(
      'process.on("SIGTERM", () => undefined); process.stdin.removeAllListeners("end"); setInterval(() => undefined, 1000); say();',
    );
    await speech.close();
    expect(isAlive(starts()[0]?.pid ?? 0)).toBe(false);
  });

  it('says in our log why one of its requests failed', async () => {
    const { log, lines } = writtenLog('warn');
    const failure = { level: 50, msg: 'request failed', requestId: 'req_1', err: { message: 'no memory' } };
    await start(`say(); console.error(${JSON.stringify(JSON.stringify(failure))});`, { log });
    const told = { reason: 'no memory', requestId: 'req_1', msg: 'request failed' };
    await expect.poll(() => lines).toContainEqual(expect.objectContaining(told));
  });

  it('is given up when the bot is stopped meanwhile', async () => {
    const stop = new AbortController();
    const starting = start('', { signal: stop.signal });
    await expect.poll(() => starts().length).toBe(1);
    stop.abort(new Error('stopping'));
    await expect(starting).rejects.toThrow('stopping');
  });
});

it('can use what the bot has compiled: nothing of it is compiled for other flags of V8', () => {
  const run = (program: string, ...args: readonly string[]) => {
    const env = { NODE_COMPILE_CACHE: join(folder, 'compiled'), NODE_DEBUG_NATIVE: 'COMPILE_CACHE' };
    const main = join(import.meta.dirname, '../../../src', program);
    const command = [...NODE_FLAGS, main, ...args];
    const { stderr } = spawnSync(process.execPath, command, { cwd: folder, env, encoding: 'utf8' });
    return { accepted: stderr.match(/ was accepted/g)?.length ?? 0, rejected: stderr.match(/ was rejected/g) };
  };
  // It ends at once, without settings.
  run('main.ts');
  const { accepted, rejected } = run('speech-service/main.ts', '--help');
  expect(rejected).toBeNull();
  expect(accepted).toBeGreaterThan(20);
});
