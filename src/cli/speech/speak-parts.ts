import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import {
  announcedWaitMs,
  MAX_REDIRECTS,
  mayPassStatus,
  pauseAfter,
  REPEATED_FOR_MS,
  readAtMost,
  redirectTarget,
} from '../../network/downloads.ts';
import { type AudioFile, joinAudio, readAudio } from '../../sound/audio-file.ts';
import type { SpeechClient, SpeechResult } from '../../speech/client/client.ts';
import {
  DEFAULT_MAX_INPUT_LENGTH,
  inputLimit,
  modelRules,
  parseTags,
  styleCharacters,
} from '../../speech/interface/models.ts';
import { requestCharacters, type SpeechRequest } from '../../speech/interface/schemas.ts';
import { splitText } from '../../speech/split.ts';
import { createProgress } from '../terminal/table.ts';
import {
  CliError,
  counted,
  EXIT,
  failure,
  inWords,
  isSpeechError,
  note,
  number,
  plain,
  usageError,
  warn,
} from '../terminal/terminal.ts';

export type SpeakingPlan = Awaited<ReturnType<typeof planSpeaking>>;

/**
 * Splits a text that is longer than the service allows. `billedCharacters` is what the service bills: the UTF-16 units
 * of the text, with speech tags such as <slow>, and those of --style once per part, if the model bills styles.
 */
export async function planSpeaking(
  text: string,
  voice: { model: string | undefined; style: string | undefined },
  models: SpeechClient['models'],
  signal: AbortSignal,
) {
  const { model, style } = voice;
  const styleUnits = styleCharacters(model, style);
  const counted = text.length + styleUnits;
  if (counted <= DEFAULT_MAX_INPUT_LENGTH) return { parts: [text], billedCharacters: counted, limit: undefined };
  const limit = inputLimit(model, (await models({ signal })).models);
  if (counted <= limit) return { parts: [text], billedCharacters: counted, limit };
  const room = limit - styleUnits;
  let parts: string[];
  try {
    parts = splitText(text, { room, syntax: modelRules(model).tags, aims: [] });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(
      `The style leaves ${Math.max(0, room)} of ${limit} characters for the text.`,
      'Use a shorter --style: it counts with every request.',
    );
  }
  const billedCharacters = parts.reduce((sum, part) => sum + part.length + styleUnits, 0);
  return { parts, billedCharacters, limit };
}

export function tagWarnings(text: string, model: string | undefined): string[] {
  const stray = parseTags(text, modelRules(model).tags).filter(({ kind }) => kind === 'stray');
  const [first, second, ...others] = new Set(stray.map(({ raw }) => raw));
  if (first === undefined) return [];
  if (second === undefined) return [`${first} is not a whole tag and will be read aloud.`];
  const who =
    others.length === 0 ? `${first} and ${second}` : `${first}, ${second} and ${counted(others.length, 'other')}`;
  return [`${who} are not whole tags and will be read aloud.`];
}

type SpokenPart = ReturnType<typeof partOf>;
const partOf = ({ audioUrl, warnings: _, ...rest }: SpeechResult) => ({ url: audioUrl.href, ...rest });

export type SavedSpeech = Awaited<ReturnType<typeof speakParts>>;
export type Wording = Omit<SpeechRequest, 'input'>;

interface SpeakOptions {
  readonly client: SpeechClient;
  readonly request: Wording;
  readonly texts: readonly string[];
  readonly allowHttp: boolean;
  readonly signal: AbortSignal;
  readonly verbose: boolean;
  /** Saves the finished parts if a later part of the text fails; resolves with the file's path. */
  readonly keep: ((audio: AudioFile) => Promise<string>) | undefined;
}

