// `npm run conformance` tests whether a speech service follows the API document, and prints the result of each rule.
import '../process/v8-workarounds.ts';
import { constants } from 'node:os';
import { isNeverConnected } from '../network/connection-errors.ts';
import { commandOf, flagsOrExit } from '../process/package.ts';
import { PATHS } from '../speech/base-url.ts';
import type { Need } from './framework/rule.ts';
import { codeOf, Subject } from './framework/subject.ts';
import { allRules, line, type RuleResult, runRules, summary } from './runner.ts';

const USAGE = `Usage: ${commandOf('conformance', '--url URL [--key KEY] [options]')}

  --url URL     address of the service, or the full …/api/v1/speech
  --key KEY     API key; better in VOICE_API_KEY, where other users of the machine cannot see it
  --spend       also check what costs credits (about 170 short requests)
  --burst       also use up the key's rate limit, to see it
  --only TEXT   only rules whose id contains TEXT

Exit code: 0 when every rule of the document that could be checked holds, 1 when one does not or nothing answers, 2 for wrong usage
or a key that is refused, 130 when interrupted.
`;

const { values: options } = flagsOrExit(USAGE, {
  options: {
    url: { type: 'string' },
    key: { type: 'string' },
    spend: { type: 'boolean', default: false },
    burst: { type: 'boolean', default: false },
    only: { type: 'string' },
  },
});
// If the reader of the output has ended, as `head` does after its last line, the conformance check ends, too.
process.stdout.on('error', () => process.exit(128 + constants.signals.SIGPIPE));
process.exitCode = await main(process.env);

async function main(env: NodeJS.ProcessEnv): Promise<number> {
  const apiKey = options.key ?? env.VOICE_API_KEY;
  if (!options.url) return wrongUsage('--url is missing.');
  if (!apiKey) return wrongUsage('There is no key: set VOICE_API_KEY, or give --key.');
  const chosen = allRules.filter((rule) => rule.id.includes(options.only ?? ''));
  if (chosen.length === 0) return wrongUsage(`No rule's id contains ${JSON.stringify(options.only)}.`);
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort(new Error('interrupted')));
  const allowed = new Set<Need>();
  if (options.spend) allowed.add('credits');
  if (options.burst) allowed.add('burst');
  let subject: Subject;
  try {
    const { signal } = stop;
    subject = new Subject({ url: options.url, apiKey, signal, faults: undefined });
  } catch (error) {
    if (error instanceof TypeError) return wrongUsage(`${error.message}.`);
    throw error;
  }
  try {
    // If nothing answers, or the API key is not accepted, no rule is checked. The rules report other failures.
    const first = await subject.raw(PATHS.models).catch((error: unknown) => {
      if (isNeverConnected(error)) return (error as NodeJS.ErrnoException).code;
    });
    if (typeof first === 'string') {
      process.stderr.write(`Nothing answers at ${subject.apiOrigin} (${first}): no rule was looked at.\n`);
      return 1;
    }
    if (first?.status === 401) {
      const code = codeOf(first);
      process.stderr.write(
        `The service does not accept the key (401${code === undefined ? '' : ` ${code}`}): no rule was looked at.\n`,
      );
      return 2;
    }
    const results: RuleResult[] = [];
    for await (const result of runRules(chosen, subject, allowed)) {
      process.stdout.write(line(result, results.at(-1)));
      results.push(result);
    }
    process.stdout.write(summary(results));
    if (stop.signal.aborted) {
      process.stderr.write(`Interrupted: ${chosen.length - results.length} rules were not looked at.\n`);
      return 130;
    }
    return results.some((result) => result.outcome === 'fail') ? 1 : 0;
  } finally {
    await subject.close();
  }
}

function wrongUsage(message: string): 2 {
  process.stderr.write(`${message}\n\n${USAGE}`);
  return 2;
}
