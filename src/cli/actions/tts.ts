import { join, parse } from 'node:path';
import type { AudioFile, FileFormat } from '../../sound/audio-file.ts';
import { MODEL_IDS, modelRules } from '../../speech/interface/models.ts';
import {
  requestIssues,
  requestWarnings,
  type SpeechRequest,
  sentStyle,
  type Voice,
} from '../../speech/interface/schemas.ts';
import { type CliSession, type ConnectionFlags, withSession } from '../config/session.ts';
import { type OutputFile, prepareOutput, readText, saveOutput, wantedFormat } from '../speech/files.ts';
import {
  planSpeaking,
  type SavedSpeech,
  type SpeakingPlan,
  speakParts,
  tagWarnings,
  tellSpent,
  type Wording,
} from '../speech/speak-parts.ts';
import {
  inItsCase,
  LIST_DEADLINE_MS,
  type MatchedVoice,
  matchVoice,
  mustHaveVoices,
  namedVoice,
  suggestVoices,
  type VoiceFlags,
} from '../speech/voice-match.ts';
import {
  counted,
  failure,
  type Interrupt,
  interruptible,
  inWords,
  isSpeechError,
  issueInWords,
  json,
  note,
  number,
  plain,
  print,
  printBytes,
  styled,
  usageError,
  warn,
  warningInWords,
} from '../terminal/terminal.ts';
import { findPlayers, type Player, playAudio, playerFor } from './play.ts';

export interface SpeechFlags extends ConnectionFlags, VoiceFlags {
  readonly file?: string;
  readonly format?: string;
  readonly style?: string;
  readonly seed?: string;
  readonly temperature?: string;
  readonly speed?: string;
}

interface TtsFlags extends SpeechFlags {
  readonly output?: string;
  readonly play: boolean;
  readonly force: boolean;
  readonly json: boolean;
}

export function tts(words: readonly string[], flags: TtsFlags): Promise<void> {
  return interruptible((interrupt) => speakAndDeliver(words, flags, interrupt));
}

async function speakAndDeliver(words: readonly string[], flags: TtsFlags, interrupt: Interrupt): Promise<void> {
  const { signal } = interrupt;
  // All checks that cost nothing run before anything is billed.
  const format = wantedFormat(flags.format, flags.output);
  const parameters = readParameters(flags);
  namedVoice(flags);
  const text = await readText(words, flags.file, signal);
  if (flags.output === '-' && process.stdout.isTTY)
    throw usageError('-o - writes audio: send it into a pipe or a file.');
  const players = flags.play || flags.output === undefined ? findPlayers() : undefined;
  const output =
    flags.output === undefined || flags.output === '-'
      ? flags.output
      : await prepareOutput(flags.output, { force: flags.force, format: format ?? usualFormat(flags) }, interrupt);
  await withSession(flags, async (session) => {
    if (players?.length === 0) playerFor(format ?? 'wav', players);
    const order = { text, format, parameters, players };
    const { voice, request, player, plan } = await prepare(session, flags, order, signal);
    announce(plan, voice);
    const spoken = await speak(session, { voice, request, plan, output }, flags, interrupt);
    const file = await deliver(spoken, output, signal);
    if (format !== undefined && spoken.audio.format !== format) {
      warn(`The service sent ${spoken.audio.format.toUpperCase()}, not ${format.toUpperCase()}.`);
    }
    // With --json, the summary is printed after playing: if playing fails, the audio is saved, and the summary names the file.
    const summarizesLast = player !== undefined && flags.json;
    if (!summarizesLast) summarize(spoken, flags, file);
    if (player === undefined) return;
    let kept: string | undefined;
    try {
      const { audio } = spoken;
      await playAudio(audio.format === format ? player : playerFor(audio.format, players), audio, signal);
    } catch (error) {
      if (!signal.aborted && flags.output === undefined) kept = await keep(spoken, signal, error);
      throw error;
    } finally {
      if (summarizesLast) summarize(spoken, flags, file ?? kept);
    }
  });
}

/** The ending of suggested file names before the voice is known. All models but one can make WAV. */
function usualFormat({ modelId }: SpeechFlags): FileFormat {
  const { known, formats } = modelRules(modelId);
  return known ? formats[0] : 'wav';
}

export function readParameters({ style, seed, temperature, speed }: SpeechFlags): Partial<SpeechRequest> {
  const number = (typed: string | undefined) => (typed ? Number(typed.trim() || 'none') : undefined);
  const parameters = { style, seed: number(seed), temperature: number(temperature), speed: number(speed) };
  const issues = requestIssues({ input: 'x', voice: { kind: 'id', voiceId: 'x' }, ...parameters });
  if (issues.length > 0) throw usageError(issues.map(issueInWords).join('\n'));
  return parameters;
}

