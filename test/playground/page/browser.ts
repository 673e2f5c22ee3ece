import type { Browser, Page } from 'playwright-core';
import { expect, onTestFinished } from 'vitest';

export interface OpenOptions {
  /** Run in the page before its own scripts. */
  readonly before?: () => void;
}

/** The page with its one-time address, loaded. Anything that the browser complains about fails the test. */
export async function openPage(browser: Browser, address: string, options: OpenOptions = {}): Promise<Page> {
  const { before } = options;
  const viewport = { width: 1_280, height: 900 };
  const context = await browser.newContext({ viewport, colorScheme: 'dark', bypassCSP: before !== undefined });
  const page = await context.newPage();
  const complaints: string[] = [];
  onTestFinished(async () => {
    await context.close();
    expect(complaints).toEqual([]);
  });
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  if (before) await page.addInitScript(before);
  await page.goto(address);
  await page.locator('#server-name', { hasText: 'Playground' }).waitFor({ state: 'attached' });
  return page;
}
