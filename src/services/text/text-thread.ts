import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { UserError } from '../../errors/user-errors.ts';
import { text } from '../../texts/catalogue.ts';
import type { TextResults, TextTask } from './text-tasks.ts';

/** Does work on long texts outside the event loop, which sends the packets of all servers. */
export interface TextWork {
  /**
   * Server by server in turn. Rejects with a UserError where too much waits or the task takes too long. `owner` is a
   * server, or a user in direct messages.
   */
  run<Kind extends TextTask['kind']>(
    owner: string,
    task: Extract<TextTask, { kind: Kind }>,
  ): Promise<TextResults[Kind]>;
}

interface TextThread extends TextWork {
  /** Rejects what waits and ends the thread. Idempotent. */
  close(): Promise<void>;
}

interface Job {
  readonly task: TextTask;
  readonly resolve: (result: never) => void;
  readonly reject: (error: unknown) => void;
}

interface TextThreadOptions {
  readonly log: Logger;
  readonly program?: URL;
  /** For one task, the start of the thread included. */
  readonly deadlineMs?: number;
}

/** The longest task takes about 0.2 s; the rest is for a start on a busy machine. */
const DEADLINE_MS = 8_000;
/** Texts of one server that wait. */
const MOST_OF_ONE = 20;
const MOST_WAITING = 200;

export function createTextThread({
  log,
  program = new URL('text-thread-program.ts', import.meta.url),
  deadlineMs = DEADLINE_MS,
}: TextThreadOptions): TextThread {
  /** Waiting jobs by owner; the first owner is next, and the last one after its turn. */
  const lanes = new Map<string, Job[]>();
  let thread: Worker | undefined;
  let current: { readonly job: Job; readonly deadline: NodeJS.Timeout } | undefined;
  let isClosed = false;

  /** Started at the first long text: most bots never read one. Not a reason for the process to go on. */
  function started(): Worker {
    if (thread) return thread;
    const made = new Worker(program, { name: 'texts', resourceLimits: { maxOldGenerationSizeMb: 128 } });
    made.unref();
    made.on('message', ({ result, error }: { result?: unknown; error?: unknown }) => {
      if (made !== thread) return;
      finish((job) => (error === undefined ? job.resolve(result as never) : job.reject(error)));
    });
    made.on('error', (error) => dropped(made, error));
    made.on('exit', () => dropped(made, new Error('The text thread ended')));
    thread = made;
    return made;
  }

  /** A thread that died takes its task with it; the next task gets a new one. */
  function dropped(made: Worker, error: unknown): void {
    if (made !== thread) return;
    thread = undefined;
    if (!isClosed) log.warn({ err: error }, 'The thread for long texts ended: the next text starts another one');
    finish((job) => job.reject(error));
  }

  function finish(end: (job: Job) => void): void {
    const done = current;
    current = undefined;
    if (done) {
      clearTimeout(done.deadline);
      end(done.job);
    }
    startNext();
  }

  function startNext(): void {
    const [first] = lanes;
    if (current || !first) return;
    const [owner, [job, ...rest]] = first;
    lanes.delete(owner);
    if (rest.length > 0) lanes.set(owner, rest);
    if (!job) return;
    current = { job, deadline: setTimeout(tooSlow, deadlineMs) };
    started().postMessage(job.task);
  }

  function tooSlow(): void {
    const slow = thread;
    thread = undefined;
    log.warn({ deadlineMs, task: current?.job.task.kind }, 'A text took too long and was refused');
    void slow?.terminate();
    finish((job) => job.reject(new UserError(text('say.text-too-slow'))));
  }

  return {
    run: (owner, task) =>
      new Promise((resolve, reject) => {
        const lane = lanes.get(owner) ?? [];
        const waiting = [...lanes.values()].reduce((sum, { length }) => sum + length, 0);
        if (isClosed || lane.length >= MOST_OF_ONE || waiting >= MOST_WAITING) {
          reject(new UserError(text('say.texts-busy')));
          return;
        }
        lane.push({ task, resolve, reject });
        lanes.set(owner, lane);
        startNext();
      }),
    async close() {
      isClosed = true;
      const waiting = [...lanes.values()].flat();
      lanes.clear();
      for (const job of waiting) job.reject(new UserError(text('refused.stopping')));
      const ending = thread;
      if (ending) dropped(ending, new UserError(text('refused.stopping')));
      await ending?.terminate();
    },
  };
}
