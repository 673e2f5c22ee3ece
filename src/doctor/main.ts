// `npm run doctor`: compares the bot's needs with this machine, with a remedy for each difference.
// Exit 0 when the bot can run, 1 when it cannot, 2 when this was called wrongly. `--json`: one line on stdout. Discord is asked for an answer only; `--live`: also what the token allows to see, changing nothing.
import '../process/v8-workarounds.ts';
import type { Config } from '../config/config.ts';
import { flagsOrExit } from '../process/flags.ts';
import { commandOf } from '../process/package.ts';
import { attention, blocking, canRun, describeFindings, type Finding, reason } from './finding.ts';
import { checkNode, checkPackages, installedVersion } from './runtime.ts';

const DEADLINE_MS = 60_000;

/** A check that throws is a finding too. */
async function attempt(subject: string, check: () => Finding | Promise<Finding>): Promise<Finding> {
  try {
    return await check();
  } catch (error) {
    return failed(subject, error);
  }
}

const failed = (subject: string, error: unknown): Finding =>
  blocking(subject, { found: reason(error), means: 'The bot would fail in the same way.', remedy: undefined });

/** Everything that needs the packages; loaded only when they are there. */
async function checkBot(live: boolean, signal: AbortSignal): Promise<Finding[]> {
  const { checkSettings } = await import('./configuration.ts');
  const { findings, config, wrong } = checkSettings(process.env);
  const speechIsUnclear = (
    ['VOICE_API_URL', 'VOICE_API_KEY', 'VOICE_AUTH_HEADER_PREFIX', 'SPEECH_ENGINES', 'SPEECH_ENGINE_URL'] as const
  ).some((variable) => wrong.has(variable));
  const { checkDave, checkFfmpeg, checkOpus, checkVoiceLibrary } = await import('./voice.ts');
  const found = [
    await attempt('Opus encoder', () => checkOpus()),
    await attempt('ffmpeg', () => checkFfmpeg(config.audio.ffmpegPath, signal)),
  ];
  const dave = await attempt('DAVE', () => checkDave());
  found.push(dave);
  // The library loads DAVE, too, and fails later than it can be caught.
  if (dave.verdict !== 'blocking') found.push(await attempt('voice library', () => checkVoiceLibrary()));
  // Wrong settings are among the settings' findings.
  found.push(...(await checkData(config, wrong.has('DATA_DIR'), signal)));
  if (!speechIsUnclear) found.push(...(await checkSpeech(config, !wrong.has('DATA_DIR'), signal)));
  found.push(...findings);
  if (live && wrong.has('DISCORD_TOKEN')) {
    found.push(
      attention('--live', {
        found: 'asks Discord with the token of the bot, but DISCORD_TOKEN is missing, or is no token',
        means: 'What the token gives access to was not checked.',
        remedy: `Set it, then run ${commandOf('doctor', '--live')} again.`,
      }),
    );
  }
  if (!wrong.has('DISCORD_API_URL'))
    found.push(...(await askDiscord(config, live && !wrong.has('DISCORD_TOKEN'), signal)));
  return found;
}

async function checkData({ dataDir, store }: Config, isWrong: boolean, signal: AbortSignal): Promise<Finding[]> {
  const { checkDataFolder, checkSharedStore, checkStore } = await import('./store.ts');
  const folder = store.kind === 'sqlite' ? (['store', checkStore] as const) : (['DATA_DIR', checkDataFolder] as const);
  const [subject, check] = folder;
  return [
    ...(isWrong ? [] : [await attempt(subject, () => check(dataDir))]),
    ...(store.kind === 'sqlite' ? [] : [await attempt('STORE_URL', () => checkSharedStore(store.url, signal))]),
  ];
}

async function checkSpeech({ speech, dataDir }: Config, hasData: boolean, signal: AbortSignal): Promise<Finding[]> {
  try {
    const { checkEngineKeys, checkEngines, checkLocalData, checkLocalVoice, checkSpeechService } = await import(
      './speech.ts'
    );
    if (speech.kind === 'service') return [await checkSpeechService(speech, signal)];
    const espeakVersion = installedVersion('espeak-ng') ?? null;
    const damaged = hasData ? checkLocalData(dataDir) : undefined;
    if (damaged !== undefined) return [damaged];
    if (speech.engines.length === 0) return [checkLocalVoice(espeakVersion)];
    return [
      ...(await checkEngines(speech.engines, { espeakVersion, signal })),
      ...checkEngineKeys(speech.engine.SPEECH_ENGINES ?? '', speech.engines),
    ];
  } catch (error) {
    return [failed('speech', error)];
  }
}

async function askDiscord({ discord, access }: Config, live: boolean, signal: AbortSignal): Promise<Finding[]> {
  const { checkDiscord, checkReach } = await import('./discord.ts');
  const { token, apiUrl, readsMessages } = discord;
  const { allowedServers } = access;
  const found = live
    ? await checkDiscord({ token, apiUrl, readsMessages, allowedServers }, signal)
    : [await checkReach(apiUrl, signal)];
  // A Discord of another address is one on loopback.
  if (apiUrl) return found;
  return [...found, await attempt('UDP', async () => (await import('./udp.ts')).checkUdp())];
}

async function examine(live: boolean): Promise<Finding[]> {
  const ground = [checkNode(), checkPackages()];
  return canRun(ground) ? [...ground, ...(await checkBot(live, AbortSignal.timeout(DEADLINE_MS)))] : ground;
}

const USAGE = `Usage: ${commandOf('doctor', '[--live] [--json]')}

Compares what the bot needs with this machine and its settings, names each difference and its remedy, and changes nothing.

  --live  also ask Discord what the token gives access to
  --json  one line of JSON
  --help  this text

Exit code: 0 when the bot can run, 1 when it cannot, 2 for wrong usage.
`;

const off = { type: 'boolean', default: false } as const;
const { json, live } = flagsOrExit(USAGE, { options: { json: off, live: off } }).values;
const findings = await examine(live);
process.stdout.write(json ? `${JSON.stringify({ canRun: canRun(findings), findings })}\n` : describeFindings(findings));
process.exitCode = canRun(findings) ? 0 : 1;
