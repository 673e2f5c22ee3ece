import { unknownAuthority } from '../../network/unknown-authority.ts';
import { withoutVoiceVariables } from '../../process/child-environment.ts';
import { changeConfigFile, checkWritable, readConfigFile } from '../config/config-file.ts';
import { shownPath } from '../config/paths.ts';
import { type ConnectionFlags, clientFor, movedInWords, mustBePrivate, requireUrl } from '../config/session.ts';
import {
  type CliSettings,
  isSameService,
  layerIn,
  movedKeys,
  resolveSettings,
  type VoiceConfig,
} from '../config/settings.ts';
import { setInText } from '../config/toml-text.ts';
import { LoginRefusedError, startCallbackServer } from '../login/callback-server.ts';
import { findDashboard, loginPage, redeem } from '../login/dashboard.ts';
import { readSecret } from '../speech/text-input.ts';
import { CliError, EXIT, failure, usageError } from '../terminal/exit.ts';
import { inWords, isSpeechError } from '../terminal/failures.ts';
import { type Interrupt, watchInterrupts } from '../terminal/interrupt.ts';
import { ask, confirm } from '../terminal/prompt.ts';
import { canAsk, note, styled, warn } from '../terminal/terminal.ts';
import { agreeOnLostKey, checkEnvironmentName, checkKeyText } from './config.ts';

interface LoginFlags extends ConnectionFlags {
  /** False with --no-browser. */
  readonly browser: boolean;
  readonly withKey?: boolean;
  readonly dashboardUrl?: string;
  readonly force?: boolean;
}

/** The deadline for the dashboard's answer; its token lives as long. */
const LOGIN_TIMEOUT_MS = 5 * 60_000;

const WRONG_ADDRESS = 'Correct the address: --api-url URL, VOICE_API_URL or voice config set api_url URL.';
const BESIDE = 'voice login --env NAME saves the new one beside it.';

/** Gets a key from the dashboard or from the person, tries it, and saves it with the address it belongs to. */
export async function login(flags: LoginFlags): Promise<void> {
  const interrupt = watchInterrupts();
  try {
    const file = await readConfigFile();
    const settings = settingsFor(flags, file.config);
    const baseUrl = requireUrl(settings);
    mustBePrivate(baseUrl, flags);
    await agreeOnAddress(file.config, settings, baseUrl, interrupt);
    // A key that replaced another one and then cannot be saved would be lost, and the old one with it.
    await checkWritable(file.path);
    const { key, isMade } = flags.withKey
      ? { key: await readSecret('API key (not shown): ', interrupt), isMade: false }
      : await keyFromDashboard(baseUrl, flags, interrupt);
    if (key === '') throw failure('No key was given; nothing was saved.');
    checkKeyText(key);
    const doubt = await check(baseUrl, key, settings, flags, interrupt.signal, isMade);
    if (!isMade && !flags.force) await agreeOnReplacedKey(file.config, settings, baseUrl, key);
    if (doubt !== undefined) warn(doubt);
    await save(file.path, settings, { baseUrl, key, isMade, isChecked: doubt === undefined });
    interrupt.signal.throwIfAborted();
    if (process.env.VOICE_API_KEY && flags.env === undefined) warn('VOICE_API_KEY is set and overrides the saved key.');
  } finally {
    interrupt.dispose();
  }
}

/** Like everywhere else, only that --env may name an environment that login is about to make. */
function settingsFor(flags: LoginFlags, config: VoiceConfig): CliSettings {
  if (flags.env === undefined || Object.hasOwn(config.env, flags.env))
    return resolveSettings(flags, process.env, config);
  checkEnvironmentName(flags.env);
  return resolveSettings(flags, process.env, { ...config, env: { ...config.env, [flags.env]: {} } });
}

/**
 * One place of the file holds one key and one address. Where it has another service's, that key would be lost, and the
 * keys that are sent to the top level's address would go to the new one: that needs a confirmation.
 */
