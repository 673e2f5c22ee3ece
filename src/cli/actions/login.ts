import { unknownAuthority } from '../../network/connection-errors.ts';
import { withoutVoiceVariables } from '../../process/child-environment.ts';
import { changeConfigFile, checkWritable, readConfigFile, setInText } from '../config/config-file.ts';
import { agreeOnLostKey, type ConnectionFlags, clientFor, mustBePrivate, requireUrl } from '../config/session.ts';
import {
  type CliSettings,
  isSameService,
  layerIn,
  resolveSettings,
  shownPath,
  type VoiceConfig,
} from '../config/settings.ts';
import { findDashboard, LoginRefusedError, loginPage, redeem, startCallbackServer } from '../login/dashboard.ts';
import { readSecret } from '../speech/text-input.ts';
import { CliError, EXIT, failure, type Interrupt, usageError, watchInterrupts } from '../terminal/exit.ts';
import { inWords, isSpeechError } from '../terminal/failures.ts';
import { canAsk, note, styled, warn } from '../terminal/terminal.ts';
import { checkEnvironmentName, checkKeyText } from './config.ts';

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

/** Gets a key from the dashboard or from the person, tries it, and saves it with the address it belongs to. */
export async function login(flags: LoginFlags): Promise<void> {
  const interrupt = watchInterrupts();
  try {
    const file = await readConfigFile();
    const settings = settingsFor(flags, file.config);
    const baseUrl = requireUrl(settings);
    mustBePrivate(baseUrl, flags);
    const layer = layerIn(file.config, settings.env);
    const saved = layer?.api_key?.trim();
    const isOfOther = layer?.api_url === undefined || !isSameService(layer.api_url, baseUrl.href);
    const agree = () => agreeOnLostKey(settings.env, interrupt);
    if (saved && isOfOther && !flags.force) await agree();
    // A key that replaced another one and then cannot be saved would be lost, and the old one with it.
    await checkWritable(file.path);
    const { key, isMade } = flags.withKey
      ? { key: await readSecret('API key (not shown): ', interrupt), isMade: false }
      : await keyFromDashboard(baseUrl, flags, interrupt);
    if (key === '') throw failure('No key was given; nothing was saved.');
    checkKeyText(key);
    const doubt = await check(baseUrl, key, settings, flags, interrupt.signal, isMade);
    // Which key of the same service the dashboard replaces is chosen there.
    if (saved && saved !== key && !isOfOther && !isMade && !flags.force) await agree();
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

/** A key with `isMade` was made or replaced by the dashboard just now: there is no other copy. */
async function keyFromDashboard(
  baseUrl: URL,
  flags: LoginFlags,
  interrupt: Interrupt,
): Promise<{ readonly key: string; readonly isMade: boolean }> {
  const { signal } = interrupt;
  const dashboard = await findDashboard(baseUrl, flags.dashboardUrl, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    throw new CliError(
      EXIT.unavailable,
      `The service at ${baseUrl.host} could not be reached.`,
      unknownAuthority(error) ?? 'Is it started, and the address right? voice config show shows which address is used.',
    );
  });
  if (dashboard === undefined) {
    const where = "Create a key in the account's dashboard, under API Keys";
    if (!canAsk())
      throw usageError(`This service has no dashboard to open. ${where}, and pipe it to voice login --with-key.`);
    note(`This service has no dashboard to open. ${where}.`);
    return { key: await readSecret('Paste it here (not shown): ', interrupt), isMade: false };
  }
  mustBePrivate(dashboard, flags);
  const callback = await startCallbackServer();
  try {
    const page = loginPage(dashboard, callback);
    await invite(page, flags.browser);
    note('Waiting five minutes for the answer of the browser; Ctrl-C stops.');
    const ends = AbortSignal.any([signal, AbortSignal.timeout(LOGIN_TIMEOUT_MS)]);
    const token = await Promise.race([callback.token, rejection(ends)]).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof LoginRefusedError) throw failure(error.message, 'Nothing was saved.');
      throw failure('Nobody confirmed in the browser within five minutes.');
    });
    // The person has confirmed: this step has its own deadline, and makes a key that must not be lost.
    const key = await redeem(page, token, callback.verifier, signal).catch((error: unknown) => {
      note('A key may have been created or replaced anyway: check the dashboard.');
      throw error;
    });
    return { key, isMade: true };
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
    note('If no browser opened, open this link:');
  } else note('Open this link:');
  note(`\n  ${styled('bold', page.href, process.stderr)}\n`);
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
