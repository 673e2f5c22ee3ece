import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GATEWAYS } from './gateways.ts';
import { HOSTILE_DISCORD } from './hostile-discord.ts';
import { SOUND_FILES } from './sound-files.ts';
import { type Checker, checked, corpusOf, inputsFor, keep } from './subject.ts';
import { TEXTS } from './texts.ts';

/** `npm run fuzz` tries others; the tests the same ones each time, so that a failure is a change's fault. */
const SEED = 20_261_123;
const { FUZZ_SECONDS = '0', FUZZ_SUBJECTS = '' } = process.env;
const fuzzMs = Number(FUZZ_SECONDS) * 1_000;

const every = [...SOUND_FILES, ...TEXTS, ...GATEWAYS, ...HOSTILE_DISCORD];
const names = FUZZ_SUBJECTS.split(',').filter(Boolean);
const chosen = names.length === 0 ? every : every.filter(({ name }) => names.includes(name));
const unknown = names.filter((name) => !every.some((subject) => subject.name === name));
if (unknown.length > 0)
  throw new Error(`There is no subject ${unknown.join(', ')}: they are ${every.map(({ name }) => name).join(', ')}`);

describe.each(chosen)('$name', (subject) => {
  let checker: Checker;
  beforeAll(async () => {
    checker = await subject.open();
  });
  afterAll(() => checker.close?.());

  it('of the corpus do no harm', async () => {
    const corpus = corpusOf(subject);
    expect(corpus.length).toBeGreaterThan(0);
    for (const { file, input } of corpus) {
      await checked(subject, checker, input).catch((error: unknown) => {
        throw new Error(`${file} does harm`, { cause: error });
      });
    }
  });

  it(
    'made up from it do none either',
    async () => {
      let tried = 0;
      const property = fc.asyncProperty(inputsFor(subject), (input) => {
        tried += 1;
        return checked(subject, checker, input);
      });
      const result = await fc.check(
        property,
        fuzzMs > 0
          ? { numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: fuzzMs }
          : { numRuns: subject.runs, seed: SEED },
      );
      if (fuzzMs > 0) console.log(`${subject.name}: ${tried} inputs`);
      if (!result.failed) return;
      if (!result.counterexample) throw result.errorInstance ?? new Error('No input was tried to its end');
      const [input] = result.counterexample;
      const where = fuzzMs > 0 ? keep(subject, input) : JSON.stringify(input.toString('latin1'));
      throw new Error(`${where} does harm`, { cause: result.errorInstance });
    },
    fuzzMs + 120_000,
  );
});
