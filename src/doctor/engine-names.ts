import { request } from 'undici';
import { readAtMost } from '../network/read-at-most.ts';
import { nearestWord } from '../process/nearest-word.ts';
import { DEFAULT_MODEL, type EngineSettings } from '../speech/engines/engines-file.ts';
import { listedVoices, OPENAI_NAMES, type VoiceList } from '../speech/engines/listed-voices.ts';
import { basePath } from './engines.ts';
import { attention, type Finding, good } from './finding.ts';

/* Voices and models that a server is asked for, against those that it lists. */

const DEADLINE_MS = 10_000;
/** As the engine reads it. */
const MAX_LIST_BYTES = 4 * 1024 * 1024;

interface Server {
  readonly url: string;
  readonly key: string | undefined;
}

/** What a server lists there; undefined where it does not, or in a form that is not known. */
async function listAt(path: string, { url, key }: Server, signal: AbortSignal): Promise<VoiceList | undefined> {
  const address = new URL(url);
  address.pathname = `${basePath(address)}/${path}`;
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  try {
    const { statusCode, body } = await request(address, { headers, signal });
    const bytes = await readAtMost(body, MAX_LIST_BYTES, () => new Error('Its list is too long.'));
    return statusCode === 200 ? listedVoices(bytes.toString()) : undefined;
  } catch {
    // Whether it answers at all is another finding.
    return undefined;
  }
}

/** What may be shown in a terminal of a server's words. */
const isPlain = (name: string): boolean => /^\P{C}{1,100}$/u.test(name);

const MOST_NAMES = 6;

/** The first of a server's names, and how many there are. */
function describeList(names: readonly string[]): string {
  const shown = names.filter(isPlain).slice(0, MOST_NAMES);
  return names.length > shown.length ? `${shown.join(', ')} … (${names.length} in all)` : shown.join(', ');
}

function nearestName(name: string, listed: readonly string[]): string | undefined {
  const plain = listed.filter(isPlain);
  const inSmall = nearestWord(
    name.toLowerCase(),
    plain.map((one) => one.toLowerCase()),
  );
  return plain.find((one) => one.toLowerCase() === inSmall);
}

/** A combined voice of Kokoro-FastAPI, such as af_sky(2)+af_bella, as the voices that are listed. */
const partsOf = (voice: string): string[] =>
  voice
    .replaceAll(' ', '')
    .split(/[-+]/)
    .map((part) => part.replace(/\([\d.]+\)$/, ''));

/** Those of `names` that the server may not know, each with the one that may be meant. */
function unlisted(names: readonly string[], listed: readonly string[]): string[] {
  // An empty list says nothing of what a server takes.
  if (listed.length === 0) return [];
  // OpenAI's voices have their equals at many servers, which do not list them.
  const isKnown = (name: string) => listed.includes(name) || OPENAI_NAMES.includes(name);
  const unknown = names.flatMap((name) => {
    if (isKnown(name)) return [];
    const parts = partsOf(name);
    const missing = parts.filter((part) => !isKnown(part));
    // Names have hyphens of their own, and no plus.
    return missing.length === 0 || name.includes('+') ? missing : [name];
  });
  return [...new Set(unknown)].map((name) => {
    const nearest = nearestName(name, listed);
    return nearest === undefined ? name : `${name} (did you mean ${nearest}?)`;
  });
}

/** How a finding names what was asked for, and what to change. */
interface Words {
  readonly subject: string;
  readonly who: string;
  readonly change: string;
}

interface Asked extends Server {
  readonly model: string | undefined;
  readonly voices: readonly string[];
  /** `ofList` where the voices are those that the server lists, unless some are named. */
  readonly words: { readonly ofModel: Words; readonly ofVoices: Words; readonly ofList?: Words };
}

