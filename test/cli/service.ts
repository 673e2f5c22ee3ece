import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { request } from 'undici';
import { dashboardSession } from '../speech-service/running-service.ts';

export const KEY = 'crier_sk_a_key_for_tests_of_the_command_line';

/** The embedded service as a process of its own, as the command line meets it. */
export interface Service extends AsyncDisposable {
  readonly url: string;
  readonly audioUrl: string;
  readonly dashboardUrl: string;
  /** The present one-time address. */
  dashboardAddress(): string;
  /** Variables that make the command line use it, each time with a key of its own: the rate limit is a key's. */
  env(): Promise<{ VOICE_API_URL: string; VOICE_API_KEY: string }>;
  faults(faults: Readonly<Record<string, unknown>>): Promise<void>;
  isKey(key: string): Promise<boolean>;
}

const MAIN = join(import.meta.dirname, '..', '..', 'src', 'speech-service', 'main.ts');

export async function startService(): Promise<Service> {
  const data = await mkdtemp(join(tmpdir(), 'voice-service-'));
  const child = spawn(
    process.execPath,
    [MAIN, '--json', '--faults', '--port', '0', '--data', data, '--exit-with-parent'],
    {
      env: { ...process.env, SPEECH_SERVICE_KEY: KEY, LOG_LEVEL: 'warn' },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const gone = once(child, 'exit').then(() => {
    throw new Error('the service ended before it answered');
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await Promise.race([once(lines, 'line'), gone]);
  gone.catch(() => undefined);
  const { url, audioUrl, dashboardUrl } = JSON.parse(line);
  let session: string | undefined;
  return {
    url,
    audioUrl,
    dashboardUrl,
    dashboardAddress: () => readFileSync(join(data, 'dashboard-address'), 'utf8').trim(),
    async env() {
      const { origin } = new URL(dashboardUrl);
      session ??= await dashboardSession(dashboardUrl);
      const answer = await request(`${origin}/api/keys`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json', 'x-crier-session': session },
        body: JSON.stringify({ name: randomUUID() }),
      });
      const { secret } = (await answer.body.json()) as { secret: string };
      return { VOICE_API_URL: url, VOICE_API_KEY: secret };
    },
    async faults(faults) {
      const answer = await request(new URL('/faults', dashboardUrl), {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(faults),
      });
      if (answer.statusCode !== 200) throw new Error(await answer.body.text());
      await answer.body.dump();
    },
    async isKey(key) {
      const answer = await request(`${url}/api/v1/models`, { headers: { authorization: `Bearer ${key}` } });
      await answer.body.dump();
      return answer.statusCode === 200;
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGTERM')) await exit;
      await rm(data, { recursive: true, force: true });
    },
  };
}