async function agreeOnAddress(
  config: VoiceConfig,
  { env, url }: CliSettings,
  baseUrl: URL,
  interrupt: Interrupt,
): Promise<void> {
  const layer = layerIn(config, env);
  const before = layer?.api_url ?? config.api_url;
  if (before === undefined || before === url?.value || isSameService(before, baseUrl.href)) return;
  const heirs = env === undefined ? movedKeys(config, { ...config, api_key: '', api_url: baseUrl.href }) : [];
  const hostBefore = URL.parse(before)?.host || 'another address';
  const effects = [
    ...(layer?.api_key === undefined
      ? []
      : [`The saved key of ${hostBefore} will be replaced by one of ${baseUrl.host}.`]),
    ...heirs.map(movedInWords),
  ];
  if (effects.length === 0) return;
  if (!canAsk()) throw failure(`Nothing was saved: this needs a confirmation.\n${effects.join('\n')}`, BESIDE);
  note(`${effects.join('\n')}\n${BESIDE}`);
  if (!(await confirm('Continue anyway?', interrupt))) throw failure('Nothing was saved.');
}

/** The key of another service, which `agreeOnAddress` has asked about, aside. */
async function agreeOnReplacedKey(config: VoiceConfig, { env }: CliSettings, baseUrl: URL, key: string): Promise<void> {
  const layer = layerIn(config, env);
  const before = layer?.api_url ?? config.api_url;
  const saved = layer?.api_key?.trim();
  if (!saved || saved === key || (before !== undefined && !isSameService(before, baseUrl.href))) return;
  await agreeOnLostKey(env, BESIDE);
}

/** A key with `isMade` was made or replaced by the dashboard just now: there is no other copy. */
const given = (key: string) => ({ key, isMade: false });

async function keyFromDashboard(
  baseUrl: URL,
  flags: LoginFlags,
  interrupt: Interrupt,
): Promise<ReturnType<typeof given>> {
  const dashboard = await findDashboard(baseUrl, flags.dashboardUrl, interrupt.signal).catch((error: unknown) => {
    interrupt.signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    throw new CliError(
      EXIT.unavailable,
      `The service at ${baseUrl.host} could not be reached.`,
      unknownAuthority(error) ?? 'Is it started, and the address right? voice config show shows which address is used.',
    );
  });
  if (dashboard === undefined) return given(await pasted('This service has no dashboard to open.', interrupt));
  mustBePrivate(dashboard, flags);

  const callback = await startCallbackServer();
  const done = new AbortController();
  const ends = AbortSignal.any([interrupt.signal, done.signal]);
  let isRedeeming = false;
  try {
    const page = loginPage(dashboard, callback);
    await invite(page, flags.browser);
    if (!canAsk()) note('Waiting five minutes for the answer of the browser; Ctrl-C stops.');
    const timer = setTimeout(
      () => done.abort(failure('Nobody confirmed in the browser within five minutes.')),
      LOGIN_TIMEOUT_MS,
    );
    try {
      const fromBrowser = callback.token.then(async (token) => {
        // The person has confirmed: the next step has its own deadline, and makes a key that must not be lost.
        isRedeeming = true;
        clearTimeout(timer);
        const key = await redeem(page, token, callback.verifier, interrupt.signal);
        return { key, isMade: true };
      });
      const ways: Promise<ReturnType<typeof given>>[] = [fromBrowser, rejection(ends)];
      if (canAsk()) ways.push(typed(interrupt, ends).then((key) => (isRedeeming ? fromBrowser : given(key))));
      return await Promise.race(ways);
    } finally {
      clearTimeout(timer);
      done.abort(new Error('over'));
    }
  } catch (error) {
    if (isRedeeming) note('A key may have been created or replaced anyway: check the dashboard.');
    throw error instanceof LoginRefusedError ? failure(error.message, 'Nothing was saved.') : error;
  } finally {
    callback.close();
  }
}

