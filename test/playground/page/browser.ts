import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';

export interface OpenOptions {
  readonly width?: number;
  readonly colorScheme?: 'light' | 'dark';
  readonly locale?: string;
  /** The state that the address leads to, such as `as=alice&side=members`. */
  readonly state?: string;
  /** Run in the page before its own scripts. */
  readonly before?: readonly (() => void)[];
}

/** The page with its one-time address, loaded; complaints of the browser are collected in `complaints`. */
export async function openPage(
  browser: Browser,
  address: string,
  { width = 1_280, colorScheme = 'dark', locale = 'en-US', state = '', before = [] }: OpenOptions = {},
): Promise<{ page: Page; complaints: readonly string[] }> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme,
    locale,
    reducedMotion: 'reduce',
    bypassCSP: before.length > 0,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.stack ?? error.message));
  for (const script of before) await page.addInitScript(script);
  await page.goto(state === '' ? address : address.replace('#', `#${state}&`));
  await page.locator('#server-name', { hasText: 'Playground' }).waitFor({ state: 'attached' });
  return { page, complaints };
}