export async function speakParts(options: SpeakOptions) {
  const { client, texts, signal } = options;
  const progress = createProgress();
  const parts: SpokenPart[] = [];
  const files: AudioFile[] = [];
  const characters = (input: string) => requestCharacters({ ...options.request, input });
  let leastPrice = Number.POSITIVE_INFINITY;
  try {
    for (const [index, input] of texts.entries()) {
      const which = texts.length === 1 ? '' : ` part ${index + 1} of ${texts.length}`;
      progress.show(`Generating speech${which} …`);
      const result = await client.speak(
        { ...options.request, input },
        {
          signal,
          retryForMs: Number.POSITIVE_INFINITY,
          onProgress(step) {
            const tried = step.kind === 'waiting' ? `: retrying for ${Math.ceil(step.triedForMs / 1_000)} s` : '';
            progress.show(`Generating speech${which}${tried} …`);
          },
        },
      );
      parts.push(partOf(result));
      files.push(
        await download(result.audioUrl, {
          signal,
          allowHttp: options.allowHttp,
          onProgress: (bytes) => progress.show(`Downloading${which} … ${number(Math.ceil(bytes / 1024))} kB`),
          onRetry: (attempt, reason) => {
            if (options.verbose) note(`download attempt ${attempt} failed: ${reason}`);
          },
        }),
      );
      // `leastPrice` is a lower bound: `creditsUsed - 1` allows for rounding up, the minimum of all parts for a cheaper substitute voice.
      leastPrice = Math.min(leastPrice, (result.creditsUsed - 1) / characters(input));
      mustSuffice(result.creditsRemaining, leastPrice, texts.slice(index + 1));
    }
    const audio = joinAudio(files);
    if (audio === undefined) throw failure('The parts came in different formats and cannot be joined.');
    return { audio, parts };
  } catch (error) {
    progress.clear();
    const kept = texts.length > 1 ? await keepFirst(files, options) : undefined;
    tellSpent(parts, { requests: texts.length, error, kept });
    if (error instanceof DownloadError) {
      const hint = error.isGone ? ' A service keeps no audio of a text whose engine broke off.' : '';
      throw failure(`The speech was generated, but ${error.message}.${hint}`);
    }
    signal.throwIfAborted();
    throw parts.length > 0 && isSpeechError(error) ? inTheMiddle(inWords(error)) : error;
  } finally {
    progress.clear();
  }
}

/** Throws if the credits left cannot pay for the other parts: a later failure wastes more, as a new run buys all parts again. */
function mustSuffice(creditsLeft: number, leastPrice: number, texts: readonly string[]): void {
  // The cost leaves out the style's characters, because a substitute voice may ignore the style.
  const cost = texts.reduce((sum, { length }) => sum + Math.max(0, Math.ceil(length * leastPrice)), 0);
  // A negative balance shows that the account may go below zero, so the balance limits nothing.
  if (cost <= creditsLeft || creditsLeft < 0) return;
  throw new CliError(
    EXIT.noCredits,
    `The rest of the text costs ${counted(cost, 'credit')} or more, and ${number(creditsLeft)} are left: it was not sent.`,
    'voice credits shows the balance. Running the command again generates all parts again, and all are billed again.',
  );
}

type Kept = Awaited<ReturnType<typeof keepFirst>>;

async function keepFirst(files: readonly AudioFile[], { keep }: SpeakOptions) {
  const audio = joinAudio(files);
  if (audio === undefined || keep === undefined) return undefined;
  try {
    return { file: await keep(audio), parts: files.length };
  } catch (error) {
    warn(`What was made cannot be saved (${(error as NodeJS.ErrnoException).code ?? error}).`);
    return undefined;
  }
}

/** After the first part, the exit code never means 'nothing was spent, try again': parts are already billed. */
function inTheMiddle(told: CliError): CliError {
  if (told.exitCode !== EXIT.unavailable) return told;
  return new CliError(
    EXIT.failed,
    told.message,
    'Running the command again generates all parts again, and all are billed again.',
  );
}

export function tellSpent(
  parts: readonly SpokenPart[],
  { requests, error, kept }: { readonly requests: number; readonly error: unknown; readonly kept?: Kept },
): void {
  const isLost = (error as { creditsMayBeSpent?: unknown }).creditsMayBeSpent === true;
  const isStopped =
    (error as { kind?: unknown; name?: unknown }).kind === 'aborted' || (error as Error).name === 'InterruptedError';
  if (isStopped) note('Stopped.');
  if (parts.length > 0) {
    const credits = parts.reduce((sum, part) => sum + part.creditsUsed, 0);
    const done = requests === 1 ? '' : ` on ${parts.length} of ${requests} requests`;
    const isGone = error instanceof DownloadError && error.isGone;
    const elsewhere = parts.slice(kept?.parts, isGone ? -1 : undefined);
    const inFile =
      kept === undefined
        ? ''
        : ` The audio of the first ${kept.parts === 1 ? 'part' : counted(kept.parts, 'part')} is in ${kept.file}.`;
    const atAddresses = elsewhere.length === 0 ? '' : kept === undefined ? ' The audio is at:' : ' The rest is at:';
    const spent = `${counted(credits, 'credit')} ${credits === 1 ? 'was' : 'were'} already spent${done}.`;
    warn(`${spent}${plain(inFile)}${atAddresses}`);
    for (const part of elsewhere)
      note(plain(`  ${part.url}${part.requestId === undefined ? '' : ` (${part.requestId})`}`));
    const unheard = isGone ? parts.at(-1)?.requestId : undefined;
    if (unheard !== undefined)
      note(plain(`The request id of the audio that is gone, for the service's support: ${unheard}`));
    if (isLost && isStopped) note('The request in progress may have been billed as well.');
  } else if (isStopped) {
    note(isLost ? 'The request in progress may have been billed: check voice credits.' : 'Nothing was spent.');
  }
}

