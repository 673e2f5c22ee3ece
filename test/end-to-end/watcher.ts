import { request } from 'undici';
import type { BotProcess } from '../../src/playground/demo/bot/bot-process.ts';

/** The bot's metrics and health endpoints, at the addresses in its log. */
export async function watcher(bot: BotProcess) {
  const line = await bot.logged(({ metricsUrl }) => typeof metricsUrl === 'string');
  const origin = new URL(String(line.metricsUrl)).origin;
  const ask = async (path: string) => {
    const { statusCode, body } = await request(`${origin}${path}`);
    return { status: statusCode, body: await body.text() };
  };
  return {
    metrics: async () => (await ask('/metrics')).body,
    health: () => ask('/healthz'),
    async readiness() {
      const { status, body } = await ask('/readyz');
      const { checks } = JSON.parse(body) as { checks: Record<string, string> };
      return { status, checks };
    },
    /** The value of one series as Prometheus shows it. */
    async value(series: string): Promise<number | undefined> {
      const found = (await ask('/metrics')).body.split('\n').find((each) => each.startsWith(`${series} `));
      return found === undefined ? undefined : Number(found.slice(series.length + 1));
    },
  };
}
