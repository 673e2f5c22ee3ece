import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { request } from 'undici';
import { unknownAuthority } from '../../network/connection-errors.ts';
import {
  type CliSettings,
  changeConfigFile,
  checkWritable,
  configPath,
  isSameService,
  layerIn,
  readConfigFile,
  resolveSettings,
  setInText,
  shownPath,
  type VoiceConfig,
} from '../config/config-file.ts';
import { agreeOnLostKey, type ConnectionFlags, clientFor, mustBePrivate, requireUrl } from '../config/session.ts';
import { readSecret } from '../speech/files.ts';
import {
  CliError,
  canAsk,
  failure,
  type Interrupt,
  inWords,
  isSpeechError,
  note,
  notLoggedIn,
  styled,
  unavailable,
  usageError,
  warn,
  watchInterrupts,
} from '../terminal/terminal.ts';
import { checkEnvironmentName, checkKeyText } from './config.ts';
import { withoutVoiceVariables } from './play.ts';

interface LoginFlags extends ConnectionFlags {
  readonly browser: boolean;
  readonly withKey: boolean;
  readonly dashboardUrl?: string;
  readonly force: boolean;
}

/** The lifetime of the token that the dashboard issues for a login. */
const LOGIN_TIMEOUT_MS = 5 * 60_000;

/** The address of `npm run speech-service`: a login tries it if no other address is set. */
const LOCAL_SERVICE = 'http://127.0.0.1:8640';

const WRONG_ADDRESS = 'Correct the address: --api-url URL, VOICE_API_URL or voice config set api_url URL.';

export async function login(flags: LoginFlags): Promise<void> {
  const interrupt = watchInterrupts();
  try {
    const file = await readConfigFile();
    let settings = settingsFor(flags, file.config);
    // With --with-key, the local service is not tried: the key must not be sent to an address that nobody named.
    if (settings.url === undefined && !flags.withKey && (await hasLocalService(interrupt.signal)))
      settings = settingsFor({ ...flags, apiUrl: LOCAL_SERVICE }, file.config);
    const baseUrl = requireUrl(settings, flags);
    const layer = layerIn(file.config, settings.env);
    const saved = layer?.api_key?.trim();
    const isOfOther = layer?.api_url === undefined || !isSameService(layer.api_url, baseUrl.href);
    const agree = () => agreeOnLostKey(settings.env, interrupt);
    if (saved && isOfOther && !flags.force) await agree();
    // Before the dashboard replaces the key, the configuration must be writable: otherwise both keys could be lost.
    await checkWritable();
    const { key, isMade } = flags.withKey
      ? { key: await readSecret('API key (not shown): ', interrupt), isMade: false }
      : await keyFromDashboard(baseUrl, flags, interrupt);
    if (key === '') throw failure('No key was given; nothing was saved.');
    checkKeyText(key);
    const made = { settings, baseUrl, key, isMade };
    const doubt = await check(made, flags, interrupt.signal);
    // A user who gets a key from the dashboard has already chosen there to replace the old key.
    if (saved && saved !== key && !isOfOther && !isMade && !flags.force) await agree();
    if (doubt !== undefined) warn(doubt);
    await save(made, doubt === undefined);
    interrupt.signal.throwIfAborted();
    if (process.env.VOICE_API_KEY && flags.env === undefined) warn('VOICE_API_KEY is set and overrides the saved key.');
  } finally {
    interrupt.dispose();
  }
}

async function hasLocalService(signal: AbortSignal): Promise<boolean> {
  const dashboard = await findDashboard(new URL(LOCAL_SERVICE), undefined, signal).catch(() => undefined);
  signal.throwIfAborted();
  note(
    dashboard === undefined
      ? `No speech service answers at ${LOCAL_SERVICE}.`
      : `No address is set: using the speech service of this machine, ${LOCAL_SERVICE}.`,
  );
  return dashboard !== undefined;
}