async function invite(page: URL, opensBrowser: boolean): Promise<void> {
  note('Confirm in the browser that the voice command line may use a key.');
  note('Replacing an existing key there stops every other machine that uses it.');
  if (opensBrowser) {
    const { default: open } = await import('open');
    try {
      const browser = await withoutVoiceVariables(() => open(page.href));
      // Without this listener a missing browser would end the program; the link below always works.
      browser.on('error', () => note('No browser could be opened.'));
    } catch {
      note('No browser could be opened.');
    }
    note(`If no browser opened, open this link:`);
  } else note('Open this link:');
  note(`\n  ${styled('bold', page.href, process.stderr)}\n`);
}

/** Pasting works at any time, also while the browser is open. An ended input leaves the browser to answer. */
async function typed(interrupt: Interrupt, signal: AbortSignal): Promise<string> {
  const line = await ask('Waiting for the browser; or paste a key here (not shown): ', interrupt, {
    hidden: true,
    signal,
  });
  if (line === undefined) return rejection(signal);
  const key = line.trim();
  if (key === '') return typed(interrupt, signal);
  return key;
}

function pasted(why: string, interrupt: Interrupt): Promise<string> {
  const where = "Create a key in the account's dashboard, under API Keys";
  if (!canAsk()) throw usageError(`${why} ${where}, and pipe it to voice login --with-key.`);
  note(`${why} ${where}.`);
  return readSecret('Paste it here (not shown): ', interrupt);
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * Asks the service whether it takes the key. A refused one is an error, and so is a server that is no speech service; of one
 * that could not be tried, returns the warning. Ctrl-C does not throw away a key that was just made.
 */
async function check(
  baseUrl: URL,
  key: string,
  settings: CliSettings,
  flags: LoginFlags,
  signal: AbortSignal,
  isMade: boolean,
): Promise<string | undefined> {
  const client = await clientFor(baseUrl, key, settings.prefix.value, flags.verbose ?? false);
  try {
    await client.models({ signal, deadlineMs: 15_000 });
    return undefined;
  } catch (error) {
    if (signal.aborted && isMade) return 'Stopped: the key is saved, but was not checked.';
    signal.throwIfAborted();
    if (!isSpeechError(error)) throw error;
    const { kind, requestId } = error;
    if (kind === 'invalid-api-key') {
      const id = requestId === undefined ? '' : ` (${requestId})`;
      throw new CliError(EXIT.notLoggedIn, `The service does not accept this key; it was not saved${id}.`);
    }
    // Any text would be saved as a key for any page of the web. One that was made just now has no other copy.
    // A list without conditions is never an invalid request to a speech service.
    if ((kind === 'bad-response' || kind === 'invalid-request') && !isMade)
      throw failure(`${inWords(error).message} Nothing was saved.`, WRONG_ADDRESS);
    return `The key is saved, but could not be checked. ${inWords(error).message}`;
  } finally {
    await client.close();
  }
}

/** The address is saved beside the key, also where the top level has the same one: that may change. */
async function save(
  path: string,
  settings: CliSettings,
  { baseUrl, key, isMade, isChecked }: { baseUrl: URL; key: string; isMade: boolean; isChecked: boolean },
): Promise<void> {
  const { env, url, explicitEnv } = settings;
  try {
    await changeConfigFile(({ text, config }) => {
      const withKey = setInText(text, { env, key: 'api_key' }, key);
      if (url === undefined || layerIn(config, env)?.api_url === url.value) return withKey;
      return setInText(withKey, { env, key: 'api_url' }, url.value);
    }, path);
  } catch (error) {
    if (isMade) note('A key was created or replaced, but not saved: replace it in the dashboard once this is fixed.');
    throw error;
  }
  const where = env === undefined ? '' : ` in [env.${env}]`;
  const saved = `the key is saved${where} in ${shownPath(path)}`;
  const credits = explicitEnv ? `voice credits --env ${env}` : 'voice credits';
  note(isChecked ? `Logged in to ${baseUrl.host}: ${saved}.` : `For ${baseUrl.host}, ${saved}. ${credits} tries it.`);
}
