import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SummaryReporter } from './test/reporter.ts';

/** They wait for processes and servers of their own, which on a machine without results of an earlier run nobody knows. */
const LONG = [
  'main',
  'playground/main',
  'services/cells/identify-turns',
  'services/cells/cell-lease',
  'services/storage/postgres/postgres-store',
  'cli/tts',
  'cli/login',
  'doctor/main',
  'playground/demo/faults',
].map((name) => fileURLToPath(new URL(`./test/${name}.test.ts`, import.meta.url)));

const isShuffled = process.argv.some((argument) => argument.startsWith('--sequence.shuffle'));

/**
 * Vitest keeps a process only for a next file of the same project, so the projects come one after the other. Within a project,
 * the longest files come first, so that no process is alone with one in the end; with --sequence.shuffle, any file.
 */
class ByProject extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = isShuffled ? this.#shuffled(files) : longFirst(await super.sort(files));
    return ['apart', 'paced', 'together'].flatMap((name) => sorted.filter(({ project }) => project.name === name));
  }

  #shuffled(files: readonly TestSpecification[]): TestSpecification[] {
    const { seed } = this.ctx.config.sequence;
    const place = ({ moduleId }: TestSpecification) => createHash('sha256').update(`${seed} ${moduleId}`).digest('hex');
    return files.toSorted((a, b) => (place(a) < place(b) ? -1 : 1));
  }
}

function longFirst(files: readonly TestSpecification[]): TestSpecification[] {
  const isLong = ({ moduleId }: TestSpecification) => LONG.includes(moduleId);
  return [...files.filter(isLong), ...files.filter((file) => !isLong(file))];
}

/** A process and all imports anew for each of these files would take most of their time. */
const TOGETHER = [
  'app',
  'backup',
  'bench',
  'cli',
  'commands',
  'config',
  'conformance',
  'doctor',
  'errors',
  'network',
  'playground/{demo,gateway,rest,state,world}',
  'process',
  'reading',
  'repository',
  'scripts',
  'services',
  'sound',
  'speech',
  'speech-service/{api,store}',
  'texts',
].map((folder) => `test/${folder}/**/*.test.ts`);

/**
 * Whose time goes by turns of the event loop (test/pace): they would mostly wait for speech to be spoken, and for deadlines. How long
 * `npm run fuzz` makes inputs up is in real seconds.
 */
const PACED = [
  'end-to-end',
  'discord',
  'audio/{connection,playing}',
  ...(process.env.FUZZ_SECONDS === undefined ? ['fuzz'] : []),
].map((folder) => `test/${folder}/**/*.test.ts`);

/** Of the one PostgreSQL of a run, which is started by the first file that needs it and ended with the run. */
const POSTGRES_FOLDER = join(tmpdir(), `crier-pg-run-${process.pid}`);
process.env.TEST_POSTGRES_FOLDER = POSTGRES_FOLDER;

/** For what reads the results, `.ci/run`. */
function resultsFile(): ['json', { outputFile: string }][] {
  const outputFile = process.env.TEST_RESULTS;
  return outputFile ? [['json', { outputFile }]] : [];
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'together', include: TOGETHER, isolate: false } },
      { extends: true, test: { name: 'paced', include: PACED, isolate: false, setupFiles: ['test/pace/setup.ts'] } },
      // Native add-ons, programs and settings of the process in the test's own one: each file gets one of its own.
      { extends: true, test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: [...TOGETHER, ...PACED] } },
    ],
    reporters: ['default', ...resultsFile(), new SummaryReporter()],
    setupFiles: ['test/unstub.ts'],
    pool: 'forks',
    // As src/process/v8-workarounds.ts does for every program: a process that has ended must not stay.
    execArgv: ['--no-concurrent-sparkplug', '--max-semi-space-size=32'],
    // The end-to-end tests mostly wait for speech to be spoken: five at a time keep two cores busy.
    maxWorkers: 5,
    // Speech takes as long as it takes to speak, and a busy machine longer: this is for what hangs. What must be quick
    // has a deadline of its own in its test.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 90_000 } },
    restoreMocks: true,
    unstubEnvs: true,
    // Hundreds of bots are started: Node need not compile the same program each time.
    env: {
      NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/node/', import.meta.url)),
      TEST_POSTGRES_FOLDER: POSTGRES_FOLDER,
    },
    globalSetup: ['test/services/storage/postgres/postgres-server.ts'],
    // Tests have nothing in common that an order could change, nor have files.
    sequence: { sequencer: ByProject, shuffle: { tests: true, files: false } },
  },
});
