import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { SummaryReporter } from './test/reporter.ts';

/** Where in the order of their project, from 0 to 1, the last end-to-end tests stand: they take long, what comes after them is quick. */
const LAST_END_TO_END = 0.6;

/**
 * Files that share processes come in one row: Vitest keeps a process only for a next file of the same project. Within it,
 * the end-to-end tests mostly wait and the others compute: evenly mixed they keep the machine busy from the start to the
 * end. Among their likes, files come in Vitest's order, which is by size where nothing is known of their last run.
 */
class EvenlyMixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const apart = sorted.filter(({ project }) => project.name === 'apart');
    const together = sorted.filter(({ project }) => project.name !== 'apart');
    const isEndToEnd = ({ moduleId }: TestSpecification) => moduleId.includes('/test/end-to-end/');
    const placed = (kind: TestSpecification[], end: number) =>
      kind.map((file, index) => ({ file, place: (end * index) / kind.length }));
    const mixed = [
      ...placed(together.filter(isEndToEnd), LAST_END_TO_END),
      ...placed(
        together.filter((file) => !isEndToEnd(file)),
        1,
      ),
    ].sort((a, b) => a.place - b.place);
    return [...apart, ...mixed.map(({ file }) => file)];
  }
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
  'discord',
  'doctor',
  'errors',
  'network',
  'playground/{demo,gateway,people,rest,state}',
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

/** For what reads the results, `.ci/run`. */
function resultsFile(): ['json', { outputFile: string }][] {
  const outputFile = process.env.TEST_RESULTS;
  return outputFile ? [['json', { outputFile }]] : [];
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'together', include: TOGETHER, isolate: false } },
      {
        extends: true,
        test: {
          name: 'end-to-end',
          include: ['test/end-to-end/**/*.test.ts'],
          isolate: false,
          setupFiles: ['test/pace/setup.ts'],
        },
      },
      // Native add-ons, programs and settings of the process in the test's own one: each file gets one of its own.
      {
        extends: true,
        test: { name: 'apart', include: ['test/**/*.test.ts'], exclude: [...TOGETHER, 'test/end-to-end/**'] },
      },
    ],
    reporters: ['default', ...resultsFile(), new SummaryReporter()],
    pool: 'forks',
    // As src/process/v8-workarounds.ts does for every program: a process that has ended must not stay.
    execArgv: ['--no-concurrent-sparkplug', '--max-semi-space-size=32'],
    // The end-to-end tests mostly wait for speech to be spoken: five at a time keep two cores busy.
    maxWorkers: 5,
    // Speech takes as long as it takes to speak, and a busy machine longer: this is for what hangs. What must be quick
    // has a deadline of its own in its test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    restoreMocks: true,
    unstubEnvs: true,
    // Hundreds of bots are started: Node need not compile the same program each time.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('./node_modules/.cache/node/', import.meta.url)) },
    // Files have nothing in common that an order could change.
    sequence: { sequencer: EvenlyMixed, shuffle: { tests: true, files: false } },
  },
});