async function compare({ words, model, voices, ...server }: Asked, signal: AbortSignal): Promise<Finding[]> {
  const inTime = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  const [models, listed] = await Promise.all([
    // A model there is the name of a deployment, which is in no list: https://learn.microsoft.com/azure/ai-foundry/openai/
    isAzure(server.url) ? undefined : listAt('models', server, inTime),
    voices.length === 0 && !words.ofList
      ? undefined
      : listAt('audio/voices', server, inTime).then((list) => list ?? listAt('voices', server, inTime)),
  ]);
  const ofModel = finding([model ?? DEFAULT_MODEL], models, {
    ...words.ofModel,
    means: 'Its texts may fail: some servers take models that they do not list, many do not.',
  });
  const ofVoices = finding(voices, listed, {
    ...words.ofVoices,
    means: 'Texts for such a voice may fail: some servers take voices that they do not list, many do not.',
  });
  const ofList = words.ofList && voices.length === 0 ? [understood(words.ofList, listed)] : [];
  return [...ofModel, ...ofVoices, ...ofList];
}

/** How many of the voices that a server lists can be offered, where nobody has named any. */
function understood({ subject, who, change }: Words, list: VoiceList | undefined): Finding {
  if (list === undefined) return good(subject, `${who} no voices: OpenAI’s are offered`);
  const { voices, entries } = list;
  const found = `${who} ${voices.length === 1 ? '1 voice' : `${voices.length} voices`}`;
  if (voices.length === entries && entries > 0) return good(subject, found);
  return attention(subject, {
    found: `${found} that can be understood, of ${entries}`,
    means: 'The others are not offered.',
    remedy: `To have them, ${change}.`,
  });
}

function finding(
  names: readonly string[],
  list: VoiceList | undefined,
  { subject, who, change, means }: Words & { readonly means: string },
): Finding[] {
  const listed = list?.voices.map(({ name }) => name) ?? [];
  const unknown = unlisted(names, listed);
  if (unknown.length === 0) return [];
  const found = `${who} ${unknown.join(', ')}, which its server does not list`;
  return [attention(subject, { found, means, remedy: `If they fail, ${change}: it lists ${describeList(listed)}.` })];
}

/** Of the only server, by the settings SPEECH_ENGINE_…. */
export async function checkNames(engine: Readonly<Record<string, string>>, signal: AbortSignal): Promise<Finding[]> {
  const { SPEECH_ENGINE_URL: url, SPEECH_ENGINE_KEY: key, SPEECH_ENGINE_MODEL: model, SPEECH_ENGINE_VOICES } = engine;
  if (url === undefined || !isOpenAi(url)) return [];
  const voices = (SPEECH_ENGINE_VOICES?.split(',') ?? []).map((pair) => pair.replace(/^[^=]*=/, '').trim());
  const words = {
    ofModel: {
      subject: 'SPEECH_ENGINE_MODEL',
      who: model === undefined ? 'is not set, and stands for' : 'is',
      change: 'set it to one of that server’s models',
    },
    ofVoices: { subject: 'SPEECH_ENGINE_VOICES', who: 'names', change: 'name one of that server’s voices' },
  };
  return compare({ url, key, model, voices, words }, signal);
}

/** Of each server in the file of engines. */
export async function checkNamesInFile(engines: readonly EngineSettings[], signal: AbortSignal): Promise<Finding[]> {
  const findings = engines.map(async (one) => {
    if (one.kind !== 'openai') return [];
    const { name, url, key, model, voices = [] } = one;
    const subject = 'SPEECH_ENGINES';
    const words = {
      ofModel: {
        subject,
        who: `engine ${name} ${model === undefined ? 'has no model, and asks for' : 'has the model'}`,
        change: 'set its model to one of that server’s',
      },
      ofVoices: {
        subject,
        who: `engine ${name} names`,
        change: 'set server_name (without one, name) to one of that server’s voices',
      },
      ofList: { subject, who: `engine ${name} lists`, change: 'name them in the file of engines ([[engines.voices]])' },
    };
    const asked = voices.map((voice) => voice.server_name ?? voice.name);
    return compare({ url, key, model, words, voices: asked }, signal);
  });
  return (await Promise.all(findings)).flat();
}

const isAzure = (url: string): boolean => /\.azure\.com$/i.test(new URL(url).hostname);

const isOpenAi = (url: string): boolean => /^https?:/i.test(url);
