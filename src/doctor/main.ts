// `npm run doctor` compares the bot's needs with this machine, and names a remedy for each difference. Exit code: 0 if
// the bot can run, 1 if it cannot, 2 for wrong usage. `--json` prints a single line on stdout. Checks only that Discord
// answers; with `--live`, also reads what the token gives access to. Changes nothing.
import '../process/v8-workarounds.ts';
import { commandOf, flagsOrExit } from '../process/package.ts';
import {
  attention,
  blocking,
  canRun,
  checkNode,
  checkPackages,
  describeFindings,
  type Finding,
  reason,
} from './finding.ts';

const DEADLINE_MS = 60_000;

/** These checks of the doctor import npm packages, so they run only if the packages are installed. */
async function checkBot(live: boolean, signal: AbortSignal): Promise<Finding[]> {
  const { checkSettings } = await import('./configuration.ts');
  const { findings, config, wrong } = checkSettings(process.env);
  const { dataDir, store, discord, access, speech } = config;
  const found: Finding[] = [];
  /** If a check throws, its error becomes a finding, and the doctor goes on with the other checks. */
  async function attempt(subject: string, check: () => Finding[] | Finding | Promise<Finding[] | Finding>) {
    try {
      found.push(...[await check()].flat());
    } catch (error) {
      found.push(blocking(subject, reason(error), 'The bot would fail in the same way.'));
    }
  }

  const { checkDave, checkFfmpeg, checkOpus, checkVoiceLibrary } = await import('./voice.ts');
  await attempt('Opus encoder', () => checkOpus());
  await attempt('ffmpeg', () => checkFfmpeg(config.audio.ffmpegPath, signal));
  await attempt('DAVE', () => checkDave());
  // The voice library is checked only if DAVE works. The library loads DAVE too, and a broken DAVE would then end the
  // doctor with an error that cannot be caught.
  if (found.at(-1)?.verdict !== 'blocking') await attempt('voice library', () => checkVoiceLibrary());
  // If the settings for stored data are wrong, `findings` already reports them, and the data is not checked.
  const { checkDataFolder, checkSharedStore, checkStore } = await import('./store.ts');
  const hasData = !wrong.has('DATA_DIR');
  if (store.kind === 'sqlite') {
    if (hasData) await attempt('store', () => checkStore(dataDir));
  } else {
    if (hasData) await attempt('DATA_DIR', () => checkDataFolder(dataDir));
    await attempt('STORE_URL', () => checkSharedStore(store.url, signal));
  }
  if (![...wrong].some((variable) => /^(VOICE_|SPEECH_ENGINE)/.test(variable))) {
    await attempt('speech', async () => (await import('./speech.ts')).checkSpeech(speech, signal));
  }
  const { checkNeuralVoices } = await import('./neural-voices.ts');
  if (hasData) await attempt('installed voices', () => checkNeuralVoices(dataDir));
  found.push(...findings);
  const hasToken = !wrong.has('DISCORD_TOKEN');
  if (live && !hasToken) {
    found.push(
      attention(
        '--live',
        'asks Discord with the token of the bot, but DISCORD_TOKEN is missing, or is no token',
        'What the token gives access to was not checked.',
        `Set it, then run ${commandOf('doctor', '--live')} again.`,
      ),
    );
  }
  if (wrong.has('DISCORD_API_URL')) return found;
  const { checkDiscord, checkReach } = await import('./discord.ts');
  await attempt('Discord', () =>
    live && hasToken
      ? checkDiscord({ ...discord, allowedServers: access.allowedServers }, signal)
      : checkReach(discord.apiUrl, signal),
  );
  // If DISCORD_API_URL is set, Discord is simulated on this machine, so UDP to the internet is not checked.
  if (!discord.apiUrl) await attempt('UDP', async () => (await import('./udp.ts')).checkUdp());
  return found;
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
const ground = [checkNode(), checkPackages()];
const findings = canRun(ground) ? [...ground, ...(await checkBot(live, AbortSignal.timeout(DEADLINE_MS)))] : ground;
process.stdout.write(json ? `${JSON.stringify({ canRun: canRun(findings), findings })}\n` : describeFindings(findings));
process.exitCode = canRun(findings) ? 0 : 1;
