import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectAccessible, hasChromium, startBrowser, uncomplainingPage } from '../../chromium.ts';
import { engineEntry, instantEngine, type RunningService, runningService } from '../running-service.ts';

describe.skipIf(!hasChromium)('the dashboard in a real browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser.close());

  /** The page, loaded in a browser of its own. */
  async function open(service: RunningService): Promise<Page> {
    // A refusal of the service is an answer like another; the browser logs it all the same.
    const page = await uncomplainingPage(await browser.newContext(), /the server responded with a status of 4\d\d/);
    await page.goto(service.dashboardUrl);
    await page.locator('#history tr').first().waitFor();
    return page;
  }

  test('shows the balance, the history and the use of each day, and marks what may have been billed in vain', async () => {
    const engines = [engineEntry('cloud', instantEngine(), 15)];
    const service = await runningService({ engines, startingCredits: 1_000 });
    for (const requestId of ['req_1', 'req_2']) {
      service.ledger.reserve({ requestId, keyId: null, amount: 100, model: 'cloud', voice: 'nova' });
    }
    service.ledger.settle('req_1');
    service.ledger.close('req_2', 'lost');
    const page = await open(service);
    expect(await page.locator('#balance').textContent()).toBe('800');
    const today = new Date().toISOString().slice(0, 10);
    expect(await page.locator('#usage tr').allInnerTexts()).toEqual([`${today}\t2\t200`]);
    const rows = page.locator('#history tr');
    expect(await rows.count()).toBe(2);
    expect(await rows.filter({ hasText: 'it may have been billed in vain' }).allTextContents()).toEqual([
      expect.stringContaining('req_2'),
    ]);
    await expectAccessible(page);
  });

  test('shows voices by their sound, and names prices and credits only where the operator has set prices', async () => {
    const service = await runningService({ engine: instantEngine() });
    for (const model of ['gpro', 'ext']) {
      service.ledger.reserve({ requestId: model, keyId: null, amount: 1, model, voice: 'dorian' });
    }
    const free = await open(service);
    const shown = await free.locator('#history td:nth-child(2)').allInnerTexts();
    expect(shown.toSorted()).toEqual(['dorian (gpro) · male, Scottish', 'dorian · male, Scottish']);
    expect(await free.locator('#worth').textContent()).toContain('Speech costs nothing here.');
    expect(await free.locator('body').innerText()).not.toMatch(/credits/i);
    const engines = [engineEntry('dear', instantEngine(), 15)];
    const page = await open(await runningService({ engines }));
    expect(await page.locator('#worth').textContent()).toContain('A count of your own, at the price per character');
  });

  test('opens with its one-time address, once, and asks other browsers and later starts for the next one', async () => {
    const service = await runningService({ engine: instantEngine() });
    const first = service.dashboardUrl;
    const page = await open(service);
    // Nothing of it stays in the address, and the browser needs it no more.
    expect(page.url()).toBe(first.replace(/#.*/, ''));
    await page.reload();
    await page.locator('#history tr').first().waitFor();

    const context = await browser.newContext();
    onTestFinished(() => context.close());
    const other = await context.newPage();
    await other.goto(first);
    const address = other.getByLabel('Address or token');
    await address.waitFor();
    await other.getByText('This address is wrong or was used before').waitFor();
    // Nothing is behind the question that waits for an answer.
    expect(await other.locator('body').innerText()).not.toMatch(/…|left|Create key|API at/);
    expect(await other.locator('#main').isVisible()).toBe(false);
    await address.fill(first);
    await other.getByRole('button', { name: 'Open' }).click();
    await other.getByText('This address is wrong or was used before').waitFor();
    for (let i = 0; i < 3; i += 1) await other.keyboard.press('Escape');
    expect(await address.isVisible()).toBe(true);
    await address.fill(service.dashboardUrl);
    await other.keyboard.press('Enter');
    await other.locator('#history tr').first().waitFor();
    expect(await address.isVisible()).toBe(false);
    expect(await other.getByText(/^API at http/).isVisible()).toBe(true);

    // In a tab that shows the page already.
    const third = await (await browser.newContext()).newPage();
    onTestFinished(() => third.context().close());
    await third.goto(service.dashboardUrl.replace(/#.*/, ''));
    await third.locator('#sign-in[open]').waitFor();
    await third.goto(service.dashboardUrl.slice(0, -3));
    await third.getByText('That is not an address of this page').waitFor();
    await third.goto(service.dashboardUrl);
    await third.locator('#history tr').first().waitFor({ timeout: 5_000 });
  });

  test('makes a key, shows it once, and the key works', async () => {
    const service = await runningService({ engine: instantEngine() });
    const page = await open(service);
    await page.getByLabel('Name of a new key').fill('<b>laptop</b>');
    await page.getByRole('button', { name: 'Create key' }).click();
    const secret = (await page.locator('#secret[open] #secret-value').textContent()) ?? '';
    expect((await service.call('GET', '/api/v1/models', { key: secret })).status).toBe(200);
    for (let i = 0; i < 3; i += 1) await page.keyboard.press('Escape');
    expect(await page.locator('#secret-value').textContent()).toBe(secret);
    await page.getByRole('button', { name: 'I have copied it' }).click();
    await expect.poll(() => page.locator('#secret-value').textContent()).toBe('');
    // Text that people give is never markup.
    await page.locator('#keys strong', { hasText: '<b>laptop</b>' }).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    await page.locator('#keys tr').nth(1).waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  test('revokes a key, asking first', async () => {
    const service = await runningService({ engine: instantEngine() });
    service.keys.adopt('given-by-the-environment');
    const page = await open(service);
    const works = async (key: string) => (await service.call('GET', '/api/v1/models', { key })).status === 200;
    const press = async (button: string, answer: 'accept' | 'dismiss') => {
      const asked = page.waitForEvent('dialog').then(async (dialog) => {
        await dialog[answer]();
        return dialog.message();
      });
      await page.getByRole('button', { name: button }).click();
      return asked;
    };
    // It is changed where it is given.
    expect(await page.locator('#keys tr', { hasText: 'From the environment' }).getByRole('button').count()).toBe(0);
    await page.getByText('A key given at the start has no').waitFor();

    await press('Revoke First key', 'dismiss');
    expect(await works(service.key)).toBe(true);
    const hint = service.keys.list().find(({ name }) => name === 'First key')?.hint;
    expect(await press('Revoke First key', 'accept')).toContain(`First key (${hint}) stops working, for good.`);
    await page.getByText('First key was revoked.').waitFor();
    expect(await works(service.key)).toBe(false);
    expect(await page.getByRole('button', { name: 'Revoke First key' }).count()).toBe(0);

    // One that was revoked elsewhere is then shown as it is.
    const { key } = service.keys.create('laptop');
    await page.reload();
    await page.getByRole('button', { name: 'Revoke laptop' }).waitFor();
    service.keys.revoke(key.id);
    await press('Revoke laptop', 'accept');
    await page.locator('#message').getByText('There is no such key').waitFor();
    await page.locator('#keys .revoked', { hasText: 'laptop' }).waitFor();
  });
});