function settingsFor(flags: LoginFlags, config: VoiceConfig): CliSettings {
  if (flags.env === undefined || Object.hasOwn(config.env, flags.env))
    return resolveSettings(flags, process.env, config);
  checkEnvironmentName(flags.env);
  return resolveSettings(flags, process.env, { ...config, env: { ...config.env, [flags.env]: {} } });
}

interface NewKey {
  readonly settings: CliSettings;
  readonly baseUrl: URL;
  readonly key: string;
  /** True if the dashboard has just made or replaced the API key, so that no other copy exists. */
  readonly isMade: boolean;
}

async function keyFromDashboard(baseUrl: URL, flags: LoginFlags, interrupt: Interrupt) {
  const { signal } = interrupt;
  const dashboard = await findDashboard(baseUrl, flags.dashboardUrl, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof CliError) throw error;
    throw unavailable(
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
    const stopped = once(ends, 'abort').then(() => ends.throwIfAborted() as never);
    ends.throwIfAborted();
    const token = await Promise.race([callback.token, stopped]).catch((error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof CliError) throw error;
      throw failure('Nobody confirmed in the browser within five minutes.');
    });
    // The exchange of the token has its own deadline: the login's deadline could end it and lose a new key.
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
      // Without an error listener, a missing browser would end the program, although the printed link still works.
      browser.on('error', () => note('No browser could be opened.'));
    } catch {
      note('No browser could be opened.');
    }
    note('If no browser opened, open this link:');
  } else note('Open this link:');
  note(`\n  ${styled('bold', page.href, process.stderr)}\n`);
}

/**
 * Returns a warning if the key could not be checked. A key that the dashboard has just made is kept even after Ctrl-C.
 */
async function check(made: NewKey, { verbose }: LoginFlags, signal: AbortSignal): Promise<string | undefined> {
  const { settings, baseUrl, key, isMade } = made;
  const client = await clientFor(baseUrl, key, settings.prefix.value, verbose);
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
      throw notLoggedIn(`The service does not accept this key; it was not saved${id}.`);
    }
    // An invalid answer means a wrong address. The dashboard's new key is saved anyway, because no other copy exists.
    if ((kind === 'bad-response' || kind === 'invalid-request') && !isMade)
      throw failure(`${inWords(error).message} Nothing was saved.`, WRONG_ADDRESS);
    return `The key is saved, but could not be checked. ${inWords(error).message}`;
  } finally {
    await client.close();
  }
}

/** Saves the address in the key's table, even if the top level has the same one: a key needs an address in its own table. */
async function save({ settings, baseUrl, key, isMade }: NewKey, isChecked: boolean): Promise<void> {
  const { env, url, explicitEnv } = settings;
  try {
    await changeConfigFile(({ text, config }) => {
      const withKey = setInText(text, { env, key: 'api_key' }, key);
      if (url === undefined || layerIn(config, env)?.api_url === url.value) return withKey;
      return setInText(withKey, { env, key: 'api_url' }, url.value);
    });
  } catch (error) {
    if (isMade) note('A key was created or replaced, but not saved: replace it in the dashboard once this is fixed.');
    throw error;
  }
  const where = env === undefined ? '' : ` in [env.${env}]`;
  const saved = `the key is saved${where} in ${shownPath(configPath())}`;
  const credits = explicitEnv ? `voice credits --env ${env}` : 'voice credits';
  note(isChecked ? `Logged in to ${baseUrl.host}: ${saved}.` : `For ${baseUrl.host}, ${saved}. ${credits} tries it.`);
}

type CallbackServer = Awaited<ReturnType<typeof startCallbackServer>>;

