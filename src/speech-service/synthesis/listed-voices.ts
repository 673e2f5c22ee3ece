import { createHash } from 'node:crypto';
import { parseJson } from '../../speech/interface/schemas.ts';

/** OpenAI's voices are listed here, because its server has no voice list: https://platform.openai.com/docs/guides/text-to-speech */
export const OPENAI_NAMES: readonly string[] = [
  ...['alloy', 'ash', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'],
];

export interface ServerVoice {
  readonly name: string;
  readonly languages?: readonly string[];
}

/** Fields that may hold a voice's name in the list of a speech server. Requests send the first one that is present. */
const NAMES = ['id', 'voice_id', 'voiceId', 'voice', 'name', 'ShortName'] as const;
const LANGUAGES = ['languages', 'language', 'locale'] as const;

type Fields = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const isObject = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Takes a name, or an object with a name and perhaps languages, from a server's voice list; otherwise undefined. */
export function listedVoice(entry: unknown): ServerVoice | undefined {
  if (isText(entry)) return { name: entry };
  if (!isObject(entry)) return undefined;
  const name = NAMES.map((key) => entry[key]).find(isText);
  const languages = [LANGUAGES.map((key) => entry[key]).find((value) => value != null)].flat().filter(isText);
  return name === undefined ? undefined : { name, languages: languages.length > 0 ? languages : undefined };
}

/** Reads a server's voice list without the entries that have no name. Returns undefined if the list's form is unknown. */
export function listedVoices(text: string): ServerVoice[] | undefined {
  const answer = parseJson(text);
  const { voices, data }: Fields = isObject(answer) ? answer : {};
  const list = [answer, voices, data].find(Array.isArray) ?? namedEntries(voices);
  return list?.flatMap((entry) => listedVoice(entry) ?? []);
}

/** Reads voice lists with names as keys (`{ "anna": { … } }`) or languages as keys (`{ "en": ["anna"] }`). */
function namedEntries(voices: unknown): readonly unknown[] | undefined {
  const entries = isObject(voices) ? Object.entries(voices) : [];
  const named = entries.flatMap(([id, facts]): readonly unknown[] => {
    if (Array.isArray(facts)) return facts;
    return isObject(facts) ? [{ ...facts, id }] : [];
  });
  return named.length > 0 ? named : undefined;
}

/** Makes the same voice id on every machine and in every version: a name-based UUID (RFC 9562, version 5 layout). */
export function voiceIdOf(model: string, name: string): string {
  const hex = createHash('sha1').update(`crier speech service voice ${model} ${name}`).digest('hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