/** The maximum size of a download, about three hours of speech: an hour of mono WAV at 24 kHz has about 170 MB. */
const MAX_BYTES = 512 * 1024 * 1024;
/** A download that fails temporarily gets at least four attempts, unless the host's Retry-After reaches past REPEATED_FOR_MS. */
const MIN_ATTEMPTS = 4;
const TOTAL_TIMEOUT_MS = 300_000;
const IDLE_TIMEOUT_MS = 30_000;

export class DownloadError extends Error {
  override readonly name = 'DownloadError';
  readonly isPermanent: boolean;
  readonly isGone: boolean;
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: Partial<DownloadError> = {}) {
    super(message);
    this.isPermanent = facts.isPermanent ?? false;
    this.isGone = facts.isGone ?? false;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

const refused = (message: string) => new DownloadError(message, { isPermanent: true });

interface DownloadOptions {
  readonly signal: AbortSignal;
  /** True if the speech service itself is reached over http. */
  readonly allowHttp: boolean;
  readonly onProgress: (bytes: number) => void;
  readonly onRetry: (attempt: number, reason: string) => void;
}

/** Downloads audio without sending the API key, and retries temporary failures, because downloads are free. */
export async function download(url: URL, options: DownloadOptions): Promise<AudioFile> {
  if (!mayAsk(url, options)) throw refused(`the audio's address is not https but ${url.protocol.slice(0, -1)}`);
  const agent = new Agent({ connectTimeout: 10_000 });
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(TOTAL_TIMEOUT_MS)]);
  const lastStartAtMs = performance.now() + REPEATED_FOR_MS;
  try {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetchOnce(url, agent, signal, options);
      } catch (error) {
        options.signal.throwIfAborted();
        const failed = asDownloadError(error);
        const pauseMs = pauseAfter(attempt, failed.retryAfterMs);
        const isLate = performance.now() + pauseMs > lastStartAtMs;
        const isLast = isLate && (attempt >= MIN_ATTEMPTS || failed.retryAfterMs !== undefined);
        if (failed.isPermanent || isLast || signal.aborted) throw failed;
        options.onRetry(attempt, failed.message);
        await sleep(pauseMs, undefined, { signal: options.signal }).catch(() => options.signal.throwIfAborted());
      }
    }
  } finally {
    await agent.destroy();
  }
}

const mayAsk = ({ protocol }: URL, { allowHttp }: DownloadOptions): boolean =>
  protocol === 'https:' || (allowHttp && protocol === 'http:');

async function answerOf(first: URL, agent: Agent, signal: AbortSignal, options: DownloadOptions) {
  let url = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const response = await request(url, {
      dispatcher: agent,
      signal,
      // Some audio hosts reject requests without a user agent.
      headers: { 'user-agent': 'crier-voice', accept: 'audio/*', 'accept-encoding': 'identity' },
      headersTimeout: IDLE_TIMEOUT_MS,
      bodyTimeout: IDLE_TIMEOUT_MS,
    });
    const target = redirectTarget(url, response);
    if (!target) return response;
    response.body.on('error', () => undefined).destroy();
    if (!mayAsk(target, options)) throw refused("the audio's host redirects to an address that is not https");
    if (target.username !== '' || target.password !== '') throw refused("the audio's host redirects with a password");
    url = target;
  }
  throw refused(`the audio's host redirects more than ${MAX_REDIRECTS} times`);
}

async function fetchOnce(url: URL, agent: Agent, signal: AbortSignal, options: DownloadOptions): Promise<AudioFile> {
  const response = await answerOf(url, agent, signal, options);
  const { statusCode, headers } = response;
  if (statusCode !== 200) {
    response.body.on('error', () => undefined).destroy();
    throw new DownloadError(`the audio's host answered ${statusCode}`, {
      isPermanent: !mayPassStatus(statusCode),
      isGone: statusCode === 404 || statusCode === 410,
      retryAfterMs: announcedWaitMs(headers, 'retry-after', Date.now()),
    });
  }
  const tooLarge = () => refused('the audio is too large');
  const bytes = await readAtMost(response.body, MAX_BYTES, tooLarge, options.onProgress).catch((error: unknown) => {
    throw asDownloadError(error, "the audio's host broke off");
  });
  try {
    return readAudio(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw new DownloadError(`the audio cannot be used: ${error.message}`);
    throw error;
  }
}

function asDownloadError(error: unknown, words = "the audio's host was not reached"): DownloadError {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof DownloadError) return cause;
  }
  const { code, name } = error as { code?: unknown; name?: unknown };
  return new DownloadError(`${words} (${typeof code === 'string' ? code : name})`);
}
