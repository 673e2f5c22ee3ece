import { expect, test } from 'vitest';
import { FlagsError, parseFlags } from '../../src/process/package.ts';

const read = (...args: string[]) =>
  parseFlags({ args, options: { json: { type: 'boolean', default: false }, port: { type: 'string' } } }).values;

test('every program has --help beside its own options', () => {
  expect(read('--port', '1')).toEqual({ json: false, port: '1' });
  expect([read('--help').help, read('-h').help]).toEqual([true, true]);
});

test.each([
  [['--prot', '1'], 'There is no option --prot: did you mean --port? --help lists all options.'],
  [['--foo'], 'There is no option --foo. --help lists all options.'],
  [['--port'], "Option '--port <value>' argument missing. --help lists all options."],
  [['--port', '-5'], '--port needs a value; one that begins with - is written --port=VALUE. --help lists all options.'],
  [['a'], "Unexpected argument 'a'. --help lists all options."],
])('%j is refused in words that help', (args, words) => {
  expect(() => read(...args)).toThrow(new FlagsError(words));
});