export async function startCallbackServer() {
  /** A random value that the dashboard sends back: a request without it comes from another site. */
  const state = randomBytes(32).toString('base64url');
  /** The browser carries only the hash of this secret, but getting the API key takes the secret itself. */
  const verifier = randomBytes(32).toString('base64url');
  const { promise: token, resolve, reject } = Promise.withResolvers<string>();
  // A refused login may reject this promise before anyone awaits it, which must not end the program.
  token.catch(() => undefined);

  let isOver = false;
  const server = createServer((request, response) => {
    const { port } = server.address() as AddressInfo;
    const url = URL.parse(request.url ?? '/', `http://127.0.0.1:${port}`);
    const isOurs = request.headers.host === `127.0.0.1:${port}` && request.method === 'GET';
    if (!isOurs || url?.pathname !== '/callback') return answer(response, 404, 'There is nothing here.');
    if (!isSame(url.searchParams.get('state') ?? '', state)) {
      return answer(response, 400, 'This is not the login that is waiting. Start it again in the terminal.');
    }
    if (isOver) return answer(response, 410, 'This login is over. You can close this window.');
    isOver = true;
    const given = url.searchParams.get('token');
    if (given === null || given === '') {
      answer(response, 200, 'No key was given. You can close this window.');
      reject(failure('The dashboard gave no key: the request was declined there.', 'Nothing was saved.'));
      return;
    }
    answer(response, 200, 'The voice command line has its key. You can close this window.');
    resolve(given);
  });
  server.listen({ host: '127.0.0.1', port: 0 });
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    state,
    verifier,
    challenge: createHash('sha256').update(verifier).digest('base64url'),
    token,
    close(): void {
      server.close();
      // The browser gets half a second for the last answer. An open connection would keep the program running.
      setTimeout(() => server.closeAllConnections(), 500).unref();
    },
  };
}

function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
    Connection: 'close',
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>voice login</title>` +
      `<body style="font-family:system-ui,sans-serif;margin:4rem auto;max-width:32rem;padding:0 1rem"><h1>voice login</h1><p>${text}</p></body></html>\n`,
  );
}

const TIMEOUT_MS = 10_000;

/** Undefined if the service has no dashboard. Rejects if the service is not reached. */
async function findDashboard(baseUrl: URL, given: string | undefined, signal: AbortSignal): Promise<URL | undefined> {
  if (given !== undefined) {
    const url = URL.parse(given);
    if (url === null || !/^https?:$/.test(url.protocol))
      throw usageError('--dashboard-url must begin with https:// or http://.');
    return url;
  }
  const guess = new URL(`${baseUrl.href.replace(/\/+$/, '')}/dashboard`);
  const { statusCode, headers, body } = await request(guess, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    headers: { 'user-agent': 'crier-voice' },
  });
  await body.dump();
  if (statusCode === 200) return guess;
  const { location } = headers;
  const isRedirect = statusCode >= 300 && statusCode < 400 && location !== undefined;
  const target = isRedirect ? URL.parse(String(location), guess.href) : null;
  // The dashboard sends an API key, so its address must use https, unless the service itself is reached over http.
  const allowed = guess.protocol === 'http:' ? ['https:', 'http:'] : ['https:'];
  return target !== null && allowed.includes(target.protocol) ? target : undefined;
}

function loginPage(dashboard: URL, callback: CallbackServer): URL {
  const page = new URL(dashboard);
  page.pathname = `${page.pathname.replace(/\/+$/, '').replace(/\/dashboard$/, '')}/cli-login`;
  page.search = new URLSearchParams({
    port: String(callback.port),
    state: callback.state,
    challenge: callback.challenge,
    name: `voice on ${hostname()}`.slice(0, 60),
  }).toString();
  page.hash = '';
  return page;
}

async function redeem(page: URL, token: string, verifier: string, signal: AbortSignal): Promise<string> {
  const url = new URL(`${page.pathname}/redeem`, page);
  const { statusCode, body } = await request(url, {
    method: 'POST',
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    headers: { 'user-agent': 'crier-voice', 'content-type': 'application/json' },
    body: JSON.stringify({ token, verifier }),
  });
  const answer = (await body.json().catch(() => undefined)) as { key?: unknown } | undefined;
  if (statusCode === 200 && typeof answer?.key === 'string' && answer.key !== '') return answer.key;
  throw failure(
    `The dashboard did not give the key (${statusCode}).`,
    'Start voice login again: what the browser sends works once, for five minutes.',
  );
}