interface Order {
  readonly text: string;
  readonly format: FileFormat | undefined;
  readonly parameters: Partial<SpeechRequest>;
  readonly players: readonly Player[] | undefined;
}

async function prepare(session: CliSession, flags: TtsFlags, order: Order, signal: AbortSignal) {
  const { text, parameters, players } = order;
  const voice = await matchVoice(session.client, flags, { ...order, style: parameters.style, signal });
  const rules = modelRules(voice.model);
  let { format } = order;
  let player: Player | undefined;
  if (players !== undefined) {
    const formats = format === undefined ? rules.formats : [format];
    const playable = formats.find((candidate) => players.some((one) => one.formats.includes(candidate)));
    player = playerFor(playable ?? formats[0] ?? 'wav', players);
    if (format === undefined && playable !== rules.formats[0]) format = playable;
  }
  const request = { ...parameters, voice: voice.selection, responseFormat: format };
  const [issue] = requestIssues({ ...request, input: text });
  if (issue?.problem === 'unsupported') {
    const others = MODEL_IDS.filter((id) => format !== undefined && modelRules(id).formats.includes(format));
    throw usageError(
      `${plain(voice.name)} (${plain(voice.model ?? '')}) only supports ${issue.allowed.join(' and ')}.`,
      `Other models make ${format}: ${others.map((id) => `-m ${id}`).join(', ')}.`,
    );
  }
  if (issue !== undefined) throw usageError(issueInWords(issue));
  for (const warning of requestWarnings({ ...request, input: text })) warn(warningInWords(warning));
  for (const warning of tagWarnings(text, voice.model)) warn(plain(warning));
  const style = sentStyle({ ...request, input: text });
  const plan = await planSpeaking(text, { model: voice.model, style }, session.client.models, signal);
  return { voice, request, player, plan };
}

const named = ({ name, model }: { readonly name: string; readonly model: string | undefined }): string =>
  plain(model === undefined ? name : `${name} (${model})`);

export function tellDefault(voice: MatchedVoice): void {
  if (voice.isDefault) note(`Voice: ${named(voice)}; -v and -m choose another.`);
}

function announce(plan: SpeakingPlan, voice: MatchedVoice): void {
  tellDefault(voice);
  if (plan.parts.length > 1) {
    note(
      `The text is over the limit of ${number(plan.limit ?? 0)} characters: it takes ${counted(plan.parts.length, 'request')} ` +
        `and ${counted(plan.billedCharacters, 'billed character')}.`,
    );
  }
}

interface Wanted {
  readonly voice: MatchedVoice;
  readonly request: Wording;
  readonly plan: SpeakingPlan;
  readonly output: OutputFile | '-' | undefined;
}

/** How long saving billed audio may take. Ctrl-C does not end it, because the audio would be lost. */
const KEEPING_DEADLINE_MS = 10_000;

function keepPart(output: OutputFile | undefined, { format, bytes }: AudioFile): Promise<string> {
  const { dir, name, ext } = parse(output?.path ?? 'speech');
  const path = join(dir, `${name}-part${ext || `.${format}`}`);
  return saveOutput({ path, mayReplace: false }, bytes, AbortSignal.timeout(KEEPING_DEADLINE_MS));
}

interface Spoken extends SavedSpeech {
  readonly voice: MatchedVoice;
  readonly instead: readonly Voice[];
}

async function speakersInstead(
  parts: SavedSpeech['parts'],
  client: CliSession['client'],
  signal: AbortSignal,
): Promise<readonly Voice[]> {
  const ids = new Set(parts.flatMap(({ spokenBy }) => spokenBy ?? []));
  if (ids.size === 0) return [];
  // The audio is already billed, so it is delivered even if the list with the substitute voices' names fails to load.
  const listed = await client.voices({ signal, deadlineMs: LIST_DEADLINE_MS }).catch(() => undefined);
  return (listed?.voices ?? []).filter(({ id }) => ids.has(id));
}

