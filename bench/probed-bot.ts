import { type BotLogLine, startBotProcess } from '../src/playground/demo/bot/bot-process.ts';

/** What is alive in the bot's process after a garbage collection, as logged by soak-probe.ts. */
export interface Alive {
  readonly rssMb: number;
  readonly heapMb: number;
  /** The code that V8 has compiled, which is part of the heap. */
  readonly compiledMb: number;
  readonly descriptors: number;
  readonly timers: number;
  readonly handles: number;
  readonly listeners: number;
}

const PROBE = new URL('./soak-probe.ts', import.meta.url).href;
const ANSWER_TIMEOUT_MS = 60_000;

/** Starts the bot with a probe in its process. `onLogLine` gets all lines except the probe's. */
export function startProbedBot(
  env: Readonly<Record<string, string>>,
  onLogLine: (line: BotLogLine) => void = () => undefined,
) {
  const waiting: ((alive: Alive) => void)[] = [];
  const bot = startBotProcess({
    env: { ...env, NODE_OPTIONS: `--import ${PROBE}` },
    onLogLine(line) {
      if (line.msg === 'Alive') waiting.shift()?.(line as unknown as Alive);
      else onLogLine(line);
    },
  });
  return {
    bot,
    alive: () =>
      new Promise<Alive>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('The bot did not answer SIGUSR2')), ANSWER_TIMEOUT_MS);
        waiting.push((alive) => {
          clearTimeout(timer);
          resolve(alive);
        });
        bot.signal('SIGUSR2');
      }),
  };
}
