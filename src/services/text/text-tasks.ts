import { LRUCache } from 'lru-cache';
import { type LanguageDetector, loadLanguageDetector } from '../../language/detection.ts';
import { type BlockedWordsRules, createBlockedWords } from './blocked-words.ts';
import { type DictionaryImport, importDictionary } from './dictionary-file.ts';
import { createDictionary, type DictionaryEntry } from './dictionary-rules.ts';
import type { ReadableAttachment, ReadableContext } from './readable/context.ts';
import { readable } from './readable/readable.ts';
import { type ServerWords, serverWords, type WordRules, type WordsHow } from './server-words.ts';

/** Work on a text as plain data, for the text thread. */
export type TextTask =
  | { readonly kind: 'readable'; readonly written: string; readonly context: PlainContext }
  | { readonly kind: 'server-words'; readonly words: string; readonly how: WordsHow; readonly rules: PlainRules }
  | { readonly kind: 'import'; readonly file: string }
  | { readonly kind: 'language'; readonly words: string; readonly likely: readonly string[] };

export interface TextResults {
  readonly readable: string;
  readonly 'server-words': ServerWords;
  readonly import: DictionaryImport;
  readonly language: string | undefined;
}

type Names = ReadonlyMap<string, string>;

/** A context with the names that a text can mention, instead of functions. */
interface PlainContext {
  readonly locale: string;
  readonly now: number;
  readonly timeZone: string | undefined;
  readonly tags: 'keep' | 'remove' | undefined;
  readonly attachments: readonly ReadableAttachment[] | undefined;
  readonly stickers: readonly string[] | undefined;
  readonly replyTo: string | undefined;
  readonly emojiNames: Names | undefined;
  readonly users: Names;
  readonly channels: Names;
  readonly roles: Names;
}

interface PlainRules extends BlockedWordsRules {
  /** JSON: a string is handed over faster than a thousand entries. */
  readonly dictionary: string;
}

/** Compiled rules of so many servers are kept. */
const KEPT_RULES = 50;

/** Does the tasks of a thread; keeps the compiled rules of the servers that were used last. */
export function createTextTasks() {
  const compiled = new LRUCache<string, WordRules>({ max: KEPT_RULES });

  function rulesOf(plain: PlainRules): WordRules {
    const key = JSON.stringify(plain);
    const known = compiled.get(key);
    if (known) return known;
    const rules = compile(plain);
    compiled.set(key, rules);
    return rules;
  }

  let detector: Promise<LanguageDetector> | undefined;

  return (task: TextTask): TextResults[TextTask['kind']] | Promise<TextResults['language']> => {
    if (task.kind === 'language') {
      const { words, likely } = task;
      detector ??= loadLanguageDetector();
      return detector.then(({ detect }) => detect(words, likely));
    }
    if (task.kind === 'readable') return readable(task.written, contextOf(task.context));
    if (task.kind === 'import') return importDictionary(task.file);
    return serverWords(task.words, rulesOf(task.rules), task.how);
  };
}

const compile = ({ dictionary, ...blocked }: PlainRules): WordRules => ({
  blocked: createBlockedWords(blocked),
  dictionary: createDictionary(JSON.parse(dictionary) as readonly DictionaryEntry[]),
});

const contextOf = ({ users, channels, roles, ...context }: PlainContext): ReadableContext => ({
  ...(context as Omit<ReadableContext, 'users' | 'channels' | 'roles'>),
  users: (id) => users.get(id),
  channels: (id) => channels.get(id),
  roles: (id) => roles.get(id),
});

/** Whatever a text can mention is named in it by its id. */
export function plainContext(written: string, context: ReadableContext): PlainContext {
  const ids = new Set(written.match(/\d+/gu));
  const namesOf = (kind: 'users' | 'channels' | 'roles'): Names => {
    const names = new Map<string, string>();
    for (const id of ids) {
      const name = context[kind](id);
      if (name !== undefined) names.set(id, name);
    }
    return names;
  };
  const { locale, now, timeZone, tags, attachments, stickers, replyTo, emojiNames } = context;
  const names = { users: namesOf('users'), channels: namesOf('channels'), roles: namesOf('roles') };
  return { locale, now, timeZone, tags, attachments, stickers, replyTo, emojiNames, ...names };
}