async function speak(session: CliSession, wanted: Wanted, flags: TtsFlags, interrupt: Interrupt): Promise<Spoken> {
  const { client, baseUrl } = session;
  const { voice, request, plan, output } = wanted;
  const { signal } = interrupt;
  try {
    const spoken = await speakParts({
      client,
      request,
      texts: plan.parts,
      allowHttp: baseUrl.protocol === 'http:',
      signal,
      verbose: flags.verbose,
      // A program that reads stdout would take incomplete audio for the whole text, so stdout gets nothing if a part fails.
      keep: output === '-' ? undefined : (audio) => keepPart(output, audio),
    });
    return { ...spoken, voice, instead: await speakersInstead(spoken.parts, client, signal) };
  } catch (error) {
    if (!isSpeechError(error) || error.kind !== 'voice-not-found') throw error;
    const listed = await client.voices({ signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (listed) mustHaveVoices(listed.voices);
    const meant = listed && inItsCase(voice, listed.voices);
    if (meant) {
      return speak(
        session,
        { ...wanted, voice: meant, request: { ...request, voice: meant.selection } },
        flags,
        interrupt,
      );
    }
    const told = inWords(error);
    throw listed === undefined
      ? told
      : Object.assign(told, { hint: suggestVoices(voice.name, voice.model, listed.voices) });
  }
}

/** Resolves with the path of a written file. If writing fails, prints the audio's addresses and throws. */
async function deliver(
  { audio, parts }: SavedSpeech,
  output: OutputFile | '-' | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (output === undefined) return undefined;
  try {
    if (output === '-') {
      await printBytes(audio.bytes, signal);
      return undefined;
    }
    const file = await saveOutput(output, audio.bytes, signal);
    if (file !== output.path) warn(`${output.path} was created in the meantime and was not overwritten.`);
    return file;
  } catch (error) {
    tellSpent(parts, { requests: parts.length, error: signal.aborted ? signal.reason : error });
    signal.throwIfAborted();
    const where = output === '-' ? 'standard output' : output.path;
    throw failure(
      `The speech was generated, but ${where} cannot be written to (${(error as NodeJS.ErrnoException).code ?? error}).`,
    );
  }
}

async function keep({ audio, parts }: SavedSpeech, signal: AbortSignal, error: unknown): Promise<string | undefined> {
  try {
    const file = await saveOutput({ path: `speech.${audio.format}`, mayReplace: false }, audio.bytes, signal);
    note(`It could not be played and was saved to ${file}: voice play ${file} plays it without paying again.`);
    return file;
  } catch (unsaved) {
    warn(`It cannot be saved here either (${(unsaved as NodeJS.ErrnoException).code ?? unsaved}).`);
    tellSpent(parts, { requests: parts.length, error });
    return undefined;
  }
}

function tellInstead({ parts, voice, instead }: Spoken): void {
  const ids = new Set(parts.flatMap(({ spokenBy }) => spokenBy ?? []));
  for (const id of ids) {
    const other = instead.find((one) => one.id === id);
    const who = other === undefined ? `another voice (${plain(id)})` : named(other);
    warn(`${named(voice)} was not available: ${who} spoke in its place.`);
  }
}

function summarize(spoken: Spoken, flags: TtsFlags, file: string | undefined): void {
  tellInstead(spoken);
  const { audio, parts, voice } = spoken;
  const speaker = (spokenBy: string | undefined) => {
    const other = spoken.instead.find(({ id }) => id === spokenBy);
    return {
      spoken_by: spokenBy ?? null,
      spoken_by_voice: other?.name ?? null,
      spoken_by_model: other?.model ?? null,
    };
  };
  const creditsUsed = parts.reduce((sum, part) => sum + part.creditsUsed, 0);
  const last = parts.at(-1);
  const seconds = Math.round(audio.seconds * 1000) / 1000;
  if (flags.json) {
    const line = json({
      url: parts[0]?.url ?? null,
      voice: voice.name,
      model: voice.model ?? last?.model ?? null,
      format: audio.format,
      bytes: audio.bytes.length,
      seconds,
      credits_used: creditsUsed,
      credits_remaining: last?.creditsRemaining ?? null,
      request_id: parts[0]?.requestId ?? null,
      ...speaker(parts.find(({ spokenBy }) => spokenBy !== undefined)?.spokenBy),
      file: file ?? null,
      parts:
        parts.length === 1
          ? undefined
          : parts.map((part) => ({
              url: part.url,
              credits_used: part.creditsUsed,
              request_id: part.requestId ?? null,
              ...speaker(part.spokenBy),
            })),
    });
    // With `-o -`, stdout carries the audio, so the JSON line goes to stderr.
    if (flags.output === '-') note(line);
    else print(line);
    return;
  }
  const where = file === undefined ? '' : ` to ${file}`;
  const credits = `${counted(creditsUsed, 'credit')} used, ${number(last?.creditsRemaining ?? 0)} left`;
  // The report does not say 'Played', because playing comes later and may fail.
  const verb = file === undefined ? 'Generated' : 'Saved';
  note(
    `${verb} ${seconds.toFixed(1)} s of ${audio.format.toUpperCase()}${where}; ${styled('bold', credits, process.stderr)}.`,
  );
}
