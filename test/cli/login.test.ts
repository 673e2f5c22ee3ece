import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { getGlobalDispatcher, MockAgent, setGlobalDispatcher } from 'undici';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium, startBrowser, uncomplainingPage } from '../chromium.ts';
import { KEY, startService } from './service.ts';
import { type VoiceProgram, voiceProgram, withSettings } from './voice-program.ts';

const service = await startService();
const isKey = (secret: string) => service.keys.find(secret) !== undefined;

const LOGIN = `login --no-browser --api-url ${service.url}`;
const LINK = /(http:\/\/127\.0\.0\.1:\d+\/cli-login\?[\w=&+%.-]+)/;

describe.skipIf(!hasChromium)('voice login with a browser', () => {
  let browser: Browser;
  /** Signed in by the first page. */
  let context: BrowserContext;
  let isSignedIn = false;
  beforeAll(async () => {
    browser = await startBrowser();
    context = await browser.newContext();
  });
  afterAll(() => browser.close());

  async function signIn(page: Page): Promise<void> {
    await page.getByLabel('Address or token').waitFor();
    expect(await page.locator('#main').isVisible()).toBe(false);
    await page.getByLabel('Address or token').fill(service.dashboardUrl ?? '');
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('heading', { name: 'Open the dashboard' }).waitFor({ state: 'hidden' });
    isSignedIn = true;
  }

  /** Opens the link that login prints. */
  async function open(link: string): Promise<Page> {
    // Without a session, its first request is refused; whether the command line still waits is asked at an address without a page.
    const page = await uncomplainingPage(context, /status of 40[34]|ERR_CONNECTION_REFUSED/);
    await page.goto(link);
    if (!isSignedIn) await signIn(page);
    await page.getByRole('heading', { name: 'Let the voice command line use a key?' }).waitFor();
    return page;
  }

  function login(voice: VoiceProgram, confirm: (page: Page) => Promise<unknown>) {
    return voice.inTerminal(LOGIN, {
      columns: 400,
      steps: [[LINK, async ([, link = '']) => confirm(await open(link))]],
    });
  }

  test('makes a key, and replaces it the next time after naming the programs that this stops', async () => {
    const voice = voiceProgram();
    const made = await login(voice, async (page) => {
      await page.getByLabel('Name of the new key').fill('laptop');
      await page.getByRole('button', { name: 'Yes, use a key' }).click();
      await page.getByText('has its key. You can close this window.').waitFor();
    });
    expect(made.screen).toMatch(/Logged in to 127\.0\.0\.1:\d+: the key is saved/);
    expect(made.code).toBe(0);
    const first = (await voice.run('key')).stdout;
    expect(made.raw).not.toContain(first);
    expect(isKey(first)).toBe(true);
    expect((await voice.run('credits')).code).toBe(0);

    const replaced = await login(voice, async (page) => {
      await page.getByLabel('Replace an existing key').check();
      await page.getByText('Every other machine that uses this key stops working').waitFor();
      // The service's own key comes from its environment.
      expect((await page.locator('#key option').allTextContents()).join()).not.toContain('From the environment');
      const option = page.locator('#key option', { hasText: 'laptop' });
      await page.getByLabel('Key to replace').selectOption(await option.getAttribute('value'));
      await page.getByRole('button', { name: 'Yes, use a key' }).click();
      await page.getByText('has its key').waitFor();
    });
    expect(replaced.code).toBe(0);
    const second = (await voice.run('key')).stdout;
    expect([isKey(first), isKey(second)]).toEqual([false, true]);
  });

  test('saves nothing when the person says no', async () => {
    const voice = voiceProgram();
    const { code, screen } = await login(voice, async (page) => {
      await page.getByRole('button', { name: 'No', exact: true }).click();
      await page.getByText('No key was given.').waitFor();
    });
    expect(code).toBe(1);
    expect(screen).toMatch(/error: The dashboard gave no key: the request was declined there\./);
    expect(existsSync(voice.settingsFile)).toBe(false);
  });
});

