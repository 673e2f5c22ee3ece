import '../process/v8-workarounds.ts';
import { readFileSync } from 'node:fs';
import { createProgram, run } from './program.ts';
import { EXIT } from './terminal/terminal.ts';

/* Data goes to stdout; messages, questions and errors go to stderr. */

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

// A reader that closes stdout's pipe early (`voice voices | head -1`) causes no error here. `printBytes` still rejects,
// because billed audio may be lost.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return;
  process.stderr.write(`error: Standard output cannot be written to (${error.code}).\n`);
  process.exitCode = EXIT.failed;
});
// A closed stderr does not end the program, because billed audio may still have to be saved.
process.stderr.on('error', () => undefined);

const code = await run(createProgram(version), process.argv.slice(2));
process.exitCode ||= code;
