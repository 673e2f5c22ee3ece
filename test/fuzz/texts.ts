import { isDeepStrictEqual } from 'node:util';
import { parseConfig, setInText } from '../../src/cli/config/config-file.ts';
import { CliError } from '../../src/cli/terminal/terminal.ts';
import { exportSettings, importSettings } from '../../src/commands/settings/settings.ts';
import { UserError } from '../../src/errors/user-errors.ts';
import { MAX_ENTRIES, MAX_FROM, MAX_TO } from '../../src/services/text/dictionary.ts';
import { exportDictionary, importDictionary } from '../../src/services/text/dictionary-file.ts';
import type { ReadableContext } from '../../src/services/text/readable/readable.ts';
import { MAX_CONTENT, readable } from '../../src/services/text/readable/readable.ts';
import { createSpeechClient } from '../../src/speech/client/client.ts';
import { SpeechError } from '../../src/speech/errors.ts';
import { parseTags, removeTags, spokenText, type TagSyntax } from '../../src/speech/interface/models.ts';
import { silentLog } from '../silent-log.ts';
import { startScriptedServer } from '../speech/client/scripted-server.ts';
import type { Checker, Subject } from './subject.ts';

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}

const unpolluted = () => must(Object.keys(Object.prototype).length === 0, 'All objects have got a property');

/** Texts of which each is judged by itself. */
const judged = (name: string, check: Checker['check'], { mostCpuMs = 50, runs = 400 } = {}): Subject => ({
  ...{ name, kind: 'text', mostCpuMs, runs },
  open: () => ({ check }),
});

const hasNoTags = (words: string, syntax: TagSyntax) => parseTags(words, syntax).every(({ kind }) => kind === 'text');

const SYNTAXES: readonly TagSyntax[] = ['none', 'square-open', 'angle-open', 'closed'];

const tags = judged('tags', (input) => {
  const words = input.toString();
  for (const syntax of SYNTAXES) {
    const segments = parseTags(words, syntax);
    must(segments.map(({ raw }) => raw).join('') === words, 'The segments are not the text');
    must(spokenText(words, syntax).length <= words.length, 'Tags make a text longer');
    must(hasNoTags(removeTags(words, syntax), syntax), 'Taking the tags out makes new ones');
  }
});

const CONTEXT: ReadableContext = {
  locale: 'en-US',
  now: 0,
  tags: 'remove',
  users: (id) => (id.endsWith('1') ? '[laugh] https://name.example/secret <soft>' : undefined),
  channels: () => 'general',
  roles: () => '@everyone',
};

const reader = judged(
  'reader',
  async (input) => {
    const text = await readable(input.toString(), CONTEXT, new Map(), async () => undefined);
    must(text.length <= 2 * MAX_CONTENT, `${text.length} characters to say`);
    must(hasNoTags(text, 'closed'), 'A speech tag');
    must(!/https?:\/\/\w/.test(text), 'An address');
  },
  { mostCpuMs: 200, runs: 300 },
);

const wordsOf = (entries: readonly { from: string; to: string }[]) => entries.map(({ from, to }) => [from, to]);

const dictionaries = judged('dictionaries', async (input) => {
  const read = await importDictionary(input.toString()).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error;
  });
  unpolluted();
  if (!read || read.problems.length > 0) return;
  must(read.entries.length <= MAX_ENTRIES, 'Too many entries');
  const isTooLong = read.entries.some(({ from, to }) => from.length > MAX_FROM || to.length > MAX_TO);
  must(!isTooLong, 'Too long');
  for (const format of ['json', 'tsv'] as const) {
    const again = await importDictionary(exportDictionary(read.entries, format));
    must(isDeepStrictEqual(wordsOf(again.entries), wordsOf(read.entries)), `Lost or changed in ${format}`);
  }
});

const settings = judged('settings', async (input) => {
  try {
    const read = await importSettings(input.toString());
    must(isDeepStrictEqual(await importSettings(exportSettings(read)), read), 'Export and import change it');
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
  }
  unpolluted();
});

/** A made-up key, in each file of the corpus. */
const FILE_KEY = 'fuzz-key-0123456789';

const toml = judged(
  'toml',
  (input) => {
    const content = input.toString();
    try {
      parseConfig(content, 'voice.toml');
      for (const env of [undefined, 'a', '__proto__', 'constructor', 'two words']) {
        const { env: envs, api_key } = parseConfig(setInText(content, { env, key: 'api_key' }, 'new'), 'voice.toml');
        const key = env === undefined ? api_key : Object.getOwnPropertyDescriptor(envs, env)?.value.api_key;
        must(key === 'new', `The key of ${env} is not there`);
      }
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      must(!`${error.message}${error.stack}`.includes(FILE_KEY), 'The key is in the error');
    }
    unpolluted();
  },
  { runs: 300 },
);

const bodies: Subject = {
  name: 'service bodies',
  kind: 'text',
  mostCpuMs: 50,
  runs: 60,
  async open() {
    const server = await startScriptedServer();
    // Some answers ask to be tried again.
    const client = createSpeechClient({ baseUrl: server.url, apiKey: FILE_KEY, requestTimeoutMs: 100, log: silentLog });
    return {
      async check(input) {
        server.script((response) => response.setHeader('content-type', 'application/json').end(input));
        const calls = [
          async () => {
            const voice = { kind: 'id', voiceId: 'v' } as const;
            const { audioUrl, creditsUsed, creditsRemaining } = await client.speak({ input: 'a', voice });
            must(audioUrl instanceof URL, 'No address');
            must(creditsUsed >= 0 && Number.isFinite(creditsUsed), `${creditsUsed} credits used`);
            must(Number.isFinite(creditsRemaining), `${creditsRemaining} credits left`);
          },
          async () => {
            const { voices } = await client.voices();
            must(!voices.some(({ id, name }) => id === '' || name === ''), 'A voice without a name');
          },
          () => client.models(),
          async () => must(Number.isFinite((await client.billing()).creditsLeft), 'No balance'),
        ];
        for (const call of calls) {
          try {
            await call();
          } catch (error) {
            if (!(error instanceof SpeechError)) throw error;
            must(!error.message.includes(FILE_KEY), 'The key is in the error');
          }
        }
        unpolluted();
      },
      async close() {
        await client.close();
        await server.close();
      },
    };
  },
};

export const TEXTS: readonly Subject[] = [tags, reader, dictionaries, settings, toml, bodies];