describe('voice login', () => {
  test('tries the service of this machine if no address is set', async () => {
    const before = getGlobalDispatcher();
    onTestFinished(() => setGlobalDispatcher(before));
    const network = new MockAgent();
    setGlobalDispatcher(network);
    const asked = () => network.get('http://127.0.0.1:8640').intercept({ path: '/dashboard' });
    const location = service.dashboardUrl?.replace(/#.*/, '') ?? '';
    asked().reply(302, '', { headers: { location } }).times(2);
    const voice = voiceProgram();
    const { raw } = await voice.inTerminal('login --no-browser', { columns: 400, steps: [[LINK, '\u0003']] });
    expect(raw).toContain('No address is set: using the speech service of this machine, http://127.0.0.1:8640.');
    expect(raw).toContain(location.replace('/dashboard', '/cli-login'));

    asked().replyWithError(new Error('connect ECONNREFUSED'));
    const none = /^No speech service answers at http:\S+\nerror: No address of a speech service is set\./;
    expect(await voice.run('login')).toMatchObject({ code: 2, stderr: expect.stringMatching(none) });
    // A key that the person has is sent to nobody whom the person did not name.
    const withKey = await voice.run('login --with-key', { input: KEY });
    expect(withKey).toMatchObject({ code: 2, stderr: expect.stringMatching(/^error: No address/) });
  });

  test('opens the link in the browser of the system', async () => {
    const voice = voiceProgram();
    const browser = join(voice.home, 'browser');
    const script = '#!/bin/sh\necho "$1" > "$HOME/opening" && mv "$HOME/opening" "$HOME/opened"\n';
    writeFileSync(browser, script, { mode: 0o755 });
    const opened = () => existsSync(join(voice.home, 'opened'));
    const { code, raw } = await voice.inTerminal(`login --api-url ${service.url}`, {
      columns: 400,
      env: { BROWSER: browser },
      steps: [
        [LINK, () => expect.poll(opened).toBe(true)],
        [/^/, '\u0003'],
      ],
    });
    expect(code).toBe(130);
    const [, link] = LINK.exec(raw) ?? [];
    expect(readFileSync(join(voice.home, 'opened'), 'utf8').trim()).toBe(link);
  });

  test('says how long it waits, also after a callback with another state, which is refused, and Ctrl-C stops it', async () => {
    const voice = voiceProgram();
    const guess = async ([, link = '']: RegExpExecArray) => {
      const port = new URL(link).searchParams.get('port');
      const answer = await fetch(`http://127.0.0.1:${port}/callback?token=stolen&state=guessed`);
      expect(answer.status).toBe(400);
    };
    const { code, screen } = await voice.inTerminal(LOGIN, {
      columns: 400,
      steps: [
        [LINK, guess],
        [/\nWaiting five minutes for the answer of the browser; Ctrl-C stops\.\r/, '\u0003'],
      ],
    });
    expect(code).toBe(130);
    expect(screen).toMatch(/Open this link:\n\n.*\n\nWaiting five minutes/);
    expect(existsSync(voice.settingsFile)).toBe(false);
  });

  test('takes a key from a pipe, tries it, and does not save a refused one', async () => {
    const voice = voiceProgram({ VOICE_API_URL: service.url });
    const refused = await voice.run('login --with-key', { input: 'crier_sk_wrong\n' });
    const told = /does not accept this key; it was not saved \(req_/;
    expect(refused).toMatchObject({ code: 3, stderr: expect.stringMatching(told) });
    expect(existsSync(voice.settingsFile)).toBe(false);
    expect((await voice.run('login --with-key', { input: `${KEY}\n` })).code).toBe(0);
    expect(readFileSync(voice.settingsFile, 'utf8')).toContain(service.url);
  });

  test('saves a key that could not be tried, with a warning, and its address also where the top level has the same', async () => {
    const { voice, file } = withSettings('api_url = "http://127.0.0.1:9"\n');
    const login = 'login --with-key --env a --api-url http://127.0.0.1:9';
    const { code, stderr } = await voice.run(login, { input: KEY });
    expect(code).toBe(0);
    expect(stderr).toMatch(/warning: The key is saved, but could not be checked\. The service could not be reached/);
    expect(stderr).toMatch(/saved in \[env\.a\].*\. voice credits --env a tries it\.\n$/);
    expect(stderr).not.toContain('Logged in');
    expect(readFileSync(file, 'utf8')).toMatch(/\n\[env\.a\]\napi_key = ".+"\napi_url = "http:\/\/127\.0\.0\.1:9"\n$/);
    expect((await voice.run('key --env a')).stdout).toBe(KEY);
  });
});
