import { chmodSync, copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { UNCONFIGURED } from '../../src/playground/demo/bot/bot-process.ts';
import { startWorld } from '../../src/playground/world/world.ts';
import { alignedCorrelation, type Sound, speechSpan } from '../end-to-end/measure.ts';
import type { Engine } from './engine.ts';

/** As deploy/compose.yaml and the manifests start it. */
const CONFINED = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges', '--tmpfs', '/tmp'];
const WRONG_SETTING = 78;
const HEALTHY_TIMEOUT_MS = 30_000;
/** A minute for the text, and what Compose waits beyond it. */
const STOP_SECONDS = '75';
const TEXT = 'Whoever updates the bot lets it finish its sentence, and the next one too, and then it goes to sleep.';

export function expectThat(isSo: boolean, what: string): void {
  if (!isSo) throw new Error(`Not so: ${what}`);
}

/** Without a token it ends with the code that supervisors do not start again after, and says what is missing. */
export async function refusesWithoutToken({ docker }: Engine, image: string): Promise<void> {
  const id = (await docker('create', '--network', 'none', ...CONFINED, image)).trim();
  await docker('start', id);
  const code = Number(await docker('wait', id));
  const said = await docker('logs', id).catch(String);
  await docker('rm', '-v', id);
  expectThat(code === WRONG_SETTING, `it ends with ${WRONG_SETTING} (${code}: ${said})`);
}

/** Speaks a text twice on the Discord on loopback; during the second one it is told to stop. */
export async function isHeardToTheEnd({ docker }: Engine, image: string, folder: string): Promise<string[]> {
  const world = await startWorld();
  const { NODE_EXTRA_CA_CERTS: authority, ...env } = world.botEnv;
  const readable = join(folder, 'authority.pem');
  copyFileSync(authority, readable);
  chmodSync(readable, 0o644);
  const variables = { ...UNCONFIGURED, ...env, NODE_EXTRA_CA_CERTS: '/authority.pem' };
  const startedAtMs = performance.now();
  const id = (
    await docker(
      ...['run', '--detach', '--network', 'host', ...CONFINED, '--health-interval', '1s'],
      ...['--volume', `${readable}:/authority.pem:ro`],
      ...Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
      image,
    )
  ).trim();
  try {
    await world.botReady({ timeoutMs: 60_000 });
    const readyMs = performance.now() - startedAtMs;
    const alice = world.member('alice');
    alice.joins('General');
    const speak = async () => {
      const sent = await alice.types(`/say text:${TEXT}`);
      return () => sent.reply({ until: ({ text }) => text.includes('Spoken in') });
    };
    const heard = (): Sound => ({ samples: alice.listener.heard().pcm, sampleRateHz: 48_000 });
    await (await speak())();
    const [said, { endToEndEncrypted }] = [heard(), alice.listener.heard()];
    const { seconds } = speechSpan(said);
    expectThat(endToEndEncrypted && seconds > 3, `the text is heard, end-to-end encrypted (${seconds.toFixed(1)} s)`);
    await healthy(docker, id);
    const memory = (await docker('stats', '--no-stream', '--format', '{{.MemUsage}}', id)).split(' /')[0];

    alice.listener.clear();
    const isSpoken = await speak();
    await alice.listener.audible(50);
    const stopped = docker('stop', '--time', STOP_SECONDS, id);
    await isSpoken();
    await stopped;
    const code = Number(await docker('inspect', '--format', '{{.State.ExitCode}}', id));
    const again = heard();
    const { correlation } = alignedCorrelation(said, again);
    const lacking = seconds - speechSpan(again).seconds;
    expectThat(
      correlation > 0.9 && Math.abs(lacking) < 0.1,
      `after SIGTERM the text is heard to its end (${lacking.toFixed(2)} s lacking, correlation ${correlation.toFixed(2)})`,
    );
    expectThat(code === 0, `it ends with 0 (${code})`);
    return [
      `ready after ${(readyMs / 1_000).toFixed(1)} s, healthy, ${memory}`,
      `heard end-to-end encrypted, ${seconds.toFixed(1)} s; after SIGTERM to its end, exit 0`,
    ];
  } catch (error) {
    throw new Error(`${(error as Error).message}\n${await docker('logs', '--tail', '20', id).catch(String)}`);
  } finally {
    await docker('rm', '--force', '-v', id).catch(() => undefined);
    await world.close();
  }
}

async function healthy(docker: Engine['docker'], id: string): Promise<void> {
  const giveUpAtMs = performance.now() + HEALTHY_TIMEOUT_MS;
  let health = '';
  while (health !== 'healthy' && performance.now() < giveUpAtMs) {
    await sleep(200);
    health = (await docker('inspect', '--format', '{{.State.Health.Status}}', id)).trim();
  }
  const log = await docker('inspect', '--format', '{{json .State.Health.Log}}', id);
  expectThat(health === 'healthy', `Docker finds it healthy (${health}: ${log.slice(-400)})`);
}
